"""Charts of Office files: which number belongs to which series and place."""

from __future__ import annotations

import pytest

from kprep.core.models import Locator
from parsers.docx_charts import chart_elements
from parsers.docx_xml import xml_root


def points(*texts: str, kind: str = "") -> str:
    held = "".join(f'<pt idx="{n}"><v>{text}</v></pt>' for n, text in enumerate(texts) if text)
    return f"<{kind}>{held}</{kind}>" if kind else held


def series(name: str = "", **parts: str) -> str:
    said = f"<tx>{name}</tx>" if name else ""
    return f"<ser>{said}{''.join(f'<{kind}>{held}</{kind}>' for kind, held in parts.items())}</ser>"


def drawn(kind: str, *inner: str, axes: tuple[int, ...] = ()) -> str:
    ids = "".join(f'<axId val="{number}"/>' for number in axes)
    return f"<{kind}>{''.join(inner)}{ids}</{kind}>"


def axis(kind: str, number: int, title: str = "") -> str:
    said = f"<title><tx><rich><p><r><t>{title}</t></r></p></rich></tx></title>" if title else ""
    return f'<{kind}><axId val="{number}"/>{said}</{kind}>'


def tables(*inner: str, title: str = "") -> list[tuple[tuple[str, ...], ...]]:
    root = xml_root(
        f"<chartSpace><chart>{title}<plotArea>{''.join(inner)}</plotArea></chart></chartSpace>".encode(), "x"
    )
    found = chart_elements(root, Locator(slide=1))
    assert all(element.header_rows == 1 for element in found if element.rows)
    return [element.rows or ((element.text,),) for element in found]


NAME = "<strRef><strCache>{}</strCache></strRef>"


@pytest.mark.req("D4.13")
def test_series_of_a_scatter_have_their_own_places() -> None:
    one = series("<v>Pump A</v>", xVal=points("1", "2"), yVal=points("10", "20"))
    other = series("<v>Pump B</v>", xVal=points("100", "200"), yVal=points("7", "8"))
    third = series("<v>Pump C</v>", xVal=points("100", "200"), yVal=points("9", "3"))
    found = tables(
        drawn("scatterChart", one, other, third, axes=(1, 2)), axis("valAx", 1, "Flow"), axis("valAx", 2, "Head")
    )
    assert found == [
        (("Flow", "Pump A (Head)"), ("1", "10"), ("2", "20")),
        (("Flow", "Pump B (Head)", "Pump C (Head)"), ("100", "7", "9"), ("200", "8", "3")),
    ]


@pytest.mark.req("D4.13")
def test_bubbles_keep_their_sizes() -> None:
    bubbles = series("<v>Site</v>", xVal=points("1"), yVal=points("2"), bubbleSize=points("33"))
    assert tables(drawn("bubbleChart", bubbles)) == [(("", "Site", "Site (size)"), ("1", "2", "33"))]


@pytest.mark.req("D4.13")
def test_columns_are_named_as_series_and_axes_are() -> None:
    bars = series(NAME.format(points("Sales")), cat=points("May", "June"), val=points("4", "5"))
    line = series("<v>Share</v>", val=points("40", "50"))
    found = tables(
        drawn("barChart", bars, axes=(11, 12)),
        drawn("lineChart", line, axes=(23, 24)),
        axis("valAx", 12, "in MEUR"),
        axis("catAx", 11, "Month"),
        axis("catAx", 23),
        axis("valAx", 24, "in %"),
        title=f"<title><tx>{NAME.format(points('From a cell'))}</tx></title>",
    )
    assert found == [
        (("From a cell",),),
        (("Month", "Sales (in MEUR)", "Share (in %)"), ("May", "4", "40"), ("June", "5", "50")),
    ]
    assert tables(drawn("pieChart", series(val=points("1"))), axis("valAx", 3, "far")) == [(("", ""), ("", "1"))]


def test_categories_in_levels_say_those_above_them() -> None:
    inner, outer = points("Jan", "Feb", "Jan", kind="lvl"), points("2023", "", "2024", kind="lvl")
    found = tables(drawn("barChart", series("<v>a</v>", cat=inner + outer, val=points("1", "2", "3"))))
    assert found == [(("", "a"), ("2023 / Jan", "1"), ("2023 / Feb", "2"), ("2024 / Jan", "3"))]
