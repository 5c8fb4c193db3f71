"""Templates without values, and pages of an error or a login."""

from __future__ import annotations

import pytest

from kprep.core.ids import document_id
from quality.spec import CandidateDocument, DocumentFigures, Finding
from quality.unfinished import error_pages, placeholders_left
from tests.unit.quality.builder import TRAVEL, make_candidate, make_chunk

HOTELS = "Hotel costs are reimbursed up to 140 EUR per night, breakfast included, and a minibar is not."


def judged(
    check: str,
    text: str,
    live: str | None = None,
    original: str | None = None,
    heading: str = "Page",
    kind: str = "text",
) -> Finding:
    figures = DocumentFigures(1, 300, 1, "en")
    before = None if live is None else figures
    document = CandidateDocument(document_id("kb", "people", TRAVEL), TRAVEL, "internal", figures, 300, 0.0, before)
    made = make_candidate(
        [make_chunk(TRAVEL, 0, text, kind, heading_path=(heading,))],
        documents=[document],
        live_text=lambda _: [((heading,), live or "")],
        open_original=lambda _: text if original is None else original,
    )
    (finding,) = {"placeholders_left": placeholders_left, "error_pages": error_pages}[check](made)
    return finding


@pytest.mark.parametrize(
    "text",
    [
        "Dear {{ first_name }}, welcome.",
        "Dear {{name|upper}}, welcome.",
        "Your days: {% for day in week %}",
        "Dear <%= name %>, welcome.",
        "Hotels\n\nTODO: ask Kim about the limit",
        "TBD",
        "We meet at noon. TODO",
        "The rest follows: TODO: lunch. The date (TBD) is open.",
        "Lorem ipsum.",
        "The limit is [insert amount] per night.",
        "Lorem ipsum dolor sit amet.",
    ],
)
def test_what_a_template_left_open_is_seen(text: str) -> None:
    finding = judged("placeholders_left", text)
    assert (finding.passed, finding.level) == (False, "warning")
    assert not judged("placeholders_left", text, live=HOTELS).passed
    assert judged("placeholders_left", text, live=text).passed
    assert judged("placeholders_left", text, kind="code").passed


@pytest.mark.parametrize(
    ("text", "original"),
    [
        ("The letter says {{ first_name }}.", "The letter says `{{ first_name }}`."),
        ("The letter says {{ first_name }}.", "The letter says <code>{{ first_name }}</code>."),
        ("A template writes {{ first_name }}.", None),
        ("Our TODO list stands on the board; todos are kept there.", None),
        ("Sets are written {{1}, {2}}, a share as 5 {%}.", None),
        ("Press <% to leave.", None),
        ("The faker writes lorem ipsum into each field.", None),
    ],
)
def test_code_and_texts_about_templates_are_finished(text: str, original: str | None) -> None:
    assert judged("placeholders_left", text, original=original).passed


def test_a_mark_beside_code_that_shows_it_too_is_seen() -> None:
    text = "The letter says {{ name }}. Dear {{ name }}."
    assert not judged("placeholders_left", text, original="The letter says `{{ name }}`. Dear {{ name }}.").passed


@pytest.mark.parametrize(
    "text",
    [
        "404 Not Found\n\nPlease log in to see this page.",
        "Error 403: Forbidden. You do not have permission to view this page.",
        "Your session has expired. Sign in to continue. Forgot your password?",
        "Seite nicht gefunden. Bitte melden Sie sich an.",
        "Page introuvable. Veuillez vous connecter.",
        "Acceso denegado. Inicie sesión para continuar. ¿Olvidó su contraseña?",
        "Checking your browser. Enable JavaScript to continue.",
    ],
)
def test_the_page_of_an_error_or_a_login_is_seen(text: str) -> None:
    finding = judged("error_pages", text, live=HOTELS)
    assert (finding.passed, finding.level) == (False, "warning")
    assert judged("error_pages", text, live=text).passed


def test_a_new_page_must_say_so_at_once_and_twice() -> None:
    assert not judged("error_pages", "404 Not Found. Please log in to see this page.").passed
    assert judged("error_pages", "Please log in with your badge.").passed
    assert judged("error_pages", f"{HOTELS} Where the portal says 404 Not Found, please log in again.").passed
    assert judged("error_pages", f"{HOTELS} Access denied.", live=HOTELS).passed
    assert judged("error_pages", "404 Not Found. Please log in. " + HOTELS * 6).passed


@pytest.mark.parametrize("text", ["页面不存在，请先登录。", "ページが見つかりません。ログインしてください。"])
def test_pages_in_chinese_and_japanese(text: str) -> None:
    assert not judged("error_pages", text, live="员工出差的住宿费用每晚最高报销一百四十欧元，含早餐。").passed
