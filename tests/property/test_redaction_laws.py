"""Laws of redaction over generated documents."""

from itertools import pairwise

from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from kprep.core.errors import SecretFound
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Link, Locator, table_text
from redaction import RedactionPolicy, Redactor
from redaction.spans import Span, mask, resolve

REDACTOR = Redactor(RedactionPolicy(), b"0123456789abcdef", "acme")

VALUES = [
    "anna.roe@acme.io",
    "zoe%40acme.io",
    "+49 30 12345678",
    "+1 (212) 736-5000",
    "4111 1111 1111 1111",
    "4111 1111\n1111 1111",
    "DE89 3704 0044 0532 0130 00",
    "123-45-6789",
    "529.982.247-25",
    "110101199003074514",
    "192.168.10.25",
    "84.17.52.90",
    "00:1A:2B:3C:4D:5E",
    "db01.prod.internal",
    "32050619580412263X",
    "91350100M000100Y43",
    "Lindenstraße 12a, 50667 Köln",
    "221 Main Street, Springfield, IL 62704",
    "江苏省苏州市姑苏区人民路12号3室",
]
WORDS = [
    "the",
    "pump",
    "Tel.",
    "call",
    "card",
    "SSN",
    "version",
    "is",
    "<EMAIL_1f3a9c>",
    "12",
    "v1.2.3",
    "电话",
    "password",
    "passport number",
    "born on",
    "account number",
    "lives at",
    "x@",
    "\n",
    "|",
    "é",
]
PIECE = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(VALUES),
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
)
TEXT = st.lists(PIECE, max_size=14).map(" ".join)
SETTINGS = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def document(texts: list[str]) -> CleanDocument:
    elements = []
    for number, text in enumerate(texts):
        if number % 3 == 1:
            rows = (("a", "b"), (text, text[::-1]))
            elements.append(Element(ElementKind.TABLE, table_text(rows), Locator(row=1), rows=rows, header_rows=1))
        elif number % 3 == 2:
            elements.append(Element(ElementKind.PARAGRAPH, "x", Locator(), links=(Link(text, text),)))
        else:
            elements.append(Element(ElementKind.PARAGRAPH, text, Locator(line=(1, 1))))
    return CleanDocument(
        "s/a", "text/plain", "text", tuple(elements), (), DocumentMetadata(title="".join(texts[:1])), ()
    )


@SETTINGS
@given(st.lists(TEXT, min_size=1, max_size=5))
def test_redacting_is_idempotent_and_deterministic(texts: list[str]) -> None:
    try:
        first = REDACTOR.redact(document(texts))
    except SecretFound:
        reject()
    assert REDACTOR.redact(document(texts)) == first
    again = REDACTOR.redact(CleanDocument("s/a", "text/plain", "text", first.elements, (), first.metadata, ()))
    assert (again.elements, again.metadata, again.redactions) == (first.elements, first.metadata, ())


@SETTINGS
@given(
    st.sampled_from(VALUES),
    st.lists(st.sampled_from(["the", "pump", "is", "off", "here,"]), max_size=8),
    st.integers(0, 8),
)
def test_no_planted_value_survives(value: str, words: list[str], place: int) -> None:
    text = " ".join([*words[:place], value, *words[place:]])
    result = REDACTOR.redact(document([text, text, text]))
    assert value not in repr(result)
    assert len(result.redactions) >= 3
    # Text outside the value is unchanged.
    before, after = text[: text.index(value)], text[text.index(value) + len(value) :]
    assert result.elements[0].text.startswith(before)
    assert result.elements[0].text.endswith(after)


@SETTINGS
@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(1, 12), st.sampled_from("ABC"), st.sampled_from([0.2, 0.5, 0.9]))
    )
)
def test_resolved_spans_cover_all_and_overlap_nowhere(raw: list[tuple[int, int, str, float]]) -> None:
    spans = [Span(kind, start, start + length, score) for start, length, kind, score in raw]
    out = resolve(spans)
    assert all(left.end <= right.start for left, right in pairwise(out))
    covered = {index for span in out for index in range(span.start, span.end)}
    assert covered == {index for span in spans for index in range(span.start, span.end)}


@SETTINGS
@given(TEXT)
def test_masking_keeps_length_and_scan_stays_inside(text: str) -> None:
    assert len(mask(text)) == len(text)
    assert all(0 <= start < end <= len(text) for _, start, end in REDACTOR.scan(text))
