"""Corruptions of the handbook's candidate: small named functions in one registry, each with the check that must see it.

`CORRUPTIONS`: name -> (code, function that makes the corrupt candidate). Victims are chosen by a fixed seed.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import numpy as np

from kprep.core.models import Locator
from quality.spec import Candidate, CandidateChunk, CandidateDocument, Copy, Hit, Question, Thresholds, TouchedRelation
from tests.fakes.handbook_candidate import (
    DIMENSIONS,
    Document,
    Documents,
    candidate_of,
    handbook,
    prepare,
    vector,
)

TRAVEL, OLD_TRAVEL = "people/travel-expenses-2025.md", "people/travel-expenses-2023.md"
CODES, RELAY, API = (
    "engineering/error-codes.md",
    "engineering/relay-config-reference.md",
    "engineering/orders-api.md",
)
AWARENESS = "people/security-awareness.md"
GUIDELINES, MANUAL, CHINESE, GERMAN = (
    "engineering/coding-guidelines.md",
    "engineering/gateway-g2-service-manual.pdf",
    "people/attendance-zh.md",
    "people/arbeitszeit.md",
)
SALARY, REFUND, FAQ = "people-confidential/salary-bands-2025.md", "public/refund-policy.md", "public/faq.html"

Make = Callable[[], Candidate]
CORRUPTIONS: dict[str, tuple[str, Make]] = {}


def corruption(code: str) -> Callable[[Make], Make]:
    """Register a corruption that the check `code` must see."""

    def register(make: Make) -> Make:
        CORRUPTIONS[make.__name__] = (code, make)
        return make

    return register


def chunks(documents: Documents | None = None) -> list[CandidateChunk]:
    return [chunk for document in (documents or handbook()).values() for chunk in document.chunks]


def of(uri: str) -> Callable[[CandidateChunk], bool]:
    return lambda chunk: chunk.document_uri == uri


def altered(
    chosen: Callable[[CandidateChunk], bool], change: Callable[[CandidateChunk], CandidateChunk | None]
) -> list[CandidateChunk]:
    """The handbook's chunks with the chosen ones changed, or left out where the change gives None."""
    made = ((change(chunk) if chosen(chunk) else chunk) for chunk in chunks())
    return [chunk for chunk in made if chunk is not None]


def held(
    chosen: Callable[[CandidateChunk], bool],
    change: Callable[[CandidateChunk], CandidateChunk | None],
    **more: Any,
) -> Candidate:
    return candidate_of(handbook(), altered(chosen, change), **more)


def said(chunk: CandidateChunk, text: str) -> CandidateChunk:
    """A chunk with another text, indexed as such."""
    return replace(chunk, text=text, index_text=f"{' > '.join(chunk.heading_path)}\n{text}")


def with_documents(*changed: Document | None, without: Iterable[str] = ()) -> Documents:
    """The handbook with some documents changed or added, and some gone."""
    gone = set(without)
    kept = {uri: document for uri, document in handbook().items() if uri not in gone}
    return kept | {document.uri: document for document in changed if document is not None}


def edited(uri: str, old: str, new: str) -> Document:
    """A document prepared anew from its source with some words exchanged."""
    source = handbook()[uri].content.decode()
    assert old in source, (uri, old)
    document = prepare(uri, source.replace(old, new).encode())
    assert document is not None
    return document


def written(uri: str, text: str) -> Document:
    document = prepare(uri, text.encode())
    assert document is not None, uri
    return document


