"""Markdown and plain text beyond the golden cases."""

from __future__ import annotations

import pytest

from kprep.core.models import Element, ElementKind, Link, RawDocument
from parsers import PARSERS, parse


def read(source: str, parser: str = "markdown") -> tuple[Element, ...]:
    spec = PARSERS[parser]
    return parse(RawDocument("u", "n", source.encode(), spec.media_types[0]), spec).elements


def kinds(elements: tuple[Element, ...]) -> list[str]:
    return [element.kind.value for element in elements]


@pytest.mark.req("B2.1", "B1.5")
def test_heading_levels() -> None:
    found = read("\n".join(f"{'#' * n} Level {n}" for n in range(1, 8)) + "\n#none\n")
    assert [e.level for e in found if e.kind is ElementKind.HEADING] == [1, 2, 3, 4, 5, 6]


@pytest.mark.req("B2.9", "B2.8")
def test_anchors_are_distinct() -> None:
    found = read("# A B!\n\n# A B\n\n# A B 1\n\n# A B\n\ntext")
    assert [e.locator.anchor for e in found] == ["a-b", "a-b-1", "a-b-1-1", "a-b-2", "a-b-2"]


@pytest.mark.req("B2.8")
def test_a_heading_may_name_its_anchor() -> None:
    found = read("# Filter change {#filter .big}\n\ntext\n\n## Set {a}\n")
    assert [(e.text, e.locator.anchor) for e in found] == [
        ("Filter change", "filter"),
        ("text", "filter"),
        ("Set {a}", "set-a"),
    ]


def test_unclosed_fence_before_another_fence() -> None:
    found = read("```py\nx = 1\n\n## Usage\n\n```bash\nrun\n```\n\n## End\n\nlast")
    assert kinds(found) == ["code", "heading", "code", "heading", "paragraph"]
    assert [e.text for e in found if e.kind is ElementKind.CODE] == ["x = 1", "run"]


def test_comments_in_an_unclosed_fence_stay_code() -> None:
    found = read("```bash\n# install\nmake\n# run\nmake run\n")
    assert kinds(found) == ["code"]
    assert found[0].text == "# install\nmake\n# run\nmake run"


def test_markdown_shown_in_a_markdown_fence_stays_code() -> None:
    assert kinds(read("````md\n## shown\n\n```py\nx\n```\n````\n\nafter")) == ["code", "paragraph"]


@pytest.mark.req("D2.24")
def test_link_targets_stay_as_written() -> None:
    (found,) = read("[a](<b c.md#d>) <https://x.org/\u00fc> [r][1]\n\n[1]: ../e%20f.md")
    assert found.links == (
        Link("a", "b c.md#d"),
        Link("https://x.org/\u00fc", "https://x.org/\u00fc"),
        Link("r", "../e%20f.md"),
    )


@pytest.mark.req("B1.2", "D2.14")
def test_html_in_markdown() -> None:
    found = read('<!-- no -->\n\n<details><summary>More</summary>\nInner <a href="x">link</a></details>\n\nx<br>y')
    assert [e.text for e in found] == ["More", "Inner link", "x\ny"]
    assert found[1].links == (Link("link", "x"),)


def test_html_heading_in_markdown_opens_a_section() -> None:
    found = read('<h1 align="center">The Project</h1>\n\ntext')
    assert [(e.kind.value, e.level, e.locator.anchor) for e in found] == [
        ("heading", 1, "the-project"),
        ("paragraph", 0, "the-project"),
    ]


@pytest.mark.req("D3.9")
def test_rows_of_a_table_say_where_they_begin() -> None:
    source = "# T\n\n> | a | b |\n> |---|---|\n> | 1 | 2 |\n> | 3 | 4 |\n\nend\n"
    table = next(e for e in read(source) if e.rows)
    assert [line for line, _ in table.row_starts] == [3, 5, 6]
    assert [source[char:].partition("\n")[0] for _, char in table.row_starts] == [
        "> | a | b |",
        "> | 1 | 2 |",
        "> | 3 | 4 |",
    ]


def test_html_table_in_markdown() -> None:
    (found,) = read("<table>\n<tr><th>a</th><th>b</th></tr>\n<tr><td>1</td><td>2</td></tr>\n</table>")
    assert (found.kind, found.rows, found.locator.line) == (ElementKind.TABLE, (("a", "b"), ("1", "2")), (1, 4))


def test_footnote_that_looks_like_a_reference_is_kept() -> None:
    assert "Note" in read("text[^1]\n\n[^1]: Note")[-1].text


def test_what_is_nested_too_deep_is_kept_as_lines() -> None:
    assert "deep" in read("> " * 3000 + "deep")[-1].text
    assert "deep" in read("- " * 2000 + "deep")[-1].text


def test_loose_list_keeps_its_paragraphs() -> None:
    found = read("1. one\n\n   more\n\n   ```sh\n   run\n   ```\n2. two\n")
    assert [(e.kind.value, e.level, e.marker, e.text) for e in found] == [
        ("list_item", 1, "1.", "one"),
        ("list_item", 1, "", "more"),
        ("code", 0, "", "run"),
        ("list_item", 1, "2.", "two"),
    ]


def test_plain_text_is_read_with_care() -> None:
    found = read("UPPER CASE\n\n1. one\n2. two\n\n2024 was a year.\n\n| a | b |\n| c | d |\n", "text_plain")
    assert kinds(found) == ["paragraph", "list_item", "list_item", "paragraph", "code"]


def test_plain_text_lists_nest() -> None:
    found = read("- a\n  - b\n    goes on\n- c\n", "text_plain")
    assert [(e.level, e.text) for e in found] == [(1, "a"), (2, "b\ngoes on"), (1, "c")]


@pytest.mark.req("D2.14")
def test_cells_beyond_the_header_are_kept() -> None:
    source = "> | a | b |\n> |---|---|\n> | 1 | 2 | [three](x.md) and `4` | |\n> | 5 | 6 |\n"
    raw = RawDocument("s/a.md", "a.md", source.encode(), "text/markdown")
    (table,) = parse(raw, PARSERS["markdown"]).elements
    assert table.rows == (("a", "b", "", ""), ("1", "2", "three and 4", ""), ("5", "6", "", ""))
    assert [link.target for link in table.links] == ["x.md"]


def test_tags_amid_a_line_join_no_words() -> None:
    written = (
        "Set 10<sup>2</sup>, x<sub>i</sub>y, 1<sup>st</sup>, ~~old~~new <kbd>Ctrl</kbd><kbd>C</kbd> end.<sup>1</sup>"
    )
    assert [e.text for e in read(f"{written}\n\n<p>10<sup>2</sup></p>\n")] == [
        "Set 10^2, x_i y, 1st, old new Ctrl C end.[1]",
        "10^2",
    ]


def test_citations_open_at_words_that_tags_interrupt() -> None:
    text = "Set 10<sup>2</sup> of <kbd>Ctrl</kbd> here.\n"
    (said,) = read(text)
    assert "Set 102 of Ctrl here." in PARSERS["markdown"].quote(text.encode(), said.locator)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ('See ![the hall](x.png "Hall 3 in 2026").', "See the hall (Hall 3 in 2026)."),
        ('![](x.png "Hall 3")', "Hall 3"),
        ('![Hall 3](x.png "Hall 3")', "Hall 3"),
        ("![Hall 3][a]\n\n[a]: x.png 'From above'", "Hall 3"),
    ],
)
def test_titles_of_pictures_are_told(source: str, text: str) -> None:
    assert read(source)[0].text == text
