"""Laws that every chunking strategy keeps, for any document, and that enrichment of its chunks keeps."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from textwrap import dedent, indent

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from chunking import CHUNKERS, ChunkerSpec
from embedding.tokenizer import load_tokenizer
from enrichment import enrich
from kprep.core.ids import digest
from kprep.core.index_text import compose, heading_line
from kprep.core.models import (
    ChunkedDocument,
    ChunkProfile,
    DocumentMetadata,
    Element,
    ElementKind,
    Link,
    Locator,
    RedactedDocument,
    table_text,
)

COUNT = load_tokenizer()
ALL = pytest.mark.parametrize("chunker", CHUNKERS.values(), ids=CHUNKERS.keys())
LAWS = settings(deadline=None, max_examples=25, suppress_health_check=list(HealthCheck))

LATIN = re.findall(
    r"\S+", "valve pump Dr. e.g. ERR_CONN_1045 refund, policy. the a of 2024 /v1/orders/{id} name? Note:"
)
OTHER = ["🤣", "naïve", "这是一个句子。没有标点", "ประเทศไทย", "Donaudampfschifffahrt", "\u2028", "end!", "…", "»q«"]
WORDS = st.sampled_from([*LATIN, *OTHER])
PROSE = st.lists(WORDS, min_size=1, max_size=120).map(" ".join)
LONG_RUN = st.tuples(st.sampled_from("字ก a一"), st.integers(200, 900)).map(
    lambda pair: pair[0].strip() * pair[1] or "x"
)
LINES = st.lists(
    st.tuples(st.sampled_from(["", "    ", "\t", "        "]), st.lists(WORDS, max_size=12).map(" ".join)).map("".join),
    min_size=1,
    max_size=60,
).map("\n".join)
CELL = st.lists(WORDS, max_size=12).map(" ".join)


def element(kind: ElementKind, text: str, **more: object) -> Element:
    return Element(kind, text, Locator(line=(1, 1 + text.count("\n")), char=(0, len(text))), **more)  # type: ignore[arg-type]


@st.composite
def tables(draw: st.DrawFn) -> Element:
    width = draw(st.integers(1, 4))
    row = st.lists(CELL, min_size=width, max_size=width).map(tuple)
    rows = tuple(draw(st.lists(row, min_size=1, max_size=25)))
    return element(ElementKind.TABLE, table_text(rows), rows=rows, header_rows=draw(st.integers(0, 2)))


ELEMENTS = st.one_of(
    st.builds(lambda t, level: element(ElementKind.HEADING, t, level=level), CELL, st.integers(1, 4)),
    st.builds(lambda t: element(ElementKind.PARAGRAPH, t), st.one_of(PROSE, LONG_RUN)),
    st.builds(
        lambda t, m, level: element(ElementKind.LIST_ITEM, t, marker=m, level=level),
        PROSE,
        st.sampled_from(["1.", "-", ""]),
        st.integers(1, 3),
    ),
    st.builds(lambda t: element(ElementKind.CODE, t, language="python"), LINES),
    st.builds(lambda t: element(ElementKind.QUOTE, t, links=(Link(t[:5], "#"),)), PROSE),
    tables(),
)


def document(elements: list[Element], title: str = "") -> RedactedDocument:
    """The elements one after another in an original of which each is a verbatim slice."""
    placed, at, line = [], 0, 1
    for item in elements:
        lines = item.text.count("\n")
        place = Locator(line=(line, line + lines), char=(at, at + len(item.text)))
        placed.append(replace(item, locator=place))
        at, line = at + len(item.text) + 2, line + lines + 2
    return RedactedDocument("s/a.md", "text/markdown", "md", tuple(placed), (), DocumentMetadata(title=title), (), ())


DOCUMENTS = st.builds(
    document, st.lists(ELEMENTS, min_size=1, max_size=14), st.sampled_from(["", "The Handbook"])
).filter(lambda source: any(item.text.strip() for item in source.elements))
PROFILES = st.builds(
    ChunkProfile,
    max_tokens=st.sampled_from([48, 64, 128, 256]),
    target_tokens=st.sampled_from([40, 100, 200]),
    min_tokens=st.sampled_from([0, 10, 24]),
    overlap_sentences=st.integers(0, 2),
    target=st.sampled_from([{}, {}, {"*": (40, "words")}, {"*": (120, "characters")}]),
)


def run(chunker: ChunkerSpec, source: RedactedDocument, profile: ChunkProfile) -> ChunkedDocument:
    return chunker.chunk(source, replace(profile, strategy=chunker.name), COUNT)


@ALL
@LAWS
@given(source=DOCUMENTS, profile=PROFILES)
@pytest.mark.req("D6.1", "D6.13", "D6.18", "D6.17")
def test_children_are_slices_that_tile_their_parent(
    chunker: ChunkerSpec, source: RedactedDocument, profile: ChunkProfile
) -> None:
    chunked = run(chunker, source, profile)
    parents = {parent.key: parent for parent in chunked.parents}
    assert len(parents) == len(chunked.parents)
    assert len({child.key for child in chunked.children}) == len(chunked.children)
    assert {child.parent_key for child in chunked.children} == set(parents)
    for parent in chunked.parents:
        covered = 0
        for child in (child for child in chunked.children if child.parent_key == parent.key):
            assert child.text == child.lead + parent.text[child.start : child.end]
            assert child.heading_path == parent.heading_path
            assert child.text.strip()
            assert not parent.text[covered : child.start].strip()
            assert child.start + child.overlap <= child.end
            if child.overlap:
                assert child.start + child.overlap == covered
                assert child.kind == "text"
            else:
                assert child.start >= covered
            assert child.lead in ("", *[f"{line}\n" for line in _headers(source)])
            covered = child.end
        assert not parent.text[covered:].strip()


def _headers(source: RedactedDocument) -> list[str]:
    return [table_text(item.rows[: item.header_rows]) for item in source.elements if item.kind is ElementKind.TABLE]


@ALL
@LAWS
@given(source=DOCUMENTS, profile=PROFILES)
def test_nothing_is_lost(chunker: ChunkerSpec, source: RedactedDocument, profile: ChunkProfile) -> None:
    chunked = run(chunker, source, profile)
    kept = "\n".join(
        [parent.text for parent in chunked.parents] + [part for p in chunked.parents for part in p.heading_path]
    )
    for item in source.elements:
        if item.kind is ElementKind.HEADING:
            assert " ".join(item.text.split()) in " ".join(kept.split())
        elif item.text.strip():
            assert item.text in kept


@ALL
@LAWS
@given(source=DOCUMENTS, profile=PROFILES)
@pytest.mark.req("D6.11")
def test_exact_index_text_is_within_the_limit(
    chunker: ChunkerSpec, source: RedactedDocument, profile: ChunkProfile
) -> None:
    chunked = run(chunker, source, profile)
    for child in chunked.children:
        heading = heading_line(chunked.title, child.heading_path, profile.max_tokens, COUNT)
        assert COUNT(compose(heading, child.text)) + min(24, profile.max_tokens // 8) <= profile.max_tokens


@ALL
@LAWS
@given(source=DOCUMENTS, profile=PROFILES)
def test_same_input_same_chunks(chunker: ChunkerSpec, source: RedactedDocument, profile: ChunkProfile) -> None:
    renamed = replace(source, uri="s/other name.md")
    assert run(chunker, source, profile) == replace(run(chunker, renamed, profile), uri=source.uri)


@ALL
@LAWS
@given(source=DOCUMENTS, profile=PROFILES)
@pytest.mark.req("D6.28", "D9.3")
def test_locators_hold_the_cited_text(chunker: ChunkerSpec, source: RedactedDocument, profile: ChunkProfile) -> None:
    """In an original of verbatim slices, a child without markers and headings in it is found at its own characters."""
    chunked = run(chunker, source, profile)
    original = "\n\n".join(item.text for item in source.elements)
    lines = original.split("\n")
    for child in chunked.children:
        assert child.locator.char is not None
        assert child.locator.line is not None
        first, last = child.locator.line
        body = child.text[len(child.lead) :]
        if re.search(r"^\s*(1\.|-)", body, re.MULTILINE) is None and child.kind != "list":
            cited = original[slice(*child.locator.char)]
            assert "".join(body.split()) in "".join(cited.split())
            assert "".join(body.split()) in "".join("".join(lines[first - 1 : last]).split())


@ALL
@LAWS
@given(source=DOCUMENTS, number=st.integers(0, 99), new=PROSE.filter(str.strip))
@pytest.mark.req("D11.3", "D10.1")
def test_an_edit_changes_at_most_the_chunks_of_its_parent(
    chunker: ChunkerSpec, source: RedactedDocument, number: int, new: str
) -> None:
    profile = ChunkProfile(max_tokens=128, target_tokens=100, min_tokens=0)
    bodies = [at for at, item in enumerate(source.elements) if item.kind in EDITED and item.text.strip()]
    if not bodies:
        return
    at = bodies[number % len(bodies)]
    edited = replace(source.elements[at], text=new)
    after = document([*source.elements[:at], edited, *source.elements[at + 1 :]], source.metadata.title)
    old, fresh = (_by_parent(run(chunker, each, profile)) for each in (source, after))
    assert (
        sum(
            (
                Counter({parent: len(cut) for parent, cut in old.items()})
                - Counter({parent: len(cut) for parent, cut in fresh.items()})
            ).values()
        )
        <= 1
    )
    for parent in old.keys() & fresh.keys():
        assert {content for content, _ in old[parent][0]} == {content for content, _ in fresh[parent][0]}
        if len(old[parent]) == len(fresh[parent]) == 1 and _alone(old, parent) and _alone(fresh, parent):
            assert old[parent] == fresh[parent]


EDITED = (ElementKind.PARAGRAPH, ElementKind.LIST_ITEM, ElementKind.QUOTE)
Cut = list[tuple[tuple[object, ...], str]]


def _by_parent(chunked: ChunkedDocument) -> dict[tuple[object, ...], list[Cut]]:
    """Content of parents -> content and key of their children, once for each parent of that content."""
    out: dict[tuple[object, ...], list[Cut]] = {}
    for parent in chunked.parents:
        children = [child for child in chunked.children if child.parent_key == parent.key]
        made: Cut = [((child.kind, child.text, child.start), child.key) for child in children]
        out.setdefault((parent.heading_path, parent.text), []).append(made)
    return out


def _alone(parents: Mapping[tuple[object, ...], list[Cut]], parent: tuple[object, ...]) -> bool:
    """Whether no other parent below these headings has a child of the same words: keys count equals."""
    texts = Counter((path, *content[:2]) for (path, _), cuts in parents.items() for cut in cuts for content, _ in cut)
    return all(texts[parent[0], *content[:2]] == 1 for cut in parents[parent] for content, _ in cut)


NAMES = st.sampled_from(["total", "order_line", "count", "retries"])
SIMPLE = st.builds(
    lambda name, number: f"{name} = compute({name}, {number})  # as the contract of {number} says",
    NAMES,
    st.integers(0, 99),
)
COMPOUND = st.builds(
    lambda name, body, other: f"if {name}:\n{indent(body, '    ')}\nelse:\n{indent(other, '    ')}",
    NAMES,
    SIMPLE,
    SIMPLE,
)
BODY = st.lists(st.one_of(SIMPLE, COMPOUND), min_size=1, max_size=25).map("\n".join)
FUNCTION = st.builds(lambda name, body: f"def {name}():\n{indent(body, '    ')}", NAMES, BODY)
CLASS = st.builds(
    lambda methods: "class Thing:\n    state = 1\n\n" + "\n\n".join(indent(m, "    ") for m in methods),
    st.lists(FUNCTION, min_size=1, max_size=4),
)
CODE = st.lists(st.one_of(FUNCTION, CLASS, SIMPLE), min_size=1, max_size=5).map("\n\n\n".join)


@ALL
@LAWS
@given(code=CODE, profile=PROFILES.filter(lambda profile: profile.max_tokens > 64))
@pytest.mark.req("D9.9", "D6.10")
def test_each_piece_of_code_parses(chunker: ChunkerSpec, code: str, profile: ChunkProfile) -> None:
    """Where every statement fits, each chunk is whole statements, whatever they stand in."""
    from tree_sitter_language_pack import get_parser

    source = document([element(ElementKind.CODE, code, language="python")])
    for child in run(chunker, source, profile).children:
        piece = dedent(child.text)
        assert not piece.splitlines()[-1].strip().startswith(("def ", "class ", "if ", "else")), child.text
        assert not get_parser("python").parse(piece.encode()).root_node.has_error, child.text


SENTENCES = {
    "en": ("The valve is opened by Dr. Meier.", "Wait for 3.5 minutes!", "Is the lamp green?", "See fig. 4 for more."),
    "de": ("Die Firma zahlt bzw. erstattet ca. 5 Euro am 3. März.", "Das gilt z. B. für Dr. Meier.", "Stimmt das?"),
    "zh": (
        "员工请假应当提前三天书面申请，经部门经理批准后备案。",
        "可以先电话请假吗？",
        "他说：“可以。”",
        "年假五天；病假十天。",
    ),
}


@ALL
@LAWS
@given(language=st.sampled_from(sorted(SENTENCES)), picks=st.lists(st.integers(0, 99), min_size=1, max_size=60))
@pytest.mark.req("D6.7", "D6.19")
def test_no_sentence_that_fits_is_cut(chunker: ChunkerSpec, language: str, picks: list[int]) -> None:
    known = SENTENCES[language]
    said = ("" if language == "zh" else " ").join(known[pick % len(known)] for pick in picks)
    source = document([element(ElementKind.PARAGRAPH, said)])
    source = replace(source, metadata=replace(source.metadata, language=language))
    for child in run(chunker, source, ChunkProfile(max_tokens=96, target_tokens=70)).children:
        rest = child.text
        while rest:
            begun = next((sentence for sentence in known if rest.startswith(sentence)), None)
            assert begun is not None, child.text
            rest = rest.removeprefix(begun).lstrip()


@ALL
@LAWS
@given(rows=st.integers(30, 90), intro=st.booleans(), target=st.sampled_from([60, 120, 200]))
@pytest.mark.req("D4.13", "D6.9")
def test_tables_are_cut_between_rows_and_repeat_their_header(
    chunker: ChunkerSpec, rows: int, intro: bool, target: int
) -> None:
    header = ("Code", "Meaning", "Action", "Owner")
    cells = (header, *((f"E{n}", f"meaning of number {n}", f"do {n} again", "team") for n in range(rows)))
    table = element(ElementKind.TABLE, table_text(cells), rows=cells, header_rows=1)
    lead_in = [element(ElementKind.PARAGRAPH, "The codes are:")] if intro else []
    chunked = run(chunker, document([*lead_in, table]), ChunkProfile(target_tokens=target))
    assert len(chunked.children) > 1
    whole = set(table_text(cells).split("\n"))
    for child in chunked.children:
        lines = [line for line in child.text.split("\n") if line and line != "The codes are:"]
        assert lines[0] == "Code | Meaning | Action | Owner"
        assert set(lines) <= whole
        assert child.kind == "table"


@ALL
@pytest.mark.parametrize(
    "text",
    [
        "chunk chunk",
        "This is a test, please dont be mad at me. " * 60,
        "Restart the pump. Wait one minute. Open the valve. " * 40,
    ],
)
def test_repeated_text_gets_rising_offsets_and_distinct_keys(chunker: ChunkerSpec, text: str) -> None:
    chunked = run(chunker, document([element(ElementKind.PARAGRAPH, text)]), ChunkProfile())
    starts = [child.start for child in chunked.children]
    assert starts == sorted(set(starts))
    assert len({child.key for child in chunked.children}) == len(starts)
    assert [child.locator.char[0] for child in chunked.children if child.locator.char] == starts


@ALL
@pytest.mark.parametrize(
    "text",
    [
        "这是一个很长的句子，没有空格；请注意。" * 260,
        "这是一个没有标点的句子" * 450,
        "ประเทศไทยรวมเลือดเนื้อ" * 250,
        "x" * 30_000,
    ],
)
def test_text_without_spaces_is_cut(chunker: ChunkerSpec, text: str) -> None:
    chunked = run(chunker, document([element(ElementKind.PARAGRAPH, text)]), ChunkProfile())
    assert len(chunked.children) > 2
    assert max(len(child.text) for child in chunked.children) <= 256 * 8
    assert min(len(child.text) for child in chunked.children) > 20


@ALL
@pytest.mark.parametrize("max_tokens", [64, 128, 256])
def test_long_headings_count_against_the_limit(chunker: ChunkerSpec, max_tokens: int) -> None:
    headings = [
        element(ElementKind.HEADING, f"Section of the very long heading number {n} " * 3, level=n) for n in range(1, 5)
    ]
    body = element(ElementKind.PARAGRAPH, "The pump must be switched off before the valve is opened. " * 30)
    chunked = run(chunker, document([*headings, body]), ChunkProfile(max_tokens=max_tokens))
    for child in chunked.children:
        heading = heading_line(chunked.title, child.heading_path, max_tokens, COUNT)
        assert COUNT(compose(heading, child.text)) <= max_tokens


@ALL
@LAWS
@given(source=DOCUMENTS, profile=PROFILES)
@example(
    source=document([element(ElementKind.LIST_ITEM, "\u2028 name?", marker="1.", level=1),
                     element(ElementKind.PARAGRAPH, "valve")]),
    profile=ChunkProfile(max_tokens=48, target_tokens=40),
)  # fmt: skip
@pytest.mark.req("D7.9", "D7.10")
def test_enriched_chunks_are_within_the_limit_and_invent_nothing(
    chunker: ChunkerSpec, source: RedactedDocument, profile: ChunkProfile
) -> None:
    chunked = chunker.chunk(source, replace(profile, strategy=chunker.name), COUNT)
    enriched = enrich(chunked, profile.max_tokens, COUNT)
    words = " ".join("\n".join(element.text for element in source.elements).casefold().split())
    assert [chunk.text for chunk in enriched.children] == [child.text for child in chunked.children]
    assert len({chunk.key for chunk in enriched.children}) == len(enriched.children)
    for chunk in enriched.children:
        assert chunk.tokens == COUNT(chunk.index_text) <= profile.max_tokens
        assert chunk.content_hash == digest(chunk.index_text)
        assert all(keyword.casefold() in words for keyword in chunk.keywords)
        assert all(entity.value.casefold() in words for entity in chunk.entities)
        title = chunk.title.casefold()
        assert title in words or title in " ".join(chunk.text.casefold().split())
    for parent in enriched.parents:
        assert len(parent.summary) <= 300
        assert parent.summary