def middle(uri: str) -> CandidateChunk:
    """A chunk in the middle of a document."""
    found = handbook()[uri].chunks
    return found[len(found) // 2]


def only(chunk: CandidateChunk) -> Callable[[CandidateChunk], bool]:
    return lambda other: other.chunk_id == chunk.chunk_id


# --- parts of documents lost or out of order


@corruption("chunks_missing")
def a_section_dropped() -> Candidate:
    path = middle(TRAVEL).heading_path
    return held(lambda chunk: of(TRAVEL)(chunk) and chunk.heading_path == path, lambda _: None)


@corruption("chunks_missing")
def the_first_chunk_dropped() -> Candidate:
    return held(only(handbook()[RELAY].chunks[0]), lambda _: None)


@corruption("chunks_missing")
def the_last_chunk_dropped() -> Candidate:
    return held(only(handbook()[MANUAL].chunks[-1]), lambda _: None)


@corruption("chunks_missing")
def the_second_half_dropped() -> Candidate:
    half = len(handbook()[CODES].chunks) // 2
    return held(lambda chunk: of(CODES)(chunk) and chunk.ordinal >= half, lambda _: None)


@corruption("chunks_missing")
def a_document_emptied() -> Candidate:
    return held(of(REFUND), lambda _: None)


@corruption("chunks_missing")
def every_seventh_chunk_dropped() -> Candidate:
    victims = {chunk.chunk_id for chunk in chunks()[::7]}
    return held(lambda chunk: chunk.chunk_id in victims, lambda _: None)


@corruption("chunks_missing")
def a_chunk_in_two_places() -> Candidate:
    double = replace(middle(API), ordinal=middle(API).ordinal + 1, chunk_id="0" * 32)
    return candidate_of(handbook(), [*chunks(), double])


@corruption("text_lost")
def half_of_each_table_lost() -> Candidate:
    def cut(chunk: CandidateChunk) -> CandidateChunk:
        lines = chunk.text.split("\n")
        return said(chunk, "\n".join(lines[: 1 + len(lines) // 3]))

    return held(lambda chunk: of(CODES)(chunk) and chunk.kind == "table", cut)


@corruption("text_lost")
def chunks_cut_off_at_a_length() -> Candidate:
    return held(of(TRAVEL), lambda chunk: said(chunk, chunk.text[:100]))


@corruption("text_lost")
def only_the_first_sentences_kept() -> Candidate:
    return held(of(API), lambda chunk: said(chunk, chunk.text.split(". ")[0][:80]))


@corruption("text_shrunk")
def a_source_file_cut_off() -> Candidate:
    content = handbook()[RELAY].content.decode()
    return candidate_of(with_documents(written(RELAY, content[: len(content) // 3])))


def _sections(uri: str) -> list[str]:
    """The title with what stands before the first section, then each section."""
    return re.split(r"(?m)^(?=## )", handbook()[uri].content.decode())


@corruption("sections_gone")
def a_section_cut_from_the_source() -> Candidate:
    first, *others = _sections(RELAY)
    return candidate_of(with_documents(written(RELAY, first + "".join(others[:1] + others[2:]))))


@corruption("sections_gone")
def the_last_section_cut_from_the_source() -> Candidate:
    return candidate_of(with_documents(written(REFUND, "".join(_sections(REFUND)[:-1]))))


@corruption("sections_gone")
def a_section_exchanged_for_another() -> Candidate:
    new = "## Parking\n\nThe yard behind the house has room for the bicycles of guests and for one van.\n"
    return candidate_of(with_documents(written(REFUND, "".join(_sections(REFUND)[:-1]) + new)))


@corruption("sections_gone")
def a_section_emptied_under_its_heading() -> Candidate:
    parts = _sections(REFUND)
    parts[4] = parts[4].split("\n")[0] + "\n\nSee there.\n\n"
    return candidate_of(with_documents(written(REFUND, "".join(parts))))


@corruption("sections_gone")
def a_section_moved_where_few_may_read_it() -> Candidate:
    *kept, last = _sections(REFUND)
    moved = written("people-confidential/refunds.md", f"# Refunds\n\n{last}")
    return candidate_of(with_documents(written(REFUND, "".join(kept)), moved))


@corruption("headings_lost")
def the_headings_exported_as_plain_text() -> Candidate:
    content = handbook()[TRAVEL].content.decode()
    return candidate_of(
        with_documents(written(TRAVEL, content.replace("\n#", "\n").replace("## ", "").replace("# ", "")))
    )


@corruption("reading_order")
def sections_read_backwards() -> Candidate:
    last = len(handbook()[RELAY].chunks) - 1
    return held(of(RELAY), lambda chunk: replace(chunk, ordinal=last - chunk.ordinal))


@corruption("reading_order")
def pages_read_in_the_wrong_order() -> Candidate:
    found = handbook()[MANUAL].chunks
    places = [chunk.locator for chunk in found]
    places[0], places[-1] = places[-1], places[0]
    return held(of(MANUAL), lambda chunk: replace(chunk, locator=places[chunk.ordinal]))


@corruption("index_text")
def indexed_by_another_chunks_text() -> Candidate:
    other = handbook()[REFUND].chunks[0].index_text
    return held(only(middle(RELAY)), lambda chunk: replace(chunk, index_text=other))


@corruption("index_text")
def indexed_by_the_heading_alone() -> Candidate:
    return held(of(API), lambda chunk: replace(chunk, index_text=" > ".join(chunk.heading_path)))


# --- sizes


@corruption("chunks_empty")
def a_chunk_without_text() -> Candidate:
    return held(only(middle(TRAVEL)), lambda chunk: replace(chunk, text=""))


@corruption("chunks_empty")
def a_chunk_of_invisible_characters() -> Candidate:
    return held(only(middle(RELAY)), lambda chunk: said(chunk, " \u200b\u00a0\n"))


@corruption("chunks_empty")
def a_chunk_that_is_not_indexed() -> Candidate:
    return held(only(middle(CODES)), lambda chunk: replace(chunk, index_text=" "))


@corruption("chunks_over_limit")
def a_chunk_over_the_models_limit() -> Candidate:
    return held(only(middle(API)), lambda chunk: replace(chunk, tokens=257))


@corruption("chunks_over_limit")
def tokens_that_were_not_counted() -> Candidate:
    return held(of(API), lambda chunk: replace(chunk, tokens=0))


@corruption("chunks_over_limit")
def the_limit_of_the_model_ignored() -> Candidate:
    return held(of(MANUAL), lambda chunk: replace(chunk, tokens=4 * chunk.tokens + 256))


@corruption("chunks_short")
def a_third_of_the_chunks_cut_to_two_words() -> Candidate:
    victims = {chunk.chunk_id for chunk in chunks()[::3]}
    return held(lambda chunk: chunk.chunk_id in victims, lambda chunk: said(chunk, " ".join(chunk.text.split()[:2])))


@corruption("chunk_count")
def a_document_cut_into_lines() -> Candidate:
    document = handbook()[RELAY]
    pieces = [piece for chunk in document.chunks for piece in chunk.text.split(" ")]
    small = tuple(
        replace(said(document.chunks[0], piece), ordinal=number, chunk_id=f"{number:032x}")
        for number, piece in enumerate(pieces)
    )
    return candidate_of(with_documents(replace(document, chunks=small)))


# --- the same twice


@corruption("chunks_duplicate")
def a_folder_copied() -> Candidate:
    copies = [written(f"{uri[:-3]}-copy.md", handbook()[uri].content.decode()) for uri in (RELAY, CODES, TRAVEL)]
    return candidate_of(with_documents(*copies))


@corruption("chunks_duplicate")
def one_text_in_many_chunks() -> Candidate:
    victims = {chunk.chunk_id for chunk in chunks()[::12]}
    notice = "This page has moved. Follow the link in the navigation to find it at its new place."
    return held(lambda chunk: chunk.chunk_id in victims, lambda chunk: said(chunk, notice))


@corruption("chunks_repeated")
def one_line_over_and_over() -> Candidate:
    victim = max(handbook().values(), key=lambda document: len(document.chunks))
    same = tuple(said(chunk, "x" * 900) for chunk in victim.chunks)
    return candidate_of(with_documents(replace(victim, chunks=same)))


@corruption("documents_repeated")
def a_byte_copy_of_one_document() -> Candidate:
    return candidate_of(with_documents(prepare("people/copy-of-awareness.md", handbook()[AWARENESS].content)))


@corruption("documents_repeated")
def a_copy_with_a_word_changed_in_each_part() -> Candidate:
    return candidate_of(with_documents(written("engineering/relay-config-draft.md", _draft(RELAY))))


@corruption("chunks_similar")
def drafts_beside_the_final_documents() -> Candidate:
    drafts = [written(f"{uri[:-3]}-draft.md", _draft(uri)) for uri in (RELAY, API, GUIDELINES, TRAVEL)]
    return candidate_of(with_documents(*drafts))


def _draft(uri: str) -> str:
    """A document in which every 30th word is another one."""
    number = itertools.count()
    return re.sub(
        r"(?<= )[a-z]{3,}(?= )",
        lambda match: match[0] if next(number) % 30 else "perhaps",
        handbook()[uri].content.decode(),
    )


@corruption("lines_repeated")
def a_running_header_in_every_chunk() -> Candidate:
    return held(of(MANUAL), lambda chunk: said(chunk, f"Kelvarra confidential, printed copy\n{chunk.text}"))


@corruption("lines_repeated")
def a_legal_footer_in_every_chunk() -> Candidate:
    return held(of(RELAY), lambda chunk: said(chunk, f"{chunk.text}\nAll rights reserved by Kelvarra Holding"))


@corruption("lines_repeated")
def a_navigation_bar_in_every_chunk() -> Candidate:
    return held(of(FAQ), lambda chunk: said(chunk, f"Home Products Support Contact Log in\n{chunk.text}"))


# --- text read wrongly


@corruption("text_encoding")
def utf8_read_as_windows_1252() -> Candidate:
    text = "Für Überstunden gilt die Größe der Abteilung."
    wrong = text.encode().decode("cp1252")
    return held(only(middle(GERMAN)), lambda chunk: said(chunk, wrong))


@corruption("text_encoding")
def chinese_read_as_latin_1() -> Candidate:
    return held(only(middle(CHINESE)), lambda chunk: said(chunk, chunk.text.encode().decode("latin-1")))


@corruption("text_encoding")
def umlauts_replaced_by_question_diamonds() -> Candidate:
    return held(of(GERMAN), lambda chunk: said(chunk, chunk.text.replace("e", "\ufffd")))


@corruption("text_doubtful")
def umlauts_replaced_by_question_marks() -> Candidate:
    lost = handbook()[GERMAN].content.decode().encode("ascii", "replace")
    return candidate_of(with_documents(prepare(GERMAN, lost)))


@corruption("text_doubtful")
def a_new_document_with_question_marks_for_umlauts() -> Candidate:
    text = "# Arbeit\n\nDie Besch?ftigten melden ?berstunden der Leitung und nehmen sie im gleichen Quartal frei.\n"
    return candidate_of(with_documents(written("people/arbeit.md", text)))


@corruption("text_doubtful")
def letters_recognised_as_digits_and_signs() -> Candidate:
    return candidate_of(with_documents(prepare(TRAVEL, _recognised(TRAVEL, "olaise", "01@!5c"))))


@corruption("text_doubtful")
def letters_recognised_as_other_letters() -> Candidate:
    return candidate_of(with_documents(prepare(GUIDELINES, _recognised(GUIDELINES, "ern", "cfu"))))


@corruption("text_doubtful")
def a_new_scan_recognised_badly() -> Candidate:
    return candidate_of(with_documents(prepare("people/scan.md", _recognised(AWARENESS, "olaisern", "01@!5cfu"))))


def _recognised(uri: str, letters: str, others: str) -> bytes:
    """A document in which 30 % of some letters are taken for others, as a bad recognition does."""
    chance = random.Random(7)
    turned = dict(zip(letters, others, strict=True))
    text = handbook()[uri].content.decode()
    return "".join(turned.get(sign, sign) if chance.random() < 0.3 else sign for sign in text).encode()


@corruption("placeholders_left")
def a_template_published_without_its_values() -> Candidate:
    text = "# Welcome\n\nDear {{ first_name }}, your desk is in hall {{ hall }}.\n\n{% for day in week %}\n"
    return candidate_of(with_documents(written("people/welcome.md", text)))


@corruption("placeholders_left")
def a_section_still_to_be_written() -> Candidate:
    return candidate_of(with_documents(written(REFUND, "".join(_sections(REFUND)) + "\n## Gifts\n\nTODO: ask Kim.\n")))


@corruption("placeholders_left")
def filler_text_in_a_new_page() -> Candidate:
    text = "# Parking\n\nLorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor.\n"
    return candidate_of(with_documents(written("people/parking.md", text)))


@corruption("error_pages")
def a_page_of_an_error_in_a_documents_place() -> Candidate:
    text = "404 Not Found\n\nThe page you are looking for does not exist. Please log in to continue.\n"
    return candidate_of(with_documents(written(REFUND, text)))


@corruption("error_pages")
def a_login_page_in_german_in_a_documents_place() -> Candidate:
    text = "# Kelvarra\n\nIhre Sitzung ist abgelaufen. Bitte melden Sie sich an.\n\nPasswort vergessen?\n"
    return candidate_of(with_documents(written(GERMAN, text)))


@corruption("error_pages")
def a_new_page_behind_a_login() -> Candidate:
    text = "# Sign in\n\nYour session has expired. Please sign in to continue.\n\nForgot your password?\n"
    return candidate_of(with_documents(written("people/calendar.md", text)))


@corruption("text_doubtful")
def a_rotated_page() -> Candidate:
    return held(only(middle(MANUAL)), lambda chunk: said(chunk, " ".join(chunk.text.replace(" ", ""))))


@corruption("text_doubtful")
def single_characters_lost() -> Candidate:
    return held(only(middle(RELAY)), lambda chunk: said(chunk, chunk.text + " \ufffd"))


@corruption("code_cut")
def code_cut_inside_a_bracket() -> Candidate:
    code = next(chunk for chunk in chunks() if chunk.kind == "code" and len(chunk.text) > 40)
    halves = ("client.send(order,\n    {'lines': [1,", "2]},\n    retry=False)")
    document = handbook()[code.document_uri]
    last = document.chunks[-1].ordinal
    cut = [
        replace(said(code, half), ordinal=last + 1 + number, chunk_id=f"{number:032x}")
        for number, half in enumerate(halves)
    ]
    return candidate_of(handbook(), [*chunks(), *cut])


@corruption("code_cut")
def a_code_block_that_ends_with_its_loop() -> Candidate:
    body = _after(API, "    while True:\n", "~~~\n")
    return candidate_of(with_documents(edited(API, body, "")))


@corruption("code_cut")
def a_function_without_its_body() -> Candidate:
    body = _after(API, "def wait_for_shipment(client, order_id):\n", "~~~\n")
    return candidate_of(with_documents(edited(API, body, "\nprint(client.get('/v1/orders'))\n")))


@corruption("code_cut")
def a_call_that_stays_open() -> Candidate:
    return candidate_of(with_documents(edited(API, '{order_id}")', '{order_id}"')))


@corruption("code_cut")
def a_code_block_that_is_not_closed() -> Candidate:
    return candidate_of(with_documents(edited(API, "time.sleep(60)\n~~~\n", "time.sleep(60)\n")))


@corruption("code_cut")
def a_new_source_file_cut_off() -> Candidate:
    text = "import pumps\n\n\ndef run(pump):\n    pump.start()\n    while pump.on:\n"
    return candidate_of(with_documents(written("engineering/pump.py", text)))


def _after(uri: str, start: str, end: str) -> str:
    """What stands between two places of a document."""
    return handbook()[uri].content.decode().partition(start)[2].partition(end)[0]


@corruption("table_header")
def a_table_that_goes_on_without_its_header() -> Candidate:
    tables = [chunk for chunk in handbook()[CODES].chunks if chunk.kind == "table"]
    second = next(
        chunk
        for before, chunk in itertools.pairwise(tables)
        if before.heading_path == chunk.heading_path and before.text.split("\n")[0] == chunk.text.split("\n")[0]
    )
    return held(only(second), lambda chunk: said(chunk, chunk.text.split("\n", maxsplit=1)[1]))


@corruption("tables_lost")
def the_separator_of_a_table_deleted() -> Candidate:
    return candidate_of(with_documents(edited(TRAVEL, "|---|---|---|\n", "")))


@corruption("tables_lost")
def header_and_separator_of_a_table_deleted() -> Candidate:
    header = "| Country | Full day | Arrival or departure day |\n|---|---|---|\n"
    return candidate_of(with_documents(edited(TRAVEL, header, "")))


@corruption("tables_lost")
def a_row_of_a_table_in_its_headers_place() -> Candidate:
    header = "| Country | Full day | Arrival or departure day |\n|---|---|---|\n| Netherlands | 45 EUR | 30 EUR |\n"
    row = "| Netherlands | 45 EUR | 30 EUR |\n|---|---|---|\n"
    return candidate_of(with_documents(edited(TRAVEL, header, row)))


@corruption("tables_lost")
def a_new_table_without_its_separator() -> Candidate:
    rows = "| Part | Price |\n| fan | 20 EUR |\n| lamp | 8 EUR |\n| door | 90 EUR |\n"
    return candidate_of(with_documents(written("public/parts.md", f"# Spare parts\n\nAll parts ship today.\n\n{rows}")))


@corruption("columns_shifted")
def the_cells_of_all_rows_rotated_at_the_source() -> Candidate:
    lines = handbook()[TRAVEL].content.decode().split("\n")
    start = next(number for number, line in enumerate(lines) if line.startswith("| Country")) + 2
    for number in range(start, start + 5):
        cells = lines[number].strip("| ").split(" | ")
        lines[number] = f"| {' | '.join((*cells[1:], cells[0]))} |"
    return candidate_of(with_documents(written(TRAVEL, "\n".join(lines))))


@corruption("columns_shifted")
def columns_shifted_in_a_new_export() -> Candidate:
    header = "| Country | Full day | Arrival or departure day |\n|---|---|---|\n"
    rows = "| 1 | Oslo | 66 EUR |\n| 2 | Rome | 52 EUR |\n| 3 | Bern | 71 EUR |\n| 4 | Kyiv | 30 EUR |\n"
    table = _after(TRAVEL, header, "\n## ")
    return candidate_of(with_documents(edited(TRAVEL, table, rows)))


# --- languages


@corruption("language_mismatch")
def english_recorded_as_german() -> Candidate:
    return held(of(RELAY), lambda chunk: replace(chunk, language="de"))


@corruption("language_mismatch")
def everything_recorded_as_chinese() -> Candidate:
    return held(lambda _: True, lambda chunk: replace(chunk, language="zh"))


@corruption("language_changed")
def two_languages_swapped() -> Candidate:
    german, english = handbook()[GERMAN].content.decode(), handbook()[TRAVEL].content.decode()
    return candidate_of(with_documents(written(GERMAN, english), written(TRAVEL, german)))


@corruption("documents_exchanged")
def two_files_of_one_language_exchanged() -> Candidate:
    one, other = "engineering/relay-config-reference.md", "engineering/coding-guidelines.md"
    first, second = handbook()[one].content.decode(), handbook()[other].content.decode()
    return candidate_of(with_documents(written(one, second), written(other, first)))


@corruption("language_mismatch")
def language_labels_rotated() -> Candidate:
    turned = {"en": "de", "de": "zh", "zh": "en"}
    return held(lambda _: True, lambda chunk: replace(chunk, language=turned.get(chunk.language, "fr")))


@corruption("language_changed")
def a_translation_in_the_originals_place() -> Candidate:
    return candidate_of(with_documents(written("people/remote-work.md", handbook()[GERMAN].content.decode())))


# --- contradictions


@corruption("clauses_conflict")
def another_number_in_a_second_policy() -> Candidate:
    return _contradicted("## Hotels\n\n{}\n", "Hotel costs are refunded up to", "140", "180")


@corruption("clauses_conflict")
def another_date_in_a_second_policy() -> Candidate:
    one = "This rule takes effect for all employees of the holding on 1 March 2027."
    return _pair(one, one.replace("March", "May"))


@corruption("clauses_conflict")
def a_duty_denied_in_a_second_policy() -> Candidate:
    one = "Receipts for every taxi ride must be attached to the expense report."
    return _pair(one, one.replace("must be", "must not be"))


@corruption("clauses_conflict")
def a_permission_turned_into_a_ban() -> Candidate:
    one = "Private use of the company car on weekends is allowed in the whole country."
    return _pair(one, one.replace("allowed", "prohibited"))


@corruption("clauses_conflict")
def another_number_in_a_chinese_policy() -> Candidate:
    one = "员工每年享有带薪年休假的天数为15天，未使用的部分不予折算。"
    first = written("people/leave-zh.md", f"# 休假规定\n\n{one}\n\n本规定由人事部负责解释。\n")
    second = written("people/holiday-zh.md", f"# 休假规定\n\n{one.replace('15', '10')}\n\n如有疑问请联系上级主管。\n")
    return candidate_of(with_documents(first, second))


@corruption("clauses_conflict")
def another_number_word_in_a_second_policy() -> Candidate:
    one = "A lost access badge has to be reported to the reception within two working days."
    return _pair(one, one.replace("two", "five"))


@corruption("clauses_conflict")
def another_month_named_like_a_verb() -> Candidate:
    one = "The new parking rules apply from 1 March 2026."
    return _pair(one, one.replace("March", "May"))


@corruption("clauses_conflict")
def a_plain_sentence_denied_in_a_second_policy() -> Candidate:
    return _pair("A daily allowance replaces meal receipts.", "Daily allowances do not replace meal receipts.")


@corruption("clauses_conflict")
def another_date_in_a_german_policy() -> Candidate:
    one = "Die neuen Parkregeln gelten ab 1. März 2026."
    return _pair(one, one.replace("März", "Mai"))


@corruption("figures_changed")
def a_decimal_point_moved_at_the_source() -> Candidate:
    return candidate_of(with_documents(edited(TRAVEL, "0.30 EUR", "3.0 EUR")))


@corruption("figures_changed")
def a_limit_ten_times_as_high_in_a_table() -> Candidate:
    return candidate_of(with_documents(edited("finance/purchasing-limits.md", "2,500 EUR", "25,000 EUR")))


@corruption("figures_changed")
def kilometres_turned_into_miles() -> Candidate:
    return candidate_of(with_documents(edited(TRAVEL, "600 kilometres", "600 miles")))


@corruption("figures_changed")
def days_turned_into_weeks() -> Candidate:
    return candidate_of(with_documents(edited(TRAVEL, "within 30 days", "within 30 weeks")))


@corruption("figures_changed")
def a_chinese_numeral_ten_times_as_high() -> Candidate:
    return _rewritten("五百元", "五千元")


@corruption("figures_changed")
def hours_turned_into_days_in_chinese() -> Candidate:
    return _rewritten("两小时", "两天")


@corruption("duties_turned")
def a_ban_turned_into_a_permission_in_chinese() -> Candidate:
    return _rewritten("不得", "可以")


@corruption("duties_turned")
def a_denial_dropped() -> Candidate:
    return _rewritten("are never printed", "are printed")


@corruption("duties_turned")
def a_ban_turned_into_a_permission() -> Candidate:
    return _rewritten("must not be split", "may be split")


@corruption("duties_turned")
def a_german_denial_dropped() -> Candidate:
    return _rewritten("werden nicht ", "werden ")


@corruption("duties_turned")
def a_french_denial_dropped() -> Candidate:
    return _rewritten("ne sont pas ", "sont ")


@corruption("text_doubtful")
def entities_left_in_the_text() -> Candidate:
    return candidate_of(
        with_documents(written("people/oven.md", "# Oven\n\nThe oven heats to 110 &amp;deg;C at noon.\n"))
    )


@corruption("text_doubtful")
def spaces_between_all_chinese_characters() -> Candidate:
    spaced = "# 食堂\n\n食 堂 中 午 开 放 ， 访 客 请 先 在 前 台 登 记 然 后 领 取 餐 券 。\n"
    return candidate_of(with_documents(written("people/canteen-zh.md", spaced)))


RULES = (
    "# Rules of the vault\n\nPasswords are never printed on labels. Orders of one project must not be split. "
    "Reisen am Wochenende werden nicht bezahlt. Les frais de taxi ne sont pas remboursés.\n\n"
    "住宿费用每晚最高报销五百元。申请人应在两小时之内通知主管。报销单据不得转交他人。\n"
)


def _rewritten(old: str, new: str) -> Candidate:
    """A live document with some words exchanged."""
    before, after = written("people/vault.md", RULES), written("people/vault.md", RULES.replace(old, new))
    assert before != after, old
    made = candidate_of(with_documents(after))
    live = {before.chunks[0].document_id: [(chunk.heading_path, chunk.text) for chunk in before.chunks]}
    changed = [
        replace(document, live=document.prepared) if document.uri == before.uri else document
        for document in made.documents
    ]
    return replace(
        made, documents=changed, live_text=lambda key: live.get(key) or candidate_of(handbook()).live_text(key)
    )


def _pair(one: str, other: str) -> Candidate:
    first = written(
        "people/rule-one.md", f"# Rules of the house\n\n{one}\n\nThe people team answers questions on it.\n"
    )
    second = written(
        "people/rule-two.md", f"# Rules of the house\n\n{other}\n\nAsk your line manager about it first.\n"
    )
    return candidate_of(with_documents(first, second))


def _contradicted(shape: str, start: str, number: str, other: str) -> Candidate:
    one = f"{start} {number} EUR per night, with breakfast included in the price."
    return _pair(shape.format(one), shape.format(one.replace(number, other)))


# --- permissions and validity


@corruption("permissions_widened")
def a_document_opened_to_everybody() -> Candidate:
    return held(of(TRAVEL), lambda chunk: replace(chunk, acl=("all-employees", "public")))


@corruption("permissions_widened")
def one_chunk_opened_to_everybody() -> Candidate:
    return held(only(middle(SALARY)), lambda chunk: replace(chunk, acl=("public",)))


@corruption("permissions_widened")
def a_confidential_document_for_all_employees() -> Candidate:
    return held(of(SALARY), lambda chunk: replace(chunk, acl=("all-employees", "people-team")))


@corruption("permissions_widened")
def a_new_confidential_document_for_everybody() -> Candidate:
    new = written(
        "people-confidential/bonus.md", "# Bonus\n\nThe bonus of the board is agreed on in March of each year.\n"
    )
    opened = replace(new, acl=("public",), chunks=tuple(replace(chunk, acl=("public",)) for chunk in new.chunks))
    return candidate_of(with_documents(opened))


@corruption("metadata_differs")
def half_of_the_principals_gone() -> Candidate:
    return held(lambda chunk: chunk.ordinal % 2 == 0, lambda chunk: replace(chunk, acl=chunk.acl[1:]))


@corruption("metadata_differs")
def what_is_confidential_marked_public() -> Candidate:
    return held(of(SALARY), lambda chunk: replace(chunk, sensitivity="public"))


@corruption("copies_wider")
def a_confidential_passage_pasted_into_a_public_page() -> Candidate:
    pasted = middle(SALARY)
    return candidate_of(handbook(), everything_new=True, copies={pasted.chunk_id: (Copy(FAQ, ("public",)),)})


@corruption("copies_wider")
def a_confidential_section_pasted_into_a_page_for_employees() -> Candidate:
    secret = next(chunk for chunk in handbook()[SALARY].chunks if len(chunk.text.split()) > 20)
    source = handbook()[AWARENESS].content.decode().rstrip()
    return candidate_of(with_documents(written(AWARENESS, f"{source}\n\n{secret.text}\n")), copies={})


@corruption("copies_wider")
def a_confidential_document_as_a_page_for_employees() -> Candidate:
    copy = written("people/bands.md", handbook()[SALARY].content.decode())
    return candidate_of(with_documents(copy), copies={})


@corruption("copies_wider")
def a_confidential_section_moved_to_a_page_for_employees() -> Candidate:
    *kept, last = re.split(r"(?m)^(?=## )", handbook()[SALARY].content.decode())
    grown = handbook()[AWARENESS].content.decode().rstrip() + f"\n\n{last}"
    return candidate_of(with_documents(written(SALARY, "".join(kept)), written(AWARENESS, grown)), copies={})


def _of_readers(uri: str, acl: tuple[str, ...]) -> Candidate:
    document = handbook()[uri]
    closed = replace(document, acl=acl, chunks=tuple(replace(chunk, acl=acl) for chunk in document.chunks))
    return candidate_of(with_documents(closed))


@corruption("readers_lost")
def a_document_closed_to_its_readers() -> Candidate:
    return _of_readers("people/parental-leave.md", ())


@corruption("readers_lost")
def a_group_mistyped() -> Candidate:
    return _of_readers(TRAVEL, ("all-employes",))


@corruption("readers_lost")
def a_section_closed_to_its_readers() -> Candidate:
    return held(only(middle(TRAVEL)), lambda chunk: replace(chunk, section_acl=("people-team",)))


def _of_days(valid_from: date | None, valid_until: date | None) -> Candidate:
    document = handbook()[CODES]
    dated = tuple(replace(chunk, valid_from=valid_from, valid_until=valid_until) for chunk in document.chunks)
    return candidate_of(with_documents(replace(document, chunks=dated)))


@corruption("readers_lost")
def a_document_that_begins_in_another_century() -> Candidate:
    return _of_days(date(2062, 7, 1), None)


@corruption("readers_lost")
def a_document_that_ended_last_year() -> Candidate:
    return _of_days(None, date(2025, 7, 1))


@corruption("permissions_widened")
def a_closed_section_opened() -> Candidate:
    good, closed = candidate_of(handbook()), middle(TRAVEL)

    def before(document: CandidateDocument) -> CandidateDocument:
        if document.uri != TRAVEL or document.live is None:
            return document
        return replace(document, live=replace(document.live, sections={closed.chunk_id: ("people-team",)}))

    return replace(good, documents=[before(document) for document in good.documents])


@corruption("questions_denied")
def permissions_ignored_by_search() -> Candidate:
    good = candidate_of(handbook())
    everyone = tuple({group for chunk in chunks() for group in chunk.acl})
    return replace(good, ask=lambda question, k: good.ask(replace(question, principals=everyone), k))


@corruption("questions_denied")
def a_confidential_text_in_a_public_document() -> Candidate:
    copy = written("public/salaries.md", handbook()[SALARY].content.decode())
    return candidate_of(with_documents(copy))


@corruption("newer_first")
def an_expired_policy_on_top() -> Candidate:
    good = candidate_of(handbook(), expired=frozenset((OLD_TRAVEL,)))
    old = handbook()[OLD_TRAVEL].chunks[0]
    return replace(good, ask=lambda question, k: [_hit(old), *good.ask(question, k)][:k])


@corruption("metadata_differs")
def the_validity_of_an_old_policy_lost() -> Candidate:
    return held(of(OLD_TRAVEL), lambda chunk: replace(chunk, valid_until=None))


@corruption("validity_lost")
def the_validity_of_an_old_policy_removed_at_its_source() -> Candidate:
    source = handbook()[OLD_TRAVEL].content.decode()
    until = next(line for line in source.split("\n") if line.startswith("valid_until:"))
    return candidate_of(with_documents(edited(OLD_TRAVEL, f"{until}\n", "")))


@corruption("validity_lost")
def the_end_of_an_old_policy_put_off() -> Candidate:
    source = handbook()[OLD_TRAVEL].content.decode()
    until = next(line for line in source.split("\n") if line.startswith("valid_until:"))
    later = with_documents(edited(OLD_TRAVEL, until, "valid_until: 2035-12-31"))
    return candidate_of(later, live_expired=frozenset((OLD_TRAVEL,)), replaced={})


@corruption("metadata_differs")
def every_document_valid_a_year_later() -> Candidate:
    return held(of(RELAY), lambda chunk: replace(chunk, valid_from=date(2027, 6, 1)))


@corruption("newer_first")
def an_expired_policy_valid_for_ever() -> Candidate:
    forever = date(2099, 12, 31)
    return held(of(OLD_TRAVEL), lambda chunk: replace(chunk, valid_until=forever), expired=frozenset((OLD_TRAVEL,)))


def _hit(chunk: CandidateChunk) -> Hit:
    return Hit(chunk.chunk_id, chunk.document_uri, chunk.text)


# --- citations


@corruption("locator_opens")
def line_numbers_off_by_twenty() -> Candidate:
    def shifted(chunk: CandidateChunk) -> CandidateChunk:
        first, last = chunk.locator.line or (1, 1)
        return replace(chunk, locator=Locator(line=(first + 20, last + 20)))

    return held(of(RELAY), shifted)


@corruption("locator_opens")
def every_citation_of_page_one() -> Candidate:
    return held(of(MANUAL), lambda chunk: replace(chunk, locator=Locator(page=1)))


@corruption("locator_opens")
def originals_exchanged() -> Candidate:
    swapped = replace(handbook()[REFUND], content=handbook()["public/shipping-policy.md"].content)
    return candidate_of(with_documents(swapped), everything_new=True)


@corruption("locator_opens")
def originals_that_cannot_be_opened() -> Candidate:
    broken = replace(handbook()[MANUAL], content=b"%PDF-1.4 nothing")
    return candidate_of(with_documents(broken), everything_new=True)


@corruption("locator_opens")
def a_sentence_that_no_source_holds() -> Candidate:
    invented = "Every employee receives a bonus of a thousand euros for each year of loyal service to the company."
    return held(only(middle(TRAVEL)), lambda chunk: said(chunk, invented))


@corruption("locator_opens")
def citations_of_the_page_after() -> Candidate:
    return held(of(MANUAL), lambda chunk: replace(chunk, locator=Locator(page=(chunk.locator.page or 0) + 1)))


@corruption("locator_opens")
def the_texts_of_two_documents_exchanged() -> Candidate:
    texts = {chunk.ordinal: chunk for chunk in handbook()[API].chunks}

    def other(chunk: CandidateChunk) -> CandidateChunk:
        found = texts[chunk.ordinal % len(texts)]
        return replace(chunk, text=found.text, index_text=found.index_text)

    return held(of(RELAY), other)


@corruption("locator_opens")
def every_year_the_next_one() -> Candidate:
    def later(chunk: CandidateChunk) -> CandidateChunk:
        return said(chunk, re.sub(r"\b20\d\d\b", lambda match: str(int(match[0]) + 1), chunk.text))

    return held(lambda chunk: "travel" in chunk.document_uri, later)


@corruption("locator_opens")
def decimal_points_lost() -> Candidate:
    return held(lambda _: True, lambda chunk: said(chunk, re.sub(r"(?<=\d)[.,](?=\d)", "", chunk.text)))


@corruption("locator_opens")
def one_amount_of_money_changed() -> Candidate:
    victim = next(chunk for chunk in handbook()[TRAVEL].chunks if "EUR" in chunk.text and "140" in chunk.text)
    return held(only(victim), lambda chunk: said(chunk, chunk.text.replace("140", "160")))


@corruption("locator_opens")
def everything_in_small_letters() -> Candidate:
    return held(of(API), lambda chunk: said(chunk, chunk.text.lower()))


@corruption("locator_opens")
def the_columns_of_a_table_rotated() -> Candidate:
    def rotated(chunk: CandidateChunk) -> CandidateChunk:
        header, *rows = chunk.text.split("\n")
        turned = [" | ".join((cells := row.split(" | "))[-1:] + cells[:-1]) for row in rows]
        return said(chunk, "\n".join((header, *turned)))

    return held(lambda chunk: of(CODES)(chunk) and chunk.kind == "table", rotated)


@corruption("text_doubtful")
def spaces_between_words_lost() -> Candidate:
    return held(only(middle(TRAVEL)), lambda chunk: said(chunk, re.sub(r"[\s.,:()-]", "", chunk.text)))


@corruption("headings_wrong")
def the_headings_of_two_documents_exchanged() -> Candidate:
    paths = [chunk.heading_path for chunk in handbook()[REFUND].chunks]

    def other(chunk: CandidateChunk) -> CandidateChunk:
        path = paths[chunk.ordinal % len(paths)]
        return replace(chunk, heading_path=path, index_text=f"{' > '.join(path)}\n{chunk.text}")

    return held(of(RELAY), other)


@corruption("parents_wrong")
def chunks_that_name_another_section() -> Candidate:
    return held(of(API), lambda chunk: replace(chunk, in_parent=False))


@corruption("keywords_missing")
def keywords_emptied() -> Candidate:
    return candidate_of(
        handbook(), altered(lambda _: True, lambda chunk: replace(chunk, keywords=())), everything_new=True
    )


# --- vectors


@corruption("vectors_wrong")
def one_vector_in_three_of_another_text() -> Candidate:
    def mixed(chunk: CandidateChunk) -> Any:
        return vector(chunk.index_text if int(chunk.chunk_id[:4], 16) % 3 else "something else altogether")

    return candidate_of(handbook(), stored=mixed, everything_new=True)


@corruption("vectors_missing")
def a_batch_of_vectors_lost() -> Candidate:
    return held(of(API), lambda chunk: replace(chunk, has_vector=False))


@corruption("vectors_wrong")
def vectors_of_another_model() -> Candidate:
    def other(chunk: CandidateChunk) -> Any:
        made = np.random.default_rng(int(chunk.chunk_id[:8], 16)).standard_normal(DIMENSIONS)
        return made / np.linalg.norm(made)

    return candidate_of(handbook(), stored=other, everything_new=True)


@corruption("vectors_wrong")
def vectors_in_the_wrong_order() -> Candidate:
    held_chunks = chunks()
    after = {chunk.chunk_id: held_chunks[number - 1] for number, chunk in enumerate(held_chunks)}
    return candidate_of(handbook(), stored=lambda chunk: vector(after[chunk.chunk_id].index_text), everything_new=True)


@corruption("vectors_wrong")
def vectors_of_the_text_without_its_headings() -> Candidate:
    return candidate_of(handbook(), stored=lambda chunk: vector(chunk.text[:60]), everything_new=True)


# --- what must not be stored


@corruption("personal_data")
def a_mail_address_in_the_text() -> Candidate:
    return held(only(middle(TRAVEL)), lambda chunk: said(chunk, chunk.text + " Ask jane.doe@post.nl."))


@corruption("personal_data")
def a_secret_in_the_index() -> Candidate:
    token = "ghp_" + "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH", k=36))
    return held(only(middle(RELAY)), lambda chunk: replace(chunk, index_text=f"{chunk.index_text} {token}"))


@corruption("personal_data")
def an_account_number_in_a_table() -> Candidate:
    return held(only(middle(CODES)), lambda chunk: said(chunk, chunk.text + "\nrefund to DE89 3704 0044 0532 0130 00"))


# --- answers


@corruption("questions_recall")
def hits_in_reverse_order() -> Candidate:
    good = candidate_of(handbook())
    return replace(good, ask=lambda question, k: list(reversed(good.ask(question, 100)))[:k])


@corruption("questions_mrr")
def the_best_hit_in_fifth_place() -> Candidate:
    good = candidate_of(handbook())

    def ask(question: Question, top_k: int) -> Sequence[Hit]:
        hits = list(good.ask(question, top_k + 10))
        return [*hits[1:5], *hits[:1], *hits[5:]][:top_k]

    return replace(good, ask=ask)


@corruption("questions_worse")
def identifiers_taken_apart() -> Candidate:
    good = candidate_of(handbook())

    def ask(question: Question, top_k: int) -> Sequence[Hit]:
        return [] if question.kind == "identifier" else good.ask(question, top_k)

    return replace(good, ask=ask)


@corruption("questions_unanswered")
def a_search_that_finds_nothing() -> Candidate:
    good = candidate_of(handbook())
    return replace(good, ask=lambda question, k: good.ask(question, k) if question.id < "m" else [])


@corruption("questions_measured")
def a_search_that_breaks_on_long_questions() -> Candidate:
    good = candidate_of(handbook())

    def ask(question: Question, top_k: int) -> Sequence[Hit]:
        if len(question.question) > 40:
            raise TimeoutError
        return good.ask(question, top_k)

    return replace(good, ask=ask)


@corruption("questions_no_answer")
def a_search_that_always_finds_something() -> Candidate:
    good = candidate_of(handbook())
    any_hit = [_hit(handbook()[REFUND].chunks[0])]
    return replace(good, ask=lambda question, k: good.ask(question, k) or any_hit)


@corruption("questions_stale")
def the_words_of_an_answer_rewritten() -> Candidate:
    return held(
        of(CODES), lambda chunk: said(chunk, chunk.text.replace("80 percent", "most").replace("uplink", "connection"))
    )


# --- the whole set


@corruption("release_empty")
def nothing_left() -> Candidate:
    return candidate_of({}, [])


@corruption("view_empty")
def a_view_that_shows_nothing() -> Candidate:
    return candidate_of(handbook(), views={"all": 220, "support": 0}, live_views={"all": 1, "support": 1})


@corruption("documents_failed")
def most_documents_failed() -> Candidate:
    strict = Thresholds(recall_at_5=0.85, mrr=0.6, changed_share=1.0, failed_share=0.2)
    return candidate_of(handbook(), failed=12, thresholds=strict)


@corruption("mass_change")
def every_document_changed_at_once() -> Candidate:
    return candidate_of(handbook(), thresholds=Thresholds(recall_at_5=0.85, mrr=0.6))


@corruption("formats_gone")
def every_pdf_gone() -> Candidate:
    pdf = [uri for uri in handbook() if uri.endswith(".pdf")]
    return candidate_of(with_documents(without=pdf), formats_gone={"application/pdf": max(2, len(pdf))})


@corruption("questions_worse")
def documents_that_answer_questions_deleted() -> Candidate:
    return candidate_of(with_documents(without=[CODES, RELAY, API]))


@corruption("questions_worse")
def answers_moved_to_a_draft_that_few_may_read() -> Candidate:
    moved = handbook()[CODES]
    hidden = tuple(replace(chunk, acl=("people-team",)) for chunk in moved.chunks)
    return candidate_of(with_documents(replace(moved, acl=("people-team",), chunks=hidden)))


@corruption("cleaning_removed")
def a_rule_that_takes_most_of_a_document() -> Candidate:
    return candidate_of(handbook(), removed={TRAVEL: 0.8})


@corruption("coverage_low")
def a_parser_that_skips_a_column() -> Candidate:
    return candidate_of(handbook(), uncovered={MANUAL: 0.6})


@corruption("parts_broken")
def one_entry_of_many_that_is_none() -> Candidate:
    problem = "entry 2 in line 9: fragment 1: `text` is missing or empty"
    return candidate_of(handbook(), broken=({"uri": MANUAL, "problem": problem},))


@corruption("relations_broken")
def the_target_of_a_reference_renamed() -> Candidate:
    lost = TouchedRelation(API, "link", "error-codes.md", held=True, holds=False)
    return candidate_of(handbook(), relations=(lost,))


@corruption("relations_broken")
def a_link_mistyped() -> Candidate:
    wrong = TouchedRelation(API, "link", "error codes", held=False, holds=False, target="error-cods.md", is_new=True)
    return candidate_of(handbook(), relations=(wrong,))


@corruption("relations_broken")
def the_heading_a_link_leads_to_renamed() -> Candidate:
    return candidate_of(handbook(), relations=(replace(_TO_A_PLACE, anchor_held=True, anchors=("retries",)),))


@corruption("relations_broken")
def the_anchor_of_a_link_mistyped() -> Candidate:
    wrong = replace(_TO_A_PLACE, anchor="time-out", anchor_is_new=True, anchors=("timeouts", "retries"))
    return candidate_of(handbook(), relations=(wrong,))


_TO_A_PLACE = TouchedRelation(API, "link", "time limits", held=True, holds=True, target=CODES, anchor="timeouts")
