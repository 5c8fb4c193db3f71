"""The redactor over whole documents: everywhere text can stand, refused whole, stable placeholders."""

import pickle
import re
from dataclasses import replace
from typing import Any

import pytest
import yaml

from cleaning import CleaningRules, clean
from kprep.core.errors import ConfigError, SecretFound
from kprep.core.models import (
    CleanDocument,
    DocumentMetadata,
    Element,
    ElementKind,
    Link,
    Locator,
    RawDocument,
    SourceUnit,
    table_text,
)
from parsers import parse, parser_for
from parsers.media_type import detect
from redaction import VERSION, RedactionPolicy, Redactor, default_policy_text

KEY = b"0123456789abcdef"
REDACTOR = Redactor(RedactionPolicy(), KEY, "acme")
P = ElementKind.PARAGRAPH


def document(*elements: Element | str, **metadata: Any) -> CleanDocument:
    made = tuple(
        Element(P, item, Locator(line=(n, n))) if isinstance(item, str) else item for n, item in enumerate(elements, 1)
    )
    return CleanDocument("s/a", "text/plain", "text", made, (), DocumentMetadata(**metadata), ())


def table(*rows: tuple[str, ...]) -> Element:
    return Element(ElementKind.TABLE, table_text(rows), Locator(page=4), rows=rows, header_rows=1)


@pytest.mark.req("D5.1", "D5.5")
def test_values_go_wherever_text_can_stand() -> None:
    element = Element(
        P,
        "Ask anna@acme.io.",
        Locator(page=2),
        marker="anna@acme.io",
        links=(Link("anna@acme.io", "mailto:anna%40acme.io?cc=%61nna@acme.io"), Link("call", "tel:+493012345678")),
    )
    front = {
        "owner": "anna@acme.io",
        "phones": ["+49 30 12345678"],
        "n": 4111111111111111,
        "deep": {"anna@acme.io": 1.5},
    }
    cells = table(("Name", "Mail"), ("Anna", "anna@acme.io"))
    code = Element(ElementKind.CODE, "send('anna@acme.io')\n", Locator())
    heading = Element(ElementKind.HEADING, "About anna@acme.io", Locator(), level=1)
    result = REDACTOR.redact(document(element, cells, code, heading, title="To anna@acme.io", front_matter=front))
    assert "acme.io" not in repr(result)
    assert "%61" not in repr(result)
    assert "12345678" not in repr(result)
    assert "4111111111111111" not in repr(result)
    placeholder = result.elements[0].marker
    assert re.fullmatch(r"<EMAIL_[0-9a-f]{6}>", placeholder)
    assert result.elements[0].text == f"Ask {placeholder}."
    assert result.elements[0].links[0] == Link(placeholder, f"mailto:{placeholder}?cc={placeholder}")
    assert result.elements[1].rows[1] == ("Anna", placeholder)
    assert result.elements[1].text == table_text(result.elements[1].rows)
    assert result.elements[2].text == f"send('{placeholder}')\n"
    assert result.metadata.title == f"To {placeholder}"
    assert result.metadata.front_matter["deep"] == {placeholder: 1.5}
    assert {item.kind for item in result.redactions} == {"EMAIL", "PHONE", "CREDIT_CARD"}


@pytest.mark.req("D2.3", "D5.3", "D5.6")
def test_values_of_a_dotenv_file_are_replaced_and_its_secrets_refuse_it() -> None:
    def redacted(source: str) -> list[str]:
        raw = RawDocument("s/prod.env", "prod.env", source.encode(), detect("prod.env", source.encode()))
        found = clean(parse(raw, parser_for(raw.media_type)), CleaningRules())
        return [element.text for element in REDACTOR.redact(found).elements]

    file, host, sender = redacted("DB_HOST=db.example.com\nMAIL_FROM=ann@acme.io # who sends\n")
    assert host == "DB_HOST: db.example.com"
    assert sender.startswith("who sends\nMAIL_FROM: <EMAIL_")
    assert "ann@acme.io" not in file
    with pytest.raises(SecretFound):
        redacted("# where the data is\nDB_PASSWORD=Winter2023!\n")


