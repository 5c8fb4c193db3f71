"""Is the text a page for readers: no template without its values, no page of an error or a login in its place?"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from quality.samples import first, shown
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding
from quality.text import missing, shingles, word_count, words

_MARKS = {
    "a placeholder of a template": re.compile(
        r"\{\{[-~#/]?\s*[\w.]+(?:\s*\|[^{}\n]*)?\s*[-~]?\}\}|\{%[-+]?\s*\w[^{}%\n]*%\}|<%=?[^%\n]+%>"
    ),
    "text that is still to be written": re.compile(
        r"(?m)(?<![\w/-])(?:TODO|TBD|FIXME)\b(?=[:\u2026!()]|[.\s]*$)"
        r"|\[(?:TODO|TBD|FIXME|insert|fill in)\b[^\]\n]{0,60}\]"
    ),
    "filler text": re.compile(r"\bLorem ipsum\b|\b[Ll]orem ipsum dolor\b|\bconsectetur adipisc"),
}
_ABOUT_TEMPLATES = re.compile(
    r"templat|jinja|liquid|handlebars|mustache|twig|django|helm|ansible|placeholder|merge field|macro|variable"
    r"|vorlage|platzhalter|seriendruck|gabarit|plantilla|modello|sjablo|模板|占位",
    re.IGNORECASE,
)
"""A text about templates may show what they write."""
_CODE_SPAN = re.compile(r"(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)|<(code|pre|kbd|samp)\b[\s\S]*?</\2>", re.IGNORECASE)

_PAGES = (
    r"\b(?:error )?(?:40[0134]|410|50[0234])\b[\s:|,–—-]*(?:error|not found|forbidden|unauthori[sz]ed|gone|bad)\b",
    r"\b(?:error )?(?:40[134]|50[03])\b[\s:|,–—-]*(?:internal|service|access|nicht|introuvable|interdit|no encontrad)",
    r"\bpage (?:not found|can(?:not|.t) be found|does(?: not|n.t) exist|you (?:requested|are looking for))",
    r"\b(?:please|you (?:must|need to|have to)) (?:log|sign) ?in\b",
    r"\b(?:log|sign) in to (?:continue|view|access|your account)",
    r"\byour session has (?:expired|timed out)",
    r"\byou do not have permission to (?:view|access)",
    r"\baccess (?:is |was )?denied\b",
    r"\benable (?:javascript|cookies)\b",
    r"\b(?:verify(?:ing)? (?:that )?you are (?:a )?human|checking your browser)\b",
    r"\b(?:forgot(?:ten)? (?:your )?password|passwort vergessen|mot de passe oublié|olvidó su contraseña)",
    r"\bseite (?:wurde )?nicht gefunden",
    r"\bbitte (?:melden sie sich|loggen sie sich|einloggen|anmelden)|\banmeldung erforderlich",
    r"\bzugriff verweigert",
    r"\bsitzung (?:ist )?abgelaufen",
    r"\bpage (?:non trouvée|introuvable)",
    r"\bveuillez vous (?:connecter|identifier)",
    r"\baccès (?:refusé|interdit)",
    r"\bp[áa]gina no (?:encontrada|existe)",
    r"\binici(?:e|a) sesión para",
    r"\b(?:acceso denegado|accesso negato|acesso negado|toegang geweigerd)",
    r"\bpagina (?:non trovata|niet gevonden)|\bpágina não encontrada",
    r"\beffettua(?:re)? (?:il login|l.accesso)|\b(?:log|meld u) (?:in|aan) om (?:verder|door) te gaan|\bfaça login",
    r"页面(?:不存在|未找到)|找不到(?:该)?页面|ページが見つかりません",
    r"请(?:先)?登录|ログインしてください",
    r"访问被拒绝",
)
"""What the pages of an error or a login say; one pattern for each of their sentences."""
_PAGE = [re.compile(pattern, re.IGNORECASE) for pattern in _PAGES]
MOST_WORDS = 80
"""Longer documents speak of such pages."""
BEGINS = 60
"""Characters within which a page of an error says so; a text that speaks of one has a subject first."""
REPLACED = 0.5
"""Share of a live version's words that must be gone for one such sentence to stand in their place."""


