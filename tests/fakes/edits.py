"""Harmless edits of the handbook: small named functions on the text of a document, each applied to several documents.

`EDITS`: (name, URI) -> function that makes the candidate. What an author, an editor or an export does every day.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from quality.spec import Candidate, Question, TouchedRelation
from tests.fakes.corruptions import edited, with_documents, written
from tests.fakes.handbook_candidate import REPLACED, TODAY, Document, candidate_of, handbook, questions

POLICIES = ("people/travel-expenses-2025.md", "engineering/relay-config-reference.md", "public/refund-policy.md")
EDITS: dict[tuple[str, str], Callable[[], Candidate]] = {}


def edit(change: Callable[[str], str]) -> Callable[[str], str]:
    """Register a change of a document's text, on each of the policies."""
    return _registered(change, POLICIES)


def _registered(change: Callable[[str], str], uris: tuple[str, ...]) -> Callable[[str], str]:
    for uri in uris:

        def make(uri: str = uri) -> Candidate:
            before = handbook()[uri].content.decode()
            after = change(before)
            assert after != before, (change.__name__, uri)
            return candidate_of(with_documents(written(uri, after)))

        EDITS[change.__name__, uri] = make
    return change


def whole(make: Callable[[], Candidate]) -> Callable[[], Candidate]:
    """Register a change of the set of documents."""
    EDITS[make.__name__, ""] = make
    return make


def _first_paragraph(text: str) -> re.Match[str]:
    found = re.search(r"(?<=\n\n)[A-Z][^\n#|`-][^\n]+(?:\n[^\n#|`-][^\n]+)*(?=\n\n)", text)
    assert found is not None
    return found


@edit
def a_paragraph_added_at_the_end(text: str) -> str:
    return text.rstrip() + "\n\nThe team that owns this page reviews it in spring and in autumn.\n"


@edit
def a_section_added_at_the_end(text: str) -> str:
    return text.rstrip() + "\n\n## Where to ask\n\nThe owners of this page answer questions in their weekly meeting.\n"


@edit
def a_list_added(text: str) -> str:
    return text.rstrip() + "\n\nSee also:\n\n- the page of the team\n- the archive of earlier versions\n"


@edit
def a_table_added(text: str) -> str:
    return (
        text.rstrip() + "\n\n| Contact | Where |\n| --- | --- |\n| front office | ground floor |\n| archive | attic |\n"
    )


@edit
def a_code_block_added(text: str) -> str:
    return text.rstrip() + "\n\n```sh\nopen handbook --page today\n```\n"


@edit
def a_code_block_that_leaves_something_out(text: str) -> str:
    return text.rstrip() + "\n\n```python\npump.start(\n    ...\nwhile pump.on:\n```\n"


@edit
def a_code_block_between_paragraphs(text: str) -> str:
    return text.rstrip() + "\n\n~~~\npump.start(3)\n~~~\n\nThe pump must be stopped by hand before that.\n"


@edit
def a_quotation_added(text: str) -> str:
    return text.rstrip() + "\n\n> Read it before you ask, and ask before you guess.\n"


@edit
def a_link_added(text: str) -> str:
    return text.rstrip() + "\n\nMore on this subject stands in [the glossary](glossary.md) of the house.\n"


@edit
def a_sentence_before_the_first_paragraph(text: str) -> str:
    start = _first_paragraph(text).start()
    return f"{text[:start]}This page was read again by its owners.\n\n{text[start:]}"


@edit
def a_sentence_after_the_first_paragraph(text: str) -> str:
    end = _first_paragraph(text).end()
    return f"{text[:end]} Its wording is kept short on purpose.{text[end:]}"


@edit
def words_set_in_bold(text: str) -> str:
    paragraph = _first_paragraph(text)
    bold = re.sub(r"\b([a-z]{6,})\b", r"**\1**", paragraph[0], count=1)
    return text.replace(paragraph[0], bold, 1)


@edit
def the_last_word_exchanged(text: str) -> str:
    return re.sub(r"[a-z]{2,}(?=[^a-z]*$)", "somewhere", text.rstrip()) + "\n"


@edit
def spaces_at_line_ends(text: str) -> str:
    return text.replace("\n\n", " \n\n")


@edit
def windows_line_ends(text: str) -> str:
    return text.replace("\n", "\r\n")


@edit
def a_byte_order_mark(text: str) -> str:
    return "\ufeff" + text


@edit
def blank_lines_doubled(text: str) -> str:
    return text.rstrip().replace("\n\n## ", "\n\n\n\n## ") + "\n\n\n"