def test_same_value_same_placeholder_per_tenant_and_key() -> None:
    def placeholders(redactor: Redactor, *texts: str) -> set[str]:
        result = redactor.redact(document(*texts))
        return {found for item in result.elements for found in re.findall(r"<\w+_[0-9a-f]{6}>", item.text)}

    phones = ("Tel. +49 30 12345678", "Tel. 030 12345678", "Tel. +49 (0)30 / 12345678", "Tel. 0049 30 12345678")
    german = RedactionPolicy.load({"phone_regions": ["DE"]})
    one = placeholders(Redactor(german, KEY, "acme"), *phones)
    assert len(one) == 1
    assert placeholders(Redactor(german, KEY, "acme"), *phones) == one
    assert placeholders(Redactor(german, KEY, "other"), *phones).isdisjoint(one)
    assert placeholders(Redactor(german, KEY[::-1], "acme"), *phones).isdisjoint(one)
    assert len(placeholders(REDACTOR, "Anna@Acme.IO", "anna@acme.io", "anna%40acme.io", "anna@\nacme.io")) == 1
    assert len(placeholders(REDACTOR, "4111 1111 1111 1111", "4111111111111111", "4111-1111-1111-1111")) == 1
    assert len(placeholders(REDACTOR, "anna@acme.io", "zoe@acme.io")) == 2


@pytest.mark.req("D5.3", "D5.6")
@pytest.mark.parametrize(
    ("where", "locator"),
    [
        (document("PASSWORD: dY^5Ke76gdSiF"), {"line": [1, 1]}),
        (document("Text.", Element(ElementKind.CODE, "api_key = '8f3Kd92LmQ0pZx'", Locator(page=3))), {"page": 3}),
        (document(table(("User", "Password"), ("root", "Winter2023!"))), {"page": 4}),
        (document(table(("Setting", "Value"), ("password", "Winter2023!"))), {"page": 4}),
        (
            document(Element(P, "x", Locator(page=2), links=(Link("y", "https://a.io/?apiKey=8f3Kd92LmQ0pZx"),))),
            {"page": 2},
        ),
        (
            document(Element(P, "x", Locator(page=2), links=(Link("y", "/go?u=a%3FapiKey%3D8f3Kd92LmQ0pZx"),))),
            {"page": 2},
        ),
        (document("x", title="token=8f3Kd92LmQ0pZx"), {}),
        (document("x", front_matter={"db": {"password": "Winter2023!"}}), {}),
        (document("Password:", "Winter2023!"), {"line": [2, 2]}),
    ],
)
def test_a_secret_anywhere_refuses_the_document(where: CleanDocument, locator: dict[str, Any]) -> None:
    with pytest.raises(SecretFound) as caught:
        REDACTOR.redact(where)
    error = caught.value
    assert (error.reason, error.context["locator"]) == ("secret_found", locator)
    assert set(error.context) == {"kind", "locator", "uri", "fingerprint"}
    for value in ("Winter2023", "8f3Kd92", "dY^5"):
        assert value not in str(error) + repr(error.context)
    assert pickle.loads(pickle.dumps(error)).context == error.context


def test_a_value_known_by_its_context_goes_everywhere() -> None:
    result = REDACTOR.redact(document("My phone number is 467 3395.", "Later: 467 3395 again.", "1467 33951"))
    texts = [item.text for item in result.elements]
    assert "467 3395" not in texts[0] + texts[1]
    assert texts[2] == "1467 33951"


def test_a_header_far_above_tells_what_a_cell_is() -> None:
    rows = (("Name", "Phone", "Order"), *(("Anna", f"467 33{n:02d}", f"467 88{n:02d}") for n in range(30)))
    result = REDACTOR.redact(document(table(*rows)))
    assert all(row[1].startswith("<PHONE_") for row in result.elements[0].rows[1:])
    assert [row[2] for row in result.elements[0].rows[3:]] == [row[2] for row in rows[3:]]