def placeholders_left(candidate: Candidate) -> Sequence[Finding]:
    """Documents with what a template leaves open: placeholders, "TODO", filler text. Not in code, nor in texts about
    templates, nor what the live version has too."""
    live = {document.document_id for document in candidate.documents if document.live}
    found: dict[str, list[tuple[CandidateChunk, str]]] = defaultdict(list)
    for chunk in candidate.chunks:
        if not chunk.is_new or chunk.kind == "code" or not (marks := _marks(chunk.text)):
            continue
        if chunk.document_id in live:
            before = "\n".join(text for _, text in candidate.live_text(chunk.document_id))
            marks = {mark: what for mark, what in marks.items() if mark not in before}
        about = " ".join((*chunk.heading_path, chunk.text))
        if marks and not _ABOUT_TEMPLATES.search(about) and _in_prose(candidate, chunk, marks):
            found[chunk.document_id].append((chunk, next(iter(marks.values()))))
    message = f"{len(found)} documents hold text that a template left open"
    if found:
        message += ": fill it in at the source, or exclude the document"
    samples = first(shown(candidate, *chunks[0], chunks=len(chunks)) for chunks in found.values())
    return [Finding("placeholders_left", "warning", not found, float(len(found)), 0.0, message, samples)]


def _marks(text: str) -> dict[str, str]:
    return {match[0].strip(): what for what, pattern in _MARKS.items() for match in pattern.finditer(text)}


def _in_prose(candidate: Candidate, chunk: CandidateChunk, marks: dict[str, str]) -> bool:
    """Whether a mark stands in the original outside of code. The text does not say: parsers keep what a span says."""
    try:
        original = candidate.open_original(chunk)
    except Exception:  # noqa: BLE001  `locator_opens` reports it; here it only means: look at the text alone
        return True
    coded = [match[0] for match in _CODE_SPAN.finditer(original)]
    return any(
        original.count(mark) == 0 or original.count(mark) > sum(text.count(mark) for text in coded) for mark in marks
    )


def error_pages(candidate: Candidate) -> Sequence[Finding]:
    """Short new documents that say what the page of an error or a login says, in the place of their text."""
    held = candidate.by_document()
    found = []
    for document in candidate.documents:
        own = held.get(document.document_id, [])
        if not any(chunk.is_new for chunk in own):
            continue
        title = " ".join(own[0].heading_path)
        text = "\n".join(chunk.text for chunk in own)
        said = [match for pattern in _PAGE if (match := pattern.search(f"{title}\n{text}"))]
        if not said or word_count(text) > MOST_WORDS:
            continue
        live = [text for _, text in candidate.live_text(document.document_id)] if document.live else []
        gone = _gone(live, text)
        early = min(match.start() for match in said) <= BEGINS
        if (live and gone >= REPLACED) or (not live and early and len(said) >= 2):
            found.append(own[0])
    message = f"{len(found)} documents are the page of an error or a login"
    if found:
        message += ": look whether the source lets kprep in; exclude the page, or approve where it is meant"
    samples = first(shown(candidate, chunk) for chunk in found)
    return [Finding("error_pages", "warning", not found, float(len(found)), 0.0, message, samples)]


def _gone(live: Sequence[str], text: str) -> float:
    """Share of a live version's words that stand no longer in a text; of one that said the same before, none."""
    if any(pattern.search("\n".join(live)) for pattern in _PAGE) and word_count("\n".join(live)) <= MOST_WORDS:
        return 0.0
    before = [word for passage in live for word in words(passage)]
    return missing(before, shingles(words(text))) / len(before) if before else 0.0


CHECKS = (CheckSpec("placeholders_left", placeholders_left), CheckSpec("error_pages", error_pages))