@edit
def lines_wrapped_elsewhere(text: str) -> str:
    paragraph = _first_paragraph(text)
    joined = " ".join(paragraph[0].split())
    return text.replace(paragraph[0], joined if "\n" in paragraph[0] else joined.replace(" ", "\n", 1))


@edit
def a_comment_for_editors(text: str) -> str:
    return text.rstrip() + "\n\n<!-- reviewed by the owners -->\n\nEnd of the page.\n"


@edit
def a_heading_put_more_clearly(text: str) -> str:
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    return text.replace(f"## {headings[-1]}", f"## {headings[-1]} (in short)")


@edit
def the_last_section_moved_up(text: str) -> str:
    parts = re.split(r"(?m)^(?=## )", text)
    last = parts[-1].rstrip() + "\n\n"
    return "".join([parts[0], last, *parts[1:-1]])


@edit
def the_last_section_renamed_and_moved_up(text: str) -> str:
    parts = re.split(r"(?m)^(?=## )", text)
    last = re.sub(r"^## .*", "## Put otherwise", parts[-1].rstrip()) + "\n\n"
    return "".join([parts[0], last, *parts[1:-1]])


@edit
def sections_made_subsections(text: str) -> str:
    return text.replace("\n## ", "\n### ")


@edit
def addresses_with_a_query_added(text: str) -> str:
    links = "https://kelvarra.example/list?page=2 or https://kelvarra.example/?sort=name or /orders?state=open&page=3"
    return text.rstrip() + f"\n\nWho wants more? Look at {links}, or ask: why?Because it helps.\n"


@edit
def a_regular_expression_added(text: str) -> str:
    return text.rstrip() + "\n\nThe regular expressions `colou?r` and `behaviou?r` find both spellings.\n"


@edit
def a_template_shown_in_code(text: str) -> str:
    shown = "Letters greet by `{{ first_name }}`, and leave out `{% if gift %}`."
    return text.rstrip() + f"\n\n{shown}\n\n```\nDear {{{{ first_name }}}},\nTODO: sign\n```\n\nNothing else does.\n"


@edit
def an_error_of_a_server_explained(text: str) -> str:
    return text.rstrip() + "\n\nWhere the portal says 404 Not Found, please log in again and tell the owners.\n"


@edit
def words_with_digits_added(text: str) -> str:
    return text.rstrip() + "\n\nThe i18n of the k8s cluster runs in a B2B portal at 5kg CO2 per day.\n"


@edit
def entities_of_html_explained(text: str) -> str:
    return text.rstrip() + "\n\nHTML writes `&amp;lt;` where R&D; and AT&T; stand, as every page does.\n"


@edit
def a_sentence_that_forbids_added(text: str) -> str:
    return text.rstrip() + "\n\nThis page must not be printed. It may be quoted, and should never be sold.\n"


@edit
def a_duty_put_in_another_word(text: str) -> str:
    return re.sub(r"\bmust\b", "shall", text.rstrip()) + "\n\nIt is read again each year.\n"


@edit
def days_of_the_week_apart(text: str) -> str:
    return text.rstrip() + "\n\nThe calendar of the office in China begins with 一 二 三 四 五 六 日 in one line.\n"


TABLES = ("people/travel-expenses-2025.md", "public/shipping-policy.md", "finance/purchasing-limits.md")


def on_tables(change: Callable[[str], str]) -> Callable[[str], str]:
    """Register a change of a document's text, on each of those with a table."""
    return _registered(change, TABLES)


def _rows(text: str) -> list[str]:
    """Lines of the last table of a document: header, separator, rows."""
    *_, last = re.finditer(r"(?m)(?:^\|.*\n?)+", text)
    return last[0].rstrip("\n").split("\n")


@on_tables
def a_row_added_to_a_table(text: str) -> str:
    last = _rows(text)[-1]
    return text.replace(last, f"{last}\n{re.sub(r'[0-9]+', '7', last).replace('| ', '| new ', 1)}")


@on_tables
def a_row_taken_from_a_table(text: str) -> str:
    return text.replace(_rows(text)[-1] + "\n", "")


@on_tables
def the_rows_of_a_table_sorted(text: str) -> str:
    rows = _rows(text)
    return text.replace("\n".join(rows), "\n".join(rows[:2] + rows[:1:-1]))


@on_tables
def a_column_named_more_clearly(text: str) -> str:
    header = _rows(text)[0]
    return text.replace(header, header.rstrip("| ") + " (in short) |")


@on_tables
def a_column_added_to_a_table(text: str) -> str:
    rows = _rows(text)
    wider = [row + " Note |" if at == 0 else row + ("---|" if at == 1 else " none |") for at, row in enumerate(rows)]
    return text.replace("\n".join(rows), "\n".join(wider))