@pytest.mark.req("D5.2")
@pytest.mark.parametrize("headers", [("SSN", "Order"), ("Order", "SSN")])
def test_the_header_of_another_column_tells_nothing_of_a_cell(headers: tuple[str, str]) -> None:
    row = tuple({"SSN": "536904399", "Order": "123456789"}[header] for header in headers)
    rows = REDACTOR.redact(document(table(headers, row, row))).elements[0].rows
    placeholder = REDACTOR.redact(document("SSN 536904399")).elements[0].text.removeprefix("SSN ")
    assert rows[1:] == (tuple(placeholder if cell == "536904399" else cell for cell in row),) * 2
    labelled = table(("Field", "Value"), ("SSN", "536904399"), ("Order", "123456789"))
    assert REDACTOR.redact(document(labelled)).elements[0].rows[1:] == (("SSN", placeholder), ("Order", "123456789"))


def test_scan_of_published_text_leaves_context_out() -> None:
    assert REDACTOR.scan("Phone list\n467 3395") == []
    assert REDACTOR.scan("Phone list\n467 3395", by_context=True) == [("PHONE", 11, 19)]


def test_authors_are_replaced_only_when_the_policy_says_so() -> None:
    with_authors = document("x", authors=("Anna Roe", "Acme"))
    assert REDACTOR.redact(with_authors).metadata.authors == ("Anna Roe", "Acme")
    result = Redactor(RedactionPolicy.load({"redact_authors": True}), KEY, "acme").redact(with_authors)
    assert all(re.fullmatch(r"<PERSON_[0-9a-f]{6}>", author) for author in result.metadata.authors)
    assert len(result.redactions) == 2


def test_redactions_hold_kind_and_place_only() -> None:
    result = REDACTOR.redact(document("first", "anna@acme.io and client 84.17.52.9"))
    assert [(item.kind, item.locator) for item in result.redactions] == [
        ("EMAIL", Locator(line=(2, 2))),
        ("IP", Locator(line=(2, 2))),
    ]


def test_redacting_twice_changes_nothing() -> None:
    once = REDACTOR.redact(document("Tel. 467 3395 or anna@acme.io, card 4111 1111 1111 1111", "SSN 123 45 6789"))
    again = REDACTOR.redact(document(*once.elements))
    assert again.elements == once.elements
    assert again.redactions == ()
    assert all(REDACTOR.scan(item.text) == [] for item in once.elements)


@pytest.mark.req("D5.5")
def test_what_a_replaced_value_sets_free_goes_in_the_next_scan() -> None:
    # Only the surroundings of placeholders are scanned again: the number was the end of a longer word before.
    far = "no value here. " * 400
    result = REDACTOR.redact(document(far, "KD-774@acme.io+49 30 12345678", far, "12345678"))
    assert re.fullmatch(r"<EMAIL_[0-9a-f]{6}><PHONE_[0-9a-f]{6}>", result.elements[1].text)
    assert [element.text for element in result.elements[::2]] == [far, far]
    assert result.elements[3].text == "12345678"


def test_a_scan_near_changes_finds_what_begins_there_and_cuts_nothing() -> None:
    from redaction.analyzer import REACH, Analyzer

    number = "4111 1111 1111 1111"
    text = f"{number} " + "x " * REACH + f"{number} and {number}, " + "y " * REACH + number
    near = text.index("and")
    found = [(span.start, span.end) for span in Analyzer(RedactionPolicy()).find(text, near=[near])]
    assert sorted(found) == [(near - 20, near - 1), (near + 4, near + 23)]


def test_a_value_never_crosses_two_elements() -> None:
    first = document("anna@", "acme.io", "4111 1111", "1111 1111")
    assert [item.text for item in REDACTOR.redact(first).elements] == [item.text for item in first.elements]


def test_scan_names_secrets_apart() -> None:
    assert REDACTOR.scan("token=8f3Kd92LmQ0pZx")[0][0] == "SECRET_PASSWORD"
    assert REDACTOR.scan("<EMAIL_1f3a9c> wrote <PHONE_123456>") == []


