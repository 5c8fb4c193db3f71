"""Laws of cleaning over generated documents."""

from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cleaning import CleaningRules, clean, explain, removed_share
from kprep.core.errors import CleaningError
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator, ParsedDocument

LINE = st.lists(
    st.sampled_from(
        [
            "The",
            "pump",
            "is",
            "off",
            "infor-",
            "mation",
            "long-",
            "term",
            "Page 3",
            "© 2024",
            "水泵",
            "关闭。",
            "valve.",
        ]
    ),
    min_size=1,
    max_size=14,
).map(" ".join)
ELEMENT = st.builds(
    Element,
    kind=st.sampled_from(
        [ElementKind.PARAGRAPH, ElementKind.PARAGRAPH, ElementKind.CODE, ElementKind.LIST_ITEM, ElementKind.FOOTER]
    ),
    text=st.lists(LINE, min_size=1, max_size=5).map("\n".join),
    locator=st.builds(Locator, page=st.integers(1, 4)),
    hidden=st.sampled_from([False, False, False, True]),
)
SETTINGS = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def cleaned(elements: list[Element]) -> CleanDocument | None:
    try:
        return clean(ParsedDocument("s/a", "m", "p", tuple(elements), (), DocumentMetadata()), CleaningRules())
    except CleaningError:
        return None


def letters(text: str) -> str:
    return "".join(char for char in text if char not in " -\n")


@SETTINGS
@given(st.lists(ELEMENT, max_size=8))
def test_letters_are_kept_in_order_or_recorded(elements: list[Element]) -> None:
    result = cleaned(elements)
    if result is None:
        assert all(element.hidden or not element.text.strip() for element in elements)
        return
    kept = letters("".join(element.text for element in result.elements))
    source = iter(letters("".join(element.text for element in elements)))
    assert all(char in source for char in kept)  # a subsequence: nothing added, nothing reordered
    assert len(result.removals) == 0 or all(len(removal.text_hash) == 64 for removal in result.removals)
    total = sum(len(element.text) for element in elements)
    assert sum(removal.chars for removal in result.removals) <= total


@SETTINGS
@given(st.lists(ELEMENT, max_size=8))
def test_cleaning_is_deterministic_and_code_is_untouched(elements: list[Element]) -> None:
    result = cleaned(elements)
    assert cleaned(elements) == result
    if result is not None:
        code = [element.text for element in elements if element.kind is ElementKind.CODE and not element.hidden]
        assert [element.text for element in result.elements if element.kind is ElementKind.CODE] == code


@SETTINGS
@given(st.lists(ELEMENT, max_size=8))
def test_the_steps_add_up_to_the_clean_document(elements: list[Element]) -> None:
    result = cleaned(elements)
    if result is None:
        return
    document = ParsedDocument("s/a", "m", "p", tuple(elements), (), DocumentMetadata())
    steps = explain(document, CleaningRules())
    assert (steps[-1].after if steps else document.elements) == result.elements
    assert all(before.after == after.before for before, after in pairwise(steps))
    assert 0 <= removed_share(result) < 1
    for step in steps:
        assert step.differences()