@on_tables
def columns_of_a_table_exchanged_with_their_names(text: str) -> str:
    rows = _rows(text)
    turned = ["|" + "|".join([*(cells := row.strip("|").split("|"))[1:], cells[0]]) + "|" for row in rows]
    return text.replace("\n".join(rows), "\n".join(turned))


@whole
def a_new_document() -> Candidate:
    new = written("people/canteen.md", "# Canteen\n\nThe canteen opens at noon and closes when the soup is gone.\n")
    return candidate_of(with_documents(new))


@whole
def a_new_page_about_logging_in() -> Candidate:
    text = (
        "# Portal\n\nThe portal of the canteen shows the week. Forgot your password? The front desk sets a new one.\n"
    )
    return candidate_of(with_documents(written("people/portal.md", text)))


@whole
def a_new_page_about_templates() -> Candidate:
    text = "# Letters\n\nA template writes {{ first_name }} where the name goes, and {% for %} where a list goes.\n"
    return candidate_of(with_documents(written("people/letters.md", text)))


@whole
def a_figure_raised_a_little() -> Candidate:
    return candidate_of(with_documents(edited("people/travel-expenses-2025.md", "600 kilometres", "650 kilometres")))


@whole
def a_price_raised_in_a_table() -> Candidate:
    return candidate_of(
        with_documents(edited("people/travel-expenses-2025.md", "| 62 EUR | 38 EUR |", "| 64 EUR | 40 EUR |"))
    )


@whole
def a_unit_spelled_otherwise() -> Candidate:
    return candidate_of(with_documents(edited("people/travel-expenses-2025.md", "600 kilometres", "600 km")))


@whole
def a_document_split_in_two() -> Candidate:
    uri = "engineering/relay-config-reference.md"
    parts = re.split(r"(?m)^(?=## )", handbook()[uri].content.decode())
    half = len(parts) // 2
    kept = written(uri, "".join(parts[:half]))
    moved = written("engineering/relay-config-more.md", "# Relay configuration, part two\n\n" + "".join(parts[half:]))
    return candidate_of(with_documents(kept, moved), questions=_questions_without("relay-config"))


@whole
def a_short_new_page_with_a_table() -> Candidate:
    text = (
        "# Bikes\n\nTake one.\n\n| Hall | Bikes |\n| --- | --- |\n| 1 | 4 |\n\nBring it back.\n\n```sh\nunlock\n```\n"
    )
    return candidate_of(with_documents(written("people/bikes.md", text)))


@whole
def a_new_document_in_german() -> Candidate:
    text = "# Kantine\n\nDie Kantine öffnet mittags und schließt, sobald die Suppe alle ist. Gäste gehen zum Empfang.\n"
    return candidate_of(with_documents(written("people/kantine.md", text)))


@whole
def a_new_document_in_chinese() -> Candidate:
    return candidate_of(
        with_documents(written("people/canteen-zh.md", "# 食堂\n\n食堂中午开放，访客请先在前台登记，然后领取餐券。\n"))
    )


@whole
def a_document_deleted() -> Candidate:
    return candidate_of(with_documents(without=["people/remote-work.md"]), questions=_questions_without("remote-work"))


@whole
def a_document_renamed() -> Candidate:
    old = "people/security-awareness.md"
    moved = written("people/information-security.md", handbook()[old].content.decode())
    return candidate_of(with_documents(moved, without=[old]), questions=_questions_without("security-awareness"))


@whole
def a_document_with_a_link_that_never_led_anywhere() -> Candidate:
    uri = "people/remote-work.md"
    dead = TouchedRelation(uri, "link", "the old wiki", held=False, holds=False, target="people/wiki.md")
    source = handbook()[uri].content.decode()
    return candidate_of(with_documents(written(uri, source + "\nIt is reviewed each year.\n")), relations=(dead,))


@whole
def a_link_to_a_place_that_no_parser_keeps() -> Candidate:
    uri = "people/remote-work.md"
    source = handbook()[uri].content.decode()
    to = TouchedRelation(uri, "link", "form", held=True, holds=True, target="people/form.html", anchor="row-7")
    edited = with_documents(written(uri, source + "\nIt is reviewed each year.\n"))
    return candidate_of(edited, relations=(replace(to, anchor_is_new=True, anchors=("purpose", "signature")),))


@whole
def the_end_of_an_old_policy_corrected() -> Candidate:
    uri = "people/travel-expenses-2023.md"
    corrected = handbook()[uri].content.decode().replace("valid_until: 2024-12-31", "valid_until: 2025-01-31")
    ended = frozenset((uri,))
    return candidate_of(with_documents(written(uri, corrected)), live_expired=ended, expired=ended)


