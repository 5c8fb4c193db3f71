"""What stands beside the text: anchors, sheets, message ids, names of files, alt text, code and JSON in it."""

import json
from dataclasses import replace

import pytest

from kprep.core.errors import SecretFound
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Link, Locator, Removal, table_text
from redaction import RedactionPolicy, Redactor

REDACTOR = Redactor(RedactionPolicy(), b"0123456789abcdef", "acme")


def document(*elements: Element, removals: tuple[Removal, ...] = ()) -> CleanDocument:
    return CleanDocument("s/a", "text/html", "html", elements, (), DocumentMetadata(), removals)


@pytest.mark.req("D5.5")
def test_an_anchor_made_from_a_value_is_left_out() -> None:
    place = Locator(line=(3, 3), anchor="about-annaacmeio-467-3395")
    elements = (
        Element(ElementKind.HEADING, "About anna@acme.io, phone 467 3395", place, level=1),
        Element(ElementKind.PARAGRAPH, "Text.", Locator(anchor="about-annaacmeio-467-3395")),
        Element(ElementKind.PARAGRAPH, "Text.", Locator(line=(9, 9), anchor="pumps")),
    )
    removal = Removal("copyright", place, "0" * 64, 4)
    result = REDACTOR.redact(document(*elements, removals=(removal,)))
    assert "annaacmeio" not in repr(result)
    assert [item.locator for item in result.elements] == [
        Locator(line=(3, 3)),
        Locator(),
        Locator(line=(9, 9), anchor="pumps"),
    ]
    assert result.removals[0].locator == Locator(line=(3, 3))
    assert {item.locator for item in result.redactions} == {Locator(line=(3, 3))}


def test_sheets_and_message_ids_that_tell_a_value_are_left_out() -> None:
    place = Locator(sheet="anna@acme.io", sheet_number=2, cell="A1", message="7", message_end="<41.anna@acme.io>")
    result = REDACTOR.redact(document(Element(ElementKind.PARAGRAPH, "x", place)))
    assert result.elements[0].locator == Locator(sheet_number=2, cell="A1")
    assert result.elements[0].locator.to_json() == {"sheet_number": 2, "cell": "A1"}
    assert Locator(sheet="Pumps", sheet_number=2).to_json() == {"sheet": "Pumps"}
    assert "acme" not in repr(result)
    again = CleanDocument("s/a", "text/html", "html", result.elements, (), result.metadata, ())
    assert REDACTOR.redact(again).elements == result.elements


def test_the_place_of_a_secret_is_its_line() -> None:
    text = "import os\n\npassword = 'Winter2023!'\nprint()"
    code = Element(ElementKind.CODE, text, Locator(line=(10, 13), char=(90, 90 + len(text))))
    with pytest.raises(SecretFound) as caught:
        REDACTOR.redact(document(code))
    assert caught.value.context["locator"] == {"line": [12, 12]}
    rows = (("Name", "Password"), ("a", "none"), ("b", "Winter2023!"))
    place = Locator(line=(1, 5), char=(0, 60))
    table = Element(ElementKind.TABLE, table_text(rows), place, rows=rows, header_rows=1)
    for known in (
        replace(table, row_starts=((1, 0), (3, 20), (5, 40))),
        replace(table, row_places=tuple(Locator(line=(n, n), char=(n * 10 - 10, n * 10)) for n in (1, 3, 5))),
    ):
        with pytest.raises(SecretFound) as caught:
            REDACTOR.redact(document(known))
        assert caught.value.context["locator"]["line"] == [5, 5]


def test_the_place_of_a_secret_names_no_value() -> None:
    place = Locator(line=(1, 1), anchor="about-annaacmeio")
    element = Element(ElementKind.HEADING, "anna@acme.io password: Winter2023!", place)
    with pytest.raises(SecretFound) as caught:
        REDACTOR.redact(document(element))
    assert caught.value.context["locator"] == {"line": [1, 1]}


@pytest.mark.parametrize(
    ("uri", "kinds"),
    [
        ("hr/anna.roe@acme.io.pdf", ["EMAIL"]),
        ("hr/anna.roe%40acme.io/x.pdf", ["EMAIL"]),
        ("scans/110101199003074514.pdf", ["CN_ID"]),
        ("scans/ssn_123-45-6789.pdf", ["US_SSN"]),
        ("tel_+49 30 12345678.txt", ["PHONE"]),
        ("docs/2024-01-02_release-1.2.3.md", []),
        ("docs/section-4/pump_manual_v10.2.pdf", []),
        ("docs/100% sure.md", []),
        ("docs/50%2Goff, %E4%, call %2B49 30 12345678.md", ["PHONE"]),
        ("a/3f786850e387550fdab836ed7e6dc881de23001b.txt", []),
    ],
)
def test_names_of_files_are_scanned(uri: str, kinds: list[str]) -> None:
    assert [kind for kind, _, _ in REDACTOR.scan_name(uri)] == kinds
    assert all(0 <= start < end <= len(uri) for _, start, end in REDACTOR.scan_name(uri))


@pytest.mark.parametrize(
    "code",
    [
        "# ask anna@acme.io\nrun()",
        "/* phone: 467 3395 */",
        json.dumps({"contact": {"phone": "467 3395", "mail": "anna@acme.io"}}, indent=1),
        "owner: anna@acme.io  # on call",
        '{"born": "born 1981-03-12", "ssn": "123-45-6789"}',
    ],
)
def test_comments_and_json_in_code_are_read(code: str) -> None:
    text = REDACTOR.redact(document(Element(ElementKind.CODE, code, Locator()))).elements[0].text
    assert not any(value in text for value in ("anna@", "467 3395", "123-45-6789", "1981-03-12"))


def test_words_of_pictures_and_links_are_read() -> None:
    picture = Element(
        ElementKind.PARAGRAPH, "Portrait of anna@acme.io", Locator(), links=(Link("anna@acme.io", "a.png"),)
    )
    assert "anna" not in repr(REDACTOR.redact(document(picture)))


def test_no_library_logs_a_value(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    redactor = Redactor(RedactionPolicy(presidio=("PlPeselRecognizer",)), b"0123456789abcdef", "acme")
    element = Element(ElementKind.PARAGRAPH, "anna@acme.io, PESEL 44051401359, +49 30 12345678", Locator())
    assert redactor.redact(document(element)).redactions
    assert caplog.records
    assert not any(value in caplog.text for value in ("anna", "44051401359", "12345678"))


def test_values_under_a_header_are_found_whatever_stands_in_the_next_column() -> None:
    rows = (("Born", "Passport no", "Account number", "Order"), *(("x", "532190436", "12345678", "99887766"),) * 9)
    text = "\n".join(" | ".join(row) for row in rows)
    table = Element(ElementKind.TABLE, text, Locator(page=1), rows=rows, header_rows=1)
    for row in REDACTOR.redact(document(table)).elements[0].rows[1:]:
        assert row[1].startswith("<PASSPORT_")
        assert row[2].startswith("<BANK_ACCOUNT_")
        assert row[3] == "99887766"