def test_everything_else_is_passed_on() -> None:
    unit = SourceUnit("page", 1, "ok", 1)
    source = replace(document("x"), media_type="text/html", parser="html", units=(unit,))
    result = REDACTOR.redact(source)
    assert (result.uri, result.media_type, result.parser, result.units) == ("s/a", "text/html", "html", (unit,))


def test_names_of_embedded_files_are_redacted() -> None:
    units = (SourceUnit("attachment", 1, "not_extracted", 0, "Offer for ann@example.org.pdf"),)
    (unit,) = REDACTOR.redact(replace(document("x"), units=units)).units
    assert re.fullmatch(r"Offer for <EMAIL_[0-9a-f]{6}>\S*", unit.name)


def test_default_file_equals_the_defaults() -> None:
    assert RedactionPolicy.load(yaml.safe_load(default_policy_text())) == RedactionPolicy()
    assert VERSION >= 1
    assert RedactionPolicy().options() != RedactionPolicy(redact_authors=True).options()


@pytest.mark.parametrize(
    ("mapping", "key"),
    [
        ({"kind": []}, "kind"),
        ({"kinds": ["EMIAL"]}, "kinds"),
        ({"kinds": "EMAIL"}, "kinds"),
        ({"phone_regions": ["Germany"]}, "phone_regions"),
        ({"redact_authors": "no"}, "redact_authors"),
        ({"patterns": {"customer": "x"}}, "patterns"),
        ({"patterns": {"CUSTOMER": "("}}, "patterns.CUSTOMER"),
        ({"patterns": {"CUSTOMER": "x*"}}, "patterns.CUSTOMER"),
        ({"allow": {"addresses": ["10.0.0"]}}, "allow.addresses"),
        ({"allow": {"patterns": ["("]}}, "allow.patterns"),
        ({"allow": {"domain": []}}, "domain"),
        ({"allow": {"domains": "x"}}, "allow.domains"),
        ({"allow_in": []}, "allow_in"),
        ({"allow_in": {"a": {"addresses": ["10.0.0"]}}}, "allow_in.a.addresses"),
    ],
)
def test_a_wrong_policy_is_refused_by_key(mapping: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        RedactionPolicy.load(mapping)
    assert caught.value.context["key"] == key


def test_a_redactor_needs_key_tenant_and_known_recognizers() -> None:
    with pytest.raises(ConfigError):
        Redactor(RedactionPolicy(), b"short", "acme")
    with pytest.raises(ConfigError):
        Redactor(RedactionPolicy(), KEY, "")
    for name in ("EmailRecognizer", "Nothing", "SpacyRecognizer"):
        with pytest.raises(ConfigError):
            Redactor(RedactionPolicy(presidio=(name,)), KEY, "acme")


@pytest.mark.req("D5.5")
def test_a_label_names_what_stands_beside_or_after_it() -> None:
    made = document(
        table(("Field", "Value"), ("Date of birth", "12 March 1984"), ("Passport no.", "C01X00T47")),
        Element(ElementKind.HEADING, "Date of birth", Locator()),
        "13 March 1984",
        "Released on 14 March 1984.",
        front_matter={"birthday": "15.03.1984"},
    )
    redacted = REDACTOR.redact(made)
    assert [redaction.kind for redaction in redacted.redactions].count("DATE_OF_BIRTH") == 3
    shown = f"{redacted.elements}{redacted.metadata}"
    assert "C01X00T47" not in shown
    assert re.findall(r"1\d March 1984|15.03", shown) == ["14 March 1984"]


@pytest.mark.req("D5.3")
def test_a_term_and_its_password_refuse() -> None:
    with pytest.raises(SecretFound):
        REDACTOR.redact(document("Logins", "Password", "Winter2023!x"))
    REDACTOR.redact(document("Password", "required", "Password length", "12", "The password of v1", "Winter2023!x is"))
