"""Sections and children of hand-made documents."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from pydantic import ValidationError

from chunking import chunk
from chunking.atoms import sentences
from chunking.layout import citable_together
from kprep.config import ProfileConfig
from kprep.core.errors import ChunkingError, ConfigError
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
from kprep.sentences import sentence_spans

LINE = Locator(line=(1, 1))
LONG = "The pump must be switched off before the valve is opened by the operator on duty in the control room. " * 2


def count(text: str) -> int:
    """Words and two special tokens: enough where the tokenizer is not the point."""
    return len(text.split()) + 2


def heading(text: str, level: int = 1) -> Element:
    return Element(ElementKind.HEADING, text, LINE, level=level)


def paragraph(text: str, locator: Locator = LINE, links: tuple[Link, ...] = ()) -> Element:
    return Element(ElementKind.PARAGRAPH, text, locator, links=links)


def item(text: str, marker: str = "-", level: int = 1) -> Element:
    return Element(ElementKind.LIST_ITEM, text, LINE, marker=marker, level=level)


def code(text: str) -> Element:
    return Element(ElementKind.CODE, text, LINE, language="python")


def table(*rows: tuple[str, ...]) -> Element:
    return Element(ElementKind.TABLE, table_text(rows), LINE, rows=rows, header_rows=1)


def cut(*elements: Element, title: str = "", **sizes: Any) -> ChunkedDocument:
    metadata = DocumentMetadata(title=title)
    document = RedactedDocument("s/file-name.md", "text/markdown", "md", elements, (), metadata, (), ())
    return chunk(document, ChunkProfile(**sizes), count)


def paths(chunked: ChunkedDocument) -> list[tuple[str, ...]]:
    return [parent.heading_path for parent in chunked.parents]


@pytest.mark.req("D6.2", "D3.3", "D2.12")
def test_parents_follow_the_headings() -> None:
    chunked = cut(
        paragraph(LONG),
        heading("A"),
        paragraph(LONG),
        heading("B", 3),
        paragraph(LONG),
        heading("C", 2),
        paragraph(LONG),
    )
    assert paths(chunked) == [(), ("A",), ("A", "B"), ("A", "C")]
    assert chunked.title == "A"


def test_the_title_is_never_the_file_name() -> None:
    assert cut(paragraph(LONG), heading("Sub", 2), paragraph(LONG)).title == ""
    assert cut(heading("Own"), paragraph(LONG), title="Given").title == "Given"


def test_a_heading_without_body_joins_the_path_of_the_next_section() -> None:
    chunked = cut(
        heading("T"),
        paragraph(LONG),
        heading("Empty", 2),
        heading("Full", 2),
        paragraph(LONG),
        heading("Next", 2),
        paragraph(LONG),
    )
    assert paths(chunked) == [("T",), ("T", "Empty", "Full"), ("T", "Next")]


def test_headings_at_the_end_become_text() -> None:
    chunked = cut(heading("A"), paragraph(LONG), heading("Last", 2), heading("Very last", 3))
    assert paths(chunked) == [("A",)]
    assert chunked.parents[0].text.endswith("Last\n\nVery last")


def test_a_document_of_headings_gives_chunks() -> None:
    chunked = cut(heading("One"), heading("Two", 2), heading("Three"))
    assert [child.text for child in chunked.children] == ["One\n\nTwo\n\nThree"]


def test_a_document_without_text_is_refused() -> None:
    with pytest.raises(ChunkingError):
        cut(paragraph("  \n"))


def test_an_answer_stays_alone_with_its_question() -> None:
    short = paragraph("Within five days.")
    chunked = cut(heading("FAQ"), heading("When?", 2), short, heading("何时？", 2), short, heading("A", 2), short,
                  heading("B", 2), short)  # fmt: skip
    assert paths(chunked) == [("FAQ", "When?"), ("FAQ", "何时？"), ("FAQ",)]


@pytest.mark.req("D6.7")
def test_a_question_and_its_answer_are_a_chunk_of_their_own() -> None:
    pairs = ["Q: Who may reset it?\nA: The shift leader.", "How do I pay?\nBy card.", "What does it cost?"]
    chunked = cut(
        paragraph("Before you ask:"), *map(paragraph, pairs), paragraph("Eight euro."), code("pay --now"),
        paragraph("Where is it?"), item("in the hall"), item("on the roof"),
    )  # fmt: skip
    assert [child.text for child in chunked.children] == [
        "Before you ask:", pairs[0], pairs[1], "What does it cost?\n\nEight euro.\n\npay --now",
        "Where is it?\n\n- in the hall\n- on the roof",
    ]  # fmt: skip
    for alone in ([paragraph("Why? Because."), paragraph("Is it?")], [item("Who?"), item("When?"), item("Where?")]):
        assert len(cut(*alone, paragraph(LONG)).children) == 1
    speech = [paragraph(text) for text in (*pairs[1:], "Eight.", *["Nobody asks here."] * 8)]
    assert len(cut(*speech).children) == 1
    said = [replace(paragraph(text), locator=Locator(time=(n, n + 1.0))) for n, text in enumerate(pairs * 2)]
    assert len(cut(*said).children) == 1


@pytest.mark.req("D6.8", "D6.19")
def test_the_command_of_a_step_stays_with_it() -> None:
    steps = [part for n in (1, 2, 3) for part in (item(f"Start pump {n} with", f"{n}."), code(f"pump start {n}"))]
    (whole,) = cut(paragraph("Do this:"), *steps, item("Wait.", "4.")).children
    assert whole.kind == "list"
    long = cut(item("Run this program:", "1."), code("x = 1  # and so on\n" * 25), item("Wait.", "2."))
    assert [child.kind for child in long.children] == ["code", "list"]
    assert long.children[0].text.startswith("1. Run this program:\n\nx = 1")


@pytest.mark.req("D2.6")
def test_a_list_of_goods_by_code_explains_no_errors() -> None:
    goods = cut(table(("Code", "Description", "Price"), *((f"P-{n:03}", "bolt", "1") for n in range(5))))
    assert [child.fragment for child in goods.children] == [""]
    for head in (("Code", "Meaning"), ("Status", "When"), ("Fehler", "Was tun")):
        errors = cut(table(head, *((f"E-{n:03}", "broken") for n in range(5))))
        assert [child.fragment for child in errors.children] == ["error"] * 5


@pytest.mark.req("D6.11", "D6.12")
@pytest.mark.parametrize(
    ("language", "words", "characters"), [("en", 30, None), ("de", None, 90), ("zh", None, 150), ("th", None, None)]
)
def test_sizes_by_language_in_words_or_characters(language: str, words: int | None, characters: int | None) -> None:
    target = {"en": (30, "words"), "zh": (150, "characters"), "de": (90, "characters"), "*": (30, "words")}
    said = "这是第一句话。" if language in ("zh", "th") else "The pump has a very long and thick pipe today. "
    elements = tuple(paragraph(said * 2 + str(n)) for n in range(60))
    document = RedactedDocument("s/a", "text/plain", "text", elements, (), DocumentMetadata(language=language), (), ())
    profile = ChunkProfile(max_tokens=200, target_tokens=100, target=target)
    children = chunk(document, profile, lambda text: len(text) // 2 + 2).children[:-1]
    sizes = [len(child.text.split()) if words else len("".join(child.text.split())) for child in children]
    most = words or characters
    if most:
        assert most // 2 <= min(sizes) <= max(sizes) <= most
    else:  # words do not count in Thai: tokens, as before
        assert max(sizes) > 150


def test_small_siblings_are_joined_and_keep_their_headings() -> None:
    sections = [part for n in range(30) for part in (heading(f"Setting {n}", 2), paragraph(f"Short line {n}."))]
    chunked = cut(heading("Settings"), paragraph(LONG), *sections)
    small = [child for child in chunked.children if child.heading_path == ("Settings",)][1:]
    assert 1 <= len(small) <= 12
    assert min(count(child.text) for child in small) >= 12
    assert "".join(small[0].text.split()).startswith("Setting0Shortline0.Setting1")


def test_a_small_section_with_code_or_a_table_keeps_its_heading() -> None:
    parts = [
        heading("Linux", 2), code("apt install x"), heading("Mac", 2), paragraph("Use:"), code("brew install x"),
        heading("Keys", 2), table(("Key", "Value"), ("a", "b")), heading("End", 2), paragraph("Done."),
    ]  # fmt: skip
    chunked = cut(heading("Install"), paragraph(LONG), *parts)
    assert [child.heading_path[1:] for child in chunked.children] == [(), ("Linux",), ("Mac",), ("Keys",), ("End",)]


@pytest.mark.req("D6.19")
def test_unrelated_sections_are_not_glued_together() -> None:
    chunked = cut(
        heading("Leave"),
        paragraph(LONG),
        heading("Travel"),
        paragraph("See below."),
        heading("By train", 2),
        paragraph(LONG),
    )
    assert paths(chunked) == [("Leave",), ("Travel",), ("Travel", "By train")]
    for child in chunked.children:
        assert not ("See below." in child.text and "pump" in child.text)


@pytest.mark.req("D6.19", "D6.8")
def test_an_introduction_stays_with_the_first_step_and_steps_keep_numbers() -> None:
    steps = [item(f"Press button number {n} and wait for the lamp to turn green again.", f"{n}.") for n in range(1, 40)]
    chunked = cut(
        heading("H"), paragraph(LONG), paragraph("Proceed as follows:"), *steps, max_tokens=96, target_tokens=70
    )
    first = next(child for child in chunked.children if "Proceed" in child.text)
    assert "1. Press button number 1 " in first.text
    assert {child.kind for child in chunked.children} == {"text", "list"}
    assert all(child.text[0].isdigit() for child in chunked.children if child.kind == "list" and child is not first)


def test_tables_and_code_stand_alone_with_their_introduction_and_note() -> None:
    chunked = cut(
        paragraph(LONG),
        paragraph("The codes:"),
        table(("Code", "Meaning"), ("E1", "broken")),
        paragraph("Note: E1 is rare."),
        paragraph(LONG),
        paragraph("Run this:"),
        code("x = 1"),
        paragraph(LONG),
    )
    assert [child.kind for child in chunked.children] == ["text", "table", "text", "code", "text"]
    assert chunked.children[1].text == "The codes:\n\nCode | Meaning\nE1 | broken\n\nNote: E1 is rare."
    assert chunked.children[3].text == "Run this:\n\nx = 1"
    assert chunked.children[3].code_language == "python"


def test_a_note_stays_with_what_it_notes() -> None:
    chunked = cut(
        *[paragraph(f"{LONG}{n}") for n in range(6)],
        paragraph("Warning: hot surface."),
        max_tokens=64,
        target_tokens=44,
    )
    assert chunked.children[-1].text.endswith("5\n\nWarning: hot surface.")


@pytest.mark.req("D6.10", "D9.9")
def test_code_is_cut_between_functions() -> None:
    functions = [
        f"def step_{n}(x):\n    y = x + {n}\n\n    if y > 3:\n        return y\n    return y * 2" for n in range(30)
    ]
    chunked = cut(code("\n\n\n".join(functions)), max_tokens=96, target_tokens=60)
    assert len(chunked.children) > 3
    for child in chunked.children:
        assert child.text.startswith("def step_")
        assert child.text.endswith("return y * 2")


def test_a_function_over_the_limit_is_cut_at_line_ends_and_keeps_its_indentation() -> None:
    body = "\n".join(f"    value_{n} = compute(value_{n - 1}, factor={n})  # step" for n in range(1, 80))
    chunked = cut(code(f"def big():\n{body}\n"), max_tokens=96, target_tokens=60)
    assert len(chunked.children) > 3
    assert all(child.text.startswith(("def big", "    value_")) for child in chunked.children)
    assert all(child.text.endswith("# step") for child in chunked.children)


def test_a_row_over_the_limit_is_cut_inside_its_cells_under_its_header() -> None:
    chunked = cut(table(("Code", "Meaning"), ("E1", "word " * 300), ("E2", "short")), max_tokens=96)
    assert len(chunked.children) > 3
    assert all(child.lead == "Code | Meaning\n" for child in chunked.children[1:])
    assert chunked.children[-1].text.endswith("E2 | short")


@pytest.mark.req("D6.16")
@pytest.mark.parametrize("place", [Locator(time=(0.0, 2.0)), Locator(message="m1")])
def test_what_was_said_at_a_time_of_its_own_is_not_repeated(place: Locator) -> None:
    said = paragraph(" ".join(f"In sentence {number} she says a little more." for number in range(12)), place)
    chunked = cut(said, max_tokens=64, target_tokens=40, min_tokens=0, overlap_sentences=1)
    assert len(chunked.children) > 1
    assert all(child.overlap == 0 for child in chunked.children)


def test_overlap_repeats_whole_boundary_sentences_of_text_only() -> None:
    sentences = " ".join(f"Sentence number {n} says something about pumps." for n in range(40))
    chunked = cut(
        paragraph(sentences), code("x = 1\n" * 30), max_tokens=64, target_tokens=40, min_tokens=0, overlap_sentences=1
    )
    texts = [child for child in chunked.children if child.kind == "text"]
    assert [child.overlap > 0 for child in texts] == [False] + [True] * (len(texts) - 1)
    for before, after in pairwise(texts):
        assert before.text.endswith(after.text[: after.overlap].strip())
    assert all(child.overlap == 0 for child in chunked.children if child.kind == "code")


def test_places_are_narrowed_to_the_slice_of_the_original() -> None:
    lines = [f"Line {n} of the paragraph tells about valves and pumps." for n in range(40)]
    text = "\n".join(lines)
    chunked = cut(paragraph(text, Locator(line=(11, 50), char=(100, 100 + len(text)))), max_tokens=64, target_tokens=40)
    assert len(chunked.children) > 3
    for child in chunked.children:
        assert child.locator.char == (100 + child.start, 100 + child.end)
        first, last = child.locator.line or (0, 0)
        assert child.text == "\n".join(lines[first - 11 : last - 10])


def test_places_stay_whole_where_the_text_is_not_a_slice() -> None:
    text = "Many words here. " * 100
    place = Locator(page=3, line=(1, 9), char=(0, 5000))
    assert {child.locator for child in cut(paragraph(text, place), max_tokens=64).children} == {place}


@pytest.mark.req("D3.8")
def test_places_in_one_long_line_with_markup_are_narrow_and_hold_the_words() -> None:
    source = "".join(f"Sentence {n} has **words** and asks ann{n:03}@example.org twice. " for n in range(200)).strip()
    text = re.sub(r"ann\d+@example\.org", "<EMAIL_12ab9f>", source).replace("**", "")
    chunked = cut(paragraph(text, Locator(line=(1, 1), char=(0, len(source)))), max_tokens=64)
    assert len(chunked.children) > 20
    for child in chunked.children:
        first, last = child.locator.char or (0, 0)
        found = source[first:last].replace("**", "")
        assert all(part.strip() in found for part in child.text.split("<EMAIL_12ab9f>"))
    middle = next(c for c in chunked.children if "Sentence 3 " in c.text).locator.char or (0, 0)
    assert middle[1] - middle[0] < len(source) // 2


@pytest.mark.req("D3.9")
def test_rows_are_cited_by_where_they_begin() -> None:
    rows = (("Name", "Value"), *((f"name {n}", "some words to fill the row") for n in range(2, 61)))
    starts = ((11, 100), *((n + 11, n * 200) for n in range(2, 61)))
    place = Locator(line=(11, 71), char=(100, 12_200))
    children = cut(replace(table(*rows), locator=place, row_starts=starts), max_tokens=64).children
    assert len(children) > 3
    places = [child.locator for child in children]
    assert places[0].line == (11, 12 + len(children[0].text.split("\n")) - 1)
    assert [c.line for c in places[1:]] == [
        (a.line[1] + 1, b.line[1]) for a, b in pairwise(places) if a.line and b.line
    ]
    assert [c.char for c in places[1:]] == [(a.char[1], b.char[1]) for a, b in pairwise(places) if a.char and b.char]
    assert places[-1].char == (places[-2].char[1] if places[-2].char else 0, 12_200)


@pytest.mark.req("D3.9")
def test_rows_of_a_table_over_pages_are_cited_by_their_own_pages() -> None:
    rows = (("Name", "Value"), *((f"name {n}", "some words to fill the row") for n in range(1, 91)))
    pages = tuple(Locator(page=1 + n // 30, page_label="i ii iii iv".split()[n // 30]) for n in range(91))
    place = Locator(page=1, page_end=4, page_label="i", page_end_label="iv")
    found = cut(replace(table(*rows), locator=place, row_places=pages), max_tokens=64)
    assert len(found.children) > 20
    for child in found.children:
        numbers = [int(line.split(" | ")[0].removeprefix("name ")) for line in child.text.split("\n")[1:]]
        first, last = 1 + numbers[0] // 30, 1 + numbers[-1] // 30
        assert (child.locator.page, child.locator.page_end or child.locator.page) == (first, last)
        assert child.locator.page_label == "i ii iii iv".split()[first - 1]
    assert found.parents[0].locator == place


def test_places_run_through_the_elements_a_child_covers() -> None:
    chunked = cut(paragraph("One.", Locator(page=1)), paragraph("Two.", Locator(page=2)))
    assert chunked.children[0].locator == Locator(page=1, page_end=2)


@pytest.mark.req("D6.5", "D2.13")
def test_slides_are_parents_with_or_without_a_title() -> None:
    def on(slide: int, element: Element) -> Element:
        return replace(element, locator=Locator(slide=slide))

    chunked = cut(
        on(1, heading("Deck")), on(1, paragraph("Welcome.")), on(2, heading("Plan", 2)), on(2, paragraph("Short.")),
        on(3, paragraph("No title here.")), on(4, heading("End", 2)), on(4, paragraph("Bye.")),
    )  # fmt: skip
    assert paths(chunked) == [("Deck",), ("Deck", "Plan"), ("Deck",), ("Deck", "End")]
    assert [child.locator for child in chunked.children] == [Locator(slide=n) for n in (1, 2, 3, 4)]


@pytest.mark.parametrize("field", ["cell", "anchor"])
def test_no_child_spans_places_that_one_locator_cannot_cite(field: str) -> None:
    texts = [paragraph("See:"), code("x = 1"), paragraph("Note: short."), paragraph("And more.")]
    elements = [replace(text, locator=Locator.from_json({field: str(n)})) for n, text in enumerate(texts)]
    assert [child.text for child in cut(*elements).children] == [text.text for text in texts]
    if field == "anchor":
        lined = [replace(e, locator=replace(e.locator, line=(n, n))) for n, e in enumerate(elements, 1)]
        assert len(cut(*lined).children) == 2


@pytest.mark.req("D3.8")
def test_rows_of_a_sheet_are_cited_by_their_cells() -> None:
    rows = [("Name", "Value"), *[(f"name {n}", "some words to fill the row") for n in range(2, 61)]]
    starts = tuple((number, 0) for number in range(1, 61))
    sheet = replace(table(*rows), locator=Locator(sheet="S", cell="A1:B60"), row_starts=starts)
    children = cut(sheet, max_tokens=64).children
    assert len(children) > 3
    at = 1
    for child in children:
        count_of_rows = len(child.text[len(child.lead) :].split("\n"))
        assert child.locator == Locator(sheet="S", cell=f"A{at}:B{at + count_of_rows - 1}")
        at += count_of_rows
    numbered = tuple(Locator(row=number) for number in range(1, 61))
    listed = cut(replace(table(*rows), locator=Locator(row=1), row_places=numbered), max_tokens=64).children
    assert [child.locator.row for child in listed] == [
        int((c.locator.cell or "A0").split(":")[0][1:]) for c in children
    ]


@pytest.mark.req("D3.8")
def test_rows_below_a_repeated_header_of_a_sheet_are_cited_by_their_own_cells() -> None:
    rows = [("Site", "Plan"), ("", "2024"), *[(f"site {n}", "some words to fill the row") for n in range(1, 51)]]
    numbers = [*range(102, 127), *range(128, 153)]  # row 127 is blank
    starts = ((1, 0), (2, 0), *((number, 0) for number in numbers))
    place = Locator(sheet="S", cell="A102:B152")
    sheet = replace(table(*rows), locator=place, row_starts=starts, header_rows=2)
    children = cut(sheet, max_tokens=64).children
    assert len(children) > 3
    for child in children:
        said = [int(line.split(" | ")[0].removeprefix("site ")) for line in child.text.split("\n") if "site" in line]
        first, last = numbers[said[0] - 1], numbers[said[-1] - 1]
        assert child.locator == Locator(sheet="S", cell=f"A{first}:B{last}")


@pytest.mark.req("D4.13")
def test_chunks_know_the_header_of_their_table() -> None:
    rows = [("Site", "Plan"), ("", "2024"), *[(f"site {n}", "some words to fill the row") for n in range(1, 51)]]
    sheet = Locator(sheet="S", cell="A1:B52")
    headed = cut(replace(table(*rows), header_rows=2), max_tokens=64).children
    assert {child.header_rows for child in headed} == {2}
    bare = cut(replace(table(*rows), header_rows=0, locator=sheet), max_tokens=64).children
    assert {child.header_rows for child in bare} == {0}
    unknown = cut(paragraph(LONG), replace(table(*rows), header_rows=0), max_tokens=64).children
    assert {child.header_rows for child in unknown} == {None}


@pytest.mark.req("D2.4", "D2.6", "D6.3")
def test_the_openapi_strategy_joins_nothing() -> None:
    errors = [part for n in range(5) for part in (heading(f"ERR_{n}", 2), paragraph(f"Meaning {n}."))]
    chunked = cut(heading("Errors"), paragraph(LONG), *errors, strategy="openapi")
    assert [child.text for child in chunked.children[1:]] == [f"Meaning {n}." for n in range(5)]


@pytest.mark.req("D2.24")
def test_links_go_with_the_piece_that_holds_their_words() -> None:
    early, late = Link("first guide", "/a"), Link("last guide", "/b")
    text = "Read the first guide now. " + "Filler sentence here. " * 60 + "Then read the last guide."
    children = cut(paragraph(text, links=(early, late)), max_tokens=64).children
    assert children[0].links == (early,)
    assert children[-1].links == (late,)


@pytest.mark.parametrize(
    "sizes", [{"max_tokens": 8}, {"target_tokens": -1}, {"min_tokens": -1}, {"overlap_sentences": -1}]
)
def test_impossible_sizes_are_refused(sizes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        cut(paragraph(LONG), **sizes)


def test_an_unknown_strategy_is_refused() -> None:
    document = RedactedDocument("s/a", "text/plain", "text", (paragraph(LONG),), (), DocumentMetadata(), (), ())
    with pytest.raises(ConfigError, match="nonsense"):
        chunk(document, ChunkProfile(strategy="nonsense"), count)


def test_a_smaller_limit_gives_smaller_chunks() -> None:
    elements = [paragraph(f"{LONG}{n}") for n in range(20)]
    sizes = {
        most: max(count(child.text) for child in cut(*elements, max_tokens=most).children) for most in (64, 128, 256)
    }
    assert sizes[64] < sizes[128] < sizes[256]


@pytest.mark.req("D6.12", "D11.3")
def test_an_edit_inside_a_long_section_changes_few_chunks() -> None:
    paragraphs = [f"Paragraph {n * 7919 % 1000} is about topic {n * 104729 % 997}. " * (2 + n % 4) for n in range(120)]
    before = cut(*[paragraph(text) for text in paragraphs])
    keys = {child.key for child in before.children}
    for at in (5, 50, 100):
        edited = [*paragraphs[:at], "Quite new words stand here instead of the old ones.", *paragraphs[at + 1 :]]
        after = cut(*[paragraph(text) for text in edited])
        assert len({child.key for child in after.children} - keys) <= 4


def test_items_nested_without_end_are_not_indented_without_end() -> None:
    made = cut(item("outer"), item("inner", level=3000))
    assert made.children[0].text.startswith("- outer\n")
    assert len(made.children[0].text) < 60


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("de", ["Das kostet bzw. spart ca. 5 Euro am 3. März.", "Danach nichts."]),
        ("zh-CN", ["这是第一句。", "第二句！", "第三句？"]),
        ("ja", ["これは文です。", "次の文もあります。"]),
        ("th", ["กรุณาปิดปั๊มก่อนเปิดวาล์ว", "รอ 5 นาที", "แล้วทำซ้ำบ่อย ๆ ในตอนเช้า"]),
    ],
)
def test_sentences_follow_the_language(language: str, parts: list[str]) -> None:
    said = (" " if language in ("de", "th") else "").join(parts)
    assert [said[start:end] for start, end in sentence_spans(said, language)] == parts


def test_sentences_of_a_text_longer_than_one_stretch_are_all_there() -> None:
    said = "".join(f"Valve {number} is closed. " for number in range(2000))
    spans = sentences(said, 0, len(said), "en")
    assert [said[start:end] for start, end in spans] == [f"Valve {number} is closed." for number in range(2000)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("180", "is no size"), ("0 words", "is no size"), ({"zh": "180 words"}, "give its size in characters"),
        ({"english": "180 words"}, "is no language code"), (["180 words"], "give a size"),
    ],
)  # fmt: skip
def test_a_size_that_cannot_be_read_is_refused(given: Any, said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        ProfileConfig(target=given)
    assert ProfileConfig(target="180 words").target == {"*": (180, "words")}  # type: ignore[arg-type]


def test_a_chunk_stays_in_one_file_of_a_book() -> None:
    one, same = Locator(line=(4, 5), anchor="one.xhtml#"), Locator(line=(8, 9), anchor="one.xhtml#rules")
    other = Locator(line=(6, 7), anchor="two.xhtml#")
    assert citable_together(one, same)
    assert not citable_together(one, other)