@whole
def settings_in_a_new_file() -> Candidate:
    text = "[relay]\nport = 8080\nhost = gate\n\n[log]\nlevel = info\n\n[queue]\nsize = 20\nwait_s = 5\n"
    return candidate_of(with_documents(written("engineering/relay.ini", text)))


def _distances(number: str) -> Document:
    sections = (f"## {name}\n\nA van has them looked at each {number} km.\n" for name in ("Tyres", "Oil", "Belt"))
    return written("people/distances.md", "# Distances\n\n" + "\n".join(sections))


@whole
def short_sections_that_are_joined() -> Candidate:
    live, now = _distances("15,000"), _distances("15 000")
    assert (len(live.chunks), len(now.chunks)) == (3, 1)
    made = candidate_of(with_documents(now))
    documents = [
        replace(document, live=live.figures()) if document.uri == now.uri else document for document in made.documents
    ]
    passages = [(chunk.heading_path, chunk.text) for chunk in live.chunks]
    return replace(
        made,
        documents=documents,
        live_documents=made.live_documents + 1,
        live_text=lambda key: passages if key == live.chunks[0].document_id else made.live_text(key),
    )


@whole
def a_section_of_a_document_added_for_some_of_its_readers() -> Candidate:
    uri = "people/remote-work.md"
    text = handbook()[uri].content.decode()
    grown = written(uri, text + "\n## For the people team\n\nRequests are kept for two years and counted in May.\n")
    last = replace(grown.chunks[-1], section_acl=("people-team",))
    return candidate_of(with_documents(replace(grown, chunks=(*grown.chunks[:-1], last))))


@whole
def a_boilerplate_paragraph_in_two_departments() -> Candidate:
    notice = "\n\nThis page is reviewed by its owners each spring, and errors in it are reported to the front office.\n"
    pages = ("people/remote-work.md", "people/parental-leave.md", "engineering/coding-guidelines.md")
    made = [written(uri, handbook()[uri].content.decode().rstrip() + notice) for uri in pages]
    closed = replace(made[1], acl=("board",), chunks=tuple(replace(chunk, acl=("board",)) for chunk in made[1].chunks))
    live = candidate_of(with_documents(made[0], closed, made[2]), questions=_questions_without("parental-leave"))
    documents = [
        replace(document, live=None) if document.uri == closed.uri else document for document in live.documents
    ]
    return replace(live, documents=documents)


@whole
def a_public_sentence_quoted_in_a_confidential_page() -> Candidate:
    uri = "people-confidential/salary-bands-2025.md"
    refund = next(chunk for chunk in handbook()["public/refund-policy.md"].chunks if len(chunk.text.split()) > 20)
    quoted = handbook()[uri].content.decode().rstrip() + f"\n\n## What we tell\n\n{refund.text}\n"
    return candidate_of(with_documents(written(uri, quoted)), copies={})


@whole
def a_rule_like_another_of_another_subject() -> Candidate:
    one = "# Leave in Norway\n\nEmployees in this country receive 25 days of paid leave in each calendar year.\n"
    two = "# Leave in Spain\n\nEmployees in this country receive 22 days of paid leave in each calendar year.\n"
    return candidate_of(with_documents(written("people/norway.md", one), written("people/spain.md", two)))


@whole
def a_rule_like_another_of_another_device() -> Candidate:
    one = "# Batteries\n\nThe logger TL-40 must be opened with a torx driver and holds 2 lithium cells.\n"
    two = "# Batteries\n\nThe logger TL-90 must be opened with a torx driver and holds 3 lithium cells.\n"
    return candidate_of(with_documents(written("public/tl40-cells.md", one), written("public/tl90-cells.md", two)))


@whole
def a_new_version_that_supersedes_the_old() -> Candidate:
    one = "# Badges\n\nA lost access badge has to be reported to the reception within two working days.\n"
    two = one.replace("two", "five")
    old = written("people/badges-1.md", one)
    ended = replace(old, chunks=tuple(replace(chunk, valid_until=TODAY) for chunk in old.chunks))
    made = with_documents(ended, written("people/badges-2.md", two))
    return candidate_of(made, replaced={**REPLACED, "people/badges-1.md": ("people/badges-2.md",)})


@whole
def a_rule_unlike_one_that_has_ended() -> Candidate:
    one = "# Badges\n\nA lost access badge has to be reported to the reception within two working days.\n"
    made = with_documents(written("people/badges-1.md", one), written("people/badges-2.md", one.replace("two", "five")))
    return candidate_of(made, expired=frozenset({"people/badges-1.md"}))


def _questions_without(word: str) -> tuple[Question, ...]:
    return tuple(question for question in questions() if not any(word in span.document for span in question.expected))
