"""Which structured format a text is: files named `.json`, `.yaml`, `.csv` or `.sql` are told apart by what they say."""

from __future__ import annotations

import json
import re

_LOOKED_AT = 200_000
_API = re.compile(r"""^\s*\{?\s*(?:["']?)(?:openapi|swagger)["']?\s*:\s*["']?[123]\.""", re.MULTILINE)
_API_ANYWHERE = re.compile(r'"(?:openapi|swagger)"\s*:\s*"[123]\.')
_API_PATHS = re.compile(
    r"""^\s*(?:["'])?(?:paths|info|components|webhooks)["']?\s*:|"(?:paths|info)"\s*:""", re.MULTILINE
)
_SCHEMA = re.compile(r"""^\s*\{?\s*["']?\$schema["']?\s*:\s*["']?https?://json-schema\.org/""", re.MULTILINE)
_SCHEMA_LIKE = re.compile(
    r'\A\s*\{(?=.{0,4000}"(?:properties|\$defs|definitions)"\s*:\s*\{)(?=.{0,4000}"type"\s*:\s*"object")', re.DOTALL
)
_BOX_NOTE = re.compile(r'"doc"\s*:\s*\{\s*"type"\s*:\s*"doc"')
_NOTEBOOK = re.compile(r'"(?:nbformat|cells)"\s*:')
_STRING = r'"(?:[^"\\]|\\.)*"'
_ENTRY = re.compile(
    rf'"fragments"\s*:\s*\[\s*\{{\s*(?:(?:[^{{}}"]|{_STRING})*?,\s*)?"type"\s*:\s*"(?:def|int|ex|form|app)"'
)
_ENTRY_LIKE = re.compile(
    rf'"fragments"\s*:\s*\[\s*\{{\s*(?:"type"\s*:\s*{_STRING}\s*,\s*"text"|"text"\s*:\s*{_STRING}\s*,\s*"type")'
    rf"\s*:\s*{_STRING}\s*\}}"
)
"""Fragments of a type and a text and nothing else, of a type that is none: the parser says which there are."""
_TRANSCRIPT = re.compile(
    r""""(?:start|start_time|startTime|from|begin|tStartMs|start_ms)"\s*:\s*"?[\d:.,]+s?"?\s*,"""
    r"""(?=[^{}]{0,400}"(?:end|end_time|endTime|to|duration|dDurationMs|end_ms)"\s*:)"""
    r"""(?=[^{}]{0,4000}"(?:text|transcript|segs|utterance)"\s*:)"""
)
_CONVERSATION = re.compile(r'\s*\{\s*"kprep_conversation"\s*:')
_ENTRY_NAME = re.compile(r'"name"\s*:')
_DICTIONARY = re.compile(
    r"^(?:models|tables|entities|sources|datasets|views)\s*:(?=.{0,4000}?^\s+(?:-\s+)?(?:columns|fields|attributes|variables)\s*:\s*\n\s+(?:-\s+)?\{?\s*\w+\s*:)",
    re.MULTILINE | re.DOTALL,
)
_DDL = re.compile(r"\bCREATE\s+(?:\w+\s+){0,4}?(?:TABLE|VIEW|TYPE)\b|\bCOMMENT\s+ON\b|\bALTER\s+TABLE\b", re.IGNORECASE)
_SHEBANG = re.compile(r"#!\s*(?:/\S*/)?(?:env\s+(?:-\S+\s+)*)?(?P<program>[a-z]+)")
_PROGRAMS = {
    "bash": "text/x-shellscript", "sh": "text/x-shellscript", "zsh": "text/x-shellscript", "ksh": "text/x-shellscript",
    "python": "text/x-python", "node": "text/javascript", "ruby": "text/x-ruby", "php": "text/x-php",
}  # fmt: skip
_DOTENV = re.compile(r"^\.env|(?:^|\.)env(?:rc)?(?:\.[\w.~-]+)?~?$|\.env(?:rc)?[_-][\w.~-]*$", re.IGNORECASE)
_JSON_TYPES = {"application/json", "application/jsonl", "application/yaml"}


def is_dotenv_name(name: str) -> bool:
    """Whether a text of that name holds an environment: `.env`, `prod.env.local`, `.env-test`, `a.envrc`."""
    return _DOTENV.search(name) is not None


def refine(media_type: str, name: str, text: str) -> str:
    """The media type of a text of which `media_type` is what its name says, from the first 200,000 characters."""
    head = text[:_LOOKED_AT]
    if is_dotenv_name(name) and media_type == "text/plain":
        return "text/x-dotenv"
    if media_type in _JSON_TYPES:
        return _tree_type(media_type, head)
    if media_type in {"text/csv", "text/tab-separated-values"}:
        return _table_type(media_type, head)
    if media_type == "application/sql":
        return media_type if _DDL.search(head) else "text/x-sql"
    if media_type == "text/plain" and "." not in name.strip("."):
        return _script_type(head)
    return media_type


def _tree_type(media_type: str, head: str) -> str:
    is_json = head.lstrip("\ufeff \t\r\n")[:1] in {"{", "["}
    if (_API.search(head) or (is_json and _API_ANYWHERE.search(head))) and _API_PATHS.search(head):
        return "application/vnd.oai.openapi+json" if is_json else "application/vnd.oai.openapi"
    if is_json and (_ENTRY.search(head) or _ENTRY_LIKE.search(head)) and _ENTRY_NAME.search(head):
        return "application/vnd.kprep.knowledge+json"
    if is_json and _NOTEBOOK.search(head) and '"cell_type"' in head:
        return "application/x-ipynb+json"
    for known, looks in (
        ("application/vnd.box.boxnote+json", _BOX_NOTE),
        ("application/vnd.kprep.transcript+json", _TRANSCRIPT),
    ):
        if is_json and looks.search(head):
            return known
    if media_type == "application/jsonl":
        return "application/vnd.kprep.conversation+jsonl" if _CONVERSATION.match(head) else media_type
    if _SCHEMA.search(head) or (is_json and _SCHEMA_LIKE.match(head)):
        return "application/schema+json" if is_json else "application/schema+yaml"
    if is_json:
        return "application/jsonl" if media_type == "application/json" and _is_lines(head) else media_type
    return "application/vnd.kprep.data-dictionary+yaml" if _DICTIONARY.search(head) else media_type


def _is_lines(head: str) -> bool:
    """One JSON value a line, though the name says JSON: the first line is one, and another begins after it."""
    first, _, rest = head.lstrip("\ufeff \t\r\n").partition("\n")
    if rest.lstrip()[:1] not in {"{", "["}:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _table_type(media_type: str, head: str) -> str:
    from parsers.data_dictionary import is_csv_dictionary
    from parsers.records import delimiter_of

    lines = [line for line in re.split(r"[\r\n]+", head.lstrip("\ufeff"))[:3] if line.strip()]
    if not lines:
        return media_type
    header = [cell.strip(' "\r') for cell in lines[0].split(delimiter_of(head))]
    return "text/vnd.kprep.data-dictionary+csv" if is_csv_dictionary(header) else media_type


def _script_type(head: str) -> str:
    match = _SHEBANG.match(head)
    return _PROGRAMS.get(match["program"], "text/plain") if match else "text/plain"
