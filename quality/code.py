"""Is code whole: in one piece in its chunks, and not cut off in its source?"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from quality.samples import MAX_CHARS, first, shown, vouched
from quality.spec import Candidate, CandidateChunk, CheckSpec, Finding, Passage
from quality.text import word_count

ROOM = 0.75
"""Share of the largest code chunk's tokens that surely fits in one: a chunk has its heading too."""
PROSE_WORDS = 8
"""A paragraph in code with as many words, and none of the signs of code, is prose."""

_STRINGS = re.compile(
    r'"""[\s\S]*?(?:"""|\Z)|'
    r"'''[\s\S]*?(?:'''|\Z)"
    r'|"(?:\\.|[^"\\\n])*"|'
    r"'(?:\\.|[^'\\\n])*'|`[^`]*`|(?<![\w/.*])/\*[\s\S]*?(?:\*/|\Z)"
)
_COMMENTS = re.compile(r"//.*|(?:^|\s)#(?=[\s!]).*")
_LONG = ('"""', "'''", "/*")
"""What opens a string or a comment of many lines."""
_ENDLESS = "\0"
_ESCAPED = re.compile(r"\\[()\[\]{}]")
_INTERVAL = re.compile(r"[\[(]\s*[-\w.]+\s*,\s*[-\w.\u221e]+\s*[\])]")
"""`[0, 1)` opens nothing."""
_OPENING = {")": "(", "]": "[", "}": "{"}
_OPENS = re.compile(
    r"(?:[\w)\]]|[=,({\[]\s*|:\s+|\b(?:if|elif|for|while|switch|catch|return|function|and|or|not|in)\s+|^\s*)$"
)
"""What stands before a bracket of code: a remark in an output or a smiley opens nothing."""
_CLOSING_LINE = re.compile(r"[\s)\]};,]+")
_BLOCK = re.compile(
    r"(?P<indent>\s*)(?:(?:async\s+)?(?:def\s+\w+\s*\(.*\).*|class\s+\w+.*|for\s.+\sin\s.+|(?:while|if|elif|with|except)\s.+)"
    r"|else|try|finally|except)\s*:\s*(?:#.*)?"
)
"""A line of Python that a deeper one must follow."""
_SHORTENED = re.compile(r"(?<!\w)(?:\.{3}|\u2026)(?!\w)")
"""A snippet that leaves something out says so."""
_SHOWN = re.compile(r"^(?:@@ |diff |--- |\+\+\+ |\$ )", re.MULTILINE)
"""Changes of code, and a session with what a tool says: brackets need not close there."""
_FENCE = re.compile(r"^(?:`{3}|~{3})|(?<=\n\n)#{2,6} \w", re.MULTILINE)
_SIGNS_OF_CODE = re.compile(r"[{}()\[\]=;<>$|\\]|^\s|^[#/*+-]|\s--?\w|\w_\w")
_SHELL = re.compile(r"(?P<opens>^\s*if\b.*;\s*then\s*$|;\s*do\s*$)|(?P<closes>^\s*(?:fi|done)\b)")
"""Blocks of a shell, which words close."""


class Place(NamedTuple):
    """Where code is cut: the line, and what is wrong with it."""

    line: str
    reason: str


def code_cut(candidate: Candidate) -> Sequence[Finding]:
    """Code chunks that open what only a neighbouring code chunk closes; and new code that is cut off in its source."""
    code: dict[str, dict[int, CandidateChunk]] = defaultdict(dict)
    for chunk in candidate.chunks:
        if chunk.kind == "code":
            code[chunk.document_id][chunk.ordinal] = chunk
    cut = [
        shown(candidate, chunk, place.reason)
        | ({"line": place.line[:MAX_CHARS]} if vouched(candidate, chunk.text) else {})
        for chunk, place in _cut_off(candidate, code)
    ]
    cut += [
        shown(candidate, chunk, "cut between two chunks though it had found room in one: look at its chunk profile")
        for chunk in _cut_between(code)
    ]
    total = sum(map(len, code.values()))
    message = f"{len(cut)} of {total} code chunks are cut inside a bracket, a string or a block"
    if cut:
        message += ": look whether the source is whole, and its code blocks closed"
    return [Finding("code_cut", "warning", not cut, len(cut) / total if total else 0.0, 0.0, message, first(cut))]


def _cut_between(code: dict[str, dict[int, CandidateChunk]]) -> Iterator[CandidateChunk]:
    """Chunks of one symbol between which a bracket or a string of many lines is cut that had found room in one. What is
    larger must be cut somewhere."""
    runs = [
        list(run)
        for chunks in code.values()
        for beside in _runs(chunks)
        for _, run in itertools.groupby(beside, key=lambda chunk: chunk.heading_path)
    ]
    room = ROOM * max((chunk.tokens for run in runs for chunk in run), default=0)
    for run in runs:
        cut = _needless(run, room)
        yield from (chunk for number, chunk in enumerate(run) if cut & {number, number + 1})


def _needless(run: Sequence[CandidateChunk], room: float) -> set[int]:
    """Numbers of the chunks before which something of at most `room` tokens is cut that brackets hold together. A line
    has its share of its chunk's tokens by length."""
    texts = [chunk.text.split("\n") for chunk in run]
    begins = list(itertools.accumulate(map(len, texts)))[:-1]
    shares = (
        chunk.tokens * len(line) / len(chunk.text) for chunk, lines in zip(run, texts, strict=True) for line in lines
    )
    before = list(itertools.accumulate(shares, initial=0.0))
    return {
        number + 1
        for opened, closed in _spans(_uncommented("\n".join(chunk.text for chunk in run)))
        if before[closed + 1] - before[opened] <= room
        for number in range(bisect_right(begins, opened), bisect_right(begins, closed))
    }


def _spans(code: str) -> Iterator[tuple[int, int]]:
    """Lines on which a bracket opens and closes, of all that do both."""
    stack: list[tuple[str, int]] = []
    for number, line in enumerate(code.split("\n")):
        for character in line:
            if character in "([{":
                stack.append((character, number))
            elif character in _OPENING:
                while any(opening == _OPENING[character] for opening, _ in stack):
                    opening, at = stack.pop()
                    if opening == _OPENING[character]:
                        yield at, number
                        break


def _cut_off(
    candidate: Candidate, code: dict[str, dict[int, CandidateChunk]]
) -> Iterator[tuple[CandidateChunk, Place]]:
    """Chunks with code that is not whole, in documents that are new or whose live version has it whole."""
    ends: dict[str, int] = defaultdict(int)
    for chunk in candidate.chunks:
        ends[chunk.document_id] = max(ends[chunk.document_id], chunk.ordinal)
    for document in candidate.documents:
        chunks = code.get(document.document_id, {})
        if not any(chunk.is_new for chunk in chunks.values()):
            continue
        live = candidate.live_text(document.document_id) if document.live else ()
        for run in _runs(chunks):
            at_end = run[-1].ordinal == ends[document.document_id] and run[-1].parser.startswith("markdown@")
            found = _found(run, _related(run, live), has_live=document.live is not None)
            found += _swallowed([chunk.text for chunk in run], live) if at_end else []
            for place in dict.fromkeys(found):
                holder = next((chunk for chunk in reversed(run) if place.line in chunk.text), run[-1])
                if holder.is_new:
                    yield holder, place


def _runs(chunks: dict[int, CandidateChunk]) -> list[list[CandidateChunk]]:
    """Code chunks that stand one after the other."""
    runs: list[list[CandidateChunk]] = []
    for ordinal in sorted(chunks):
        if runs and runs[-1][-1].ordinal == ordinal - 1:
            runs[-1].append(chunks[ordinal])
        else:
            runs.append([chunks[ordinal]])
    return runs


def _related(run: Sequence[CandidateChunk], live: Sequence[Passage]) -> list[str]:
    """Live passages with a line of the run: there its code stood before."""
    lines = {line.strip() for chunk in run for line in chunk.text.split("\n") if len(line.strip()) > 3}
    return [text for _, text in live if any(line.strip() in lines for line in text.split("\n"))]


def _found(run: Sequence[CandidateChunk], live: Sequence[str], *, has_live: bool) -> list[Place]:
    """Places of a run that its live version does not have. What closes nothing, and a body of nothing, are told only
    beside a live version: an excerpt may begin within a block."""
    texts = [_introduced(chunk.text) for chunk in run]
    joined, before = "\n".join(texts), "\n".join(live)
    if _SHORTENED.search(joined) or _SHOWN.search(joined):
        return []
    found = open_places(joined, closing=has_live) + _bare_blocks(texts) + _open_shell(joined)
    known = {
        place.line.strip()
        for place in open_places(before, closing=True) + _bare_blocks(list(live)) + _open_shell(before)
    }
    found += [Place(line, "its body is gone") for line in _emptied(joined) - _emptied(before) if line in before]
    return [place for place in found if place.line.strip() not in known]


def _introduced(text: str) -> str:
    """Code without the paragraph of prose that introduces it."""
    head, _, rest = text.partition("\n\n")
    named = head.startswith(("def ", "class ", "async ")) or (_BLOCK.fullmatch(head) and word_count(head) < PROSE_WORDS)
    return rest if rest and head.endswith(":") and not named and ("\n" not in head or _prose(head)) else text


def _bare(code: str) -> str:
    """Code with strings and escaped brackets blanked out, line by line as before."""
    return _ESCAPED.sub("  ", _STRINGS.sub(_blank, code))


def _blank(match: re.Match[str]) -> str:
    """One sign for a string, brackets for one of many lines; what opens one that does not end."""
    text = match[0]
    opening = next((mark for mark in _LONG if text.startswith(mark)), "")
    ended = not opening or (len(text) >= 2 * len(opening) and text.endswith(opening[::-1]))
    newlines = "\n" * text.count("\n")
    if not ended:
        return _ENDLESS + newlines
    return f"({newlines})" if newlines else "s"


def _uncommented(code: str) -> str:
    """Code without its strings and comments. A line that closes what it opens keeps all: `a[b // 2]`, an address."""
    lines = _bare(code).split("\n")
    return "\n".join(line if _even(line) else _COMMENTS.sub("", line) for line in lines)


def _even(line: str) -> bool:
    return all(line.count(opening) == line.count(closing) for closing, opening in _OPENING.items())


def balanced(code: str) -> bool:
    """True when brackets close in order and no many-line string stays open. Strings and comments are left out."""
    bare = _uncommented(code)
    if _ENDLESS in bare:
        return False
    stack: list[str] = []
    for character in bare:
        if character in "([{":
            stack.append(character)
        elif character in _OPENING and (not stack or stack.pop() != _OPENING[character]):
            return False
    return not stack


def open_places(code: str, *, closing: bool) -> list[Place]:
    """Lines with a bracket, a string or a comment that stays open. `closing`: also lines of nothing but brackets that
    close none."""
    lines = code.split("\n")
    found: list[Place] = []
    stack: list[tuple[str, int, bool]] = []
    for number, line in enumerate(_uncommented(code).split("\n")):
        plain = _INTERVAL.sub(lambda match: " " * len(match[0]), line)
        if _ENDLESS in line:
            return [*found, Place(lines[number], "a string or comment stays open")]
        for at, character in enumerate(plain):
            if character in "([{":
                stack.append((character, number, _opens(plain, at)))
            elif character in _OPENING:
                depth = next(
                    (depth for depth, held in enumerate(reversed(stack)) if held[0] == _OPENING[character]), None
                )
                if depth is not None:
                    found += [Place(lines[of], "a bracket stays open") for _, of, told in _above(stack, depth) if told]
                    del stack[len(stack) - depth - 1 :]
                elif closing and _CLOSING_LINE.fullmatch(plain):
                    found.append(Place(lines[number], "a bracket closes none"))
    return found + [Place(lines[of], "a bracket stays open") for _, of, told in stack if told]


def _opens(line: str, at: int) -> bool:
    """Whether a bracket is one of code: by what stands before it, or at the end of a line where it is no smiley."""
    before = line[:at]
    at_end = not line[at + 1 :].strip() and not before.endswith((":", ";", "-"))
    return at_end or line[at : at + 1] == "{" or bool(_OPENS.search(before))


def _above(stack: list[tuple[str, int, bool]], depth: int) -> list[tuple[str, int, bool]]:
    return stack[len(stack) - depth :]


def _bare_blocks(texts: Sequence[str]) -> list[Place]:
    """Lines that open a block in which nothing stands. At the end of a chunk that another follows, the rest may stand
    there; a line alone shows how something is called."""
    found = []
    for number, text in enumerate(texts):
        raw = text.split("\n")
        lines = [(line, raw[at]) for at, line in enumerate(_bare(text).split("\n")) if line.strip()]
        for (line, written), after in itertools.zip_longest(lines, lines[1:]):
            block = _BLOCK.fullmatch(line)
            if block is None or len(lines) == 1 or (after is None and number + 1 < len(texts)):
                continue
            if after is not None and after[0].startswith(">"):  # a tool shows the line it speaks of
                continue
            if after is None or len(after[0]) - len(after[0].lstrip()) <= len(block["indent"]):
                found.append(Place(written, "nothing stands in its block"))
    return found


def _open_shell(code: str) -> list[Place]:
    """Lines that open a block of a shell which no later line closes."""
    written = code.split("\n")
    stack: list[int] = []
    for number, line in enumerate(_uncommented(code).split("\n")):
        match = _SHELL.search(line)
        if match and match["opens"]:
            stack.append(number)
        elif match and stack:
            stack.pop()
    return [Place(written[number], "its block stays open") for number in stack]


def _emptied(code: str) -> set[str]:
    """Lines that open a brace which the next line closes."""
    lines = [line for line in code.split("\n") if line.strip()]
    return {
        line
        for line, after in itertools.pairwise(lines)
        if line.rstrip().endswith("{") and re.fullmatch(r"\s*\}[;,)]*\s*", after)
    }


def _swallowed(texts: Sequence[str], live: Sequence[Passage]) -> list[Place]:
    """The first paragraph of prose in code at the end of a document: a fence that was not closed took it in. Not where
    the live version shows it in its code too, nor what introduces the code of a chunk."""
    parts = [text.split("\n\n") for text in texts]
    head = parts[0][0]
    code = "\n\n".join(texts)
    shown = _FENCE.search(code) or any(_SIGNS_OF_CODE.search(part) for found in parts for part in found[:2])
    for number, found in enumerate(parts):
        only_prose = number > 0 and all(map(_prose, found))
        for paragraph in found if only_prose else found[1:]:
            if not _prose(paragraph):
                continue
            line = paragraph.split("\n")[0]
            told = [head in text for _, text in live if line in text]
            if any(told) or not (shown or told):
                return []
            return [Place(line, "prose in code: a code block before it may not be closed")]
    return []


def _prose(paragraph: str) -> bool:
    if re.search(r"^\s", paragraph, re.MULTILINE):
        return False
    text = " ".join(paragraph.split("\n"))
    bare = re.sub(r"\[[^\]]*\]\([^)]*\)|`[^`]*`|\([^()]*\)", "", text)
    ends = text.rstrip().endswith((".", "!", "?", ":", "\u3002", "\uff01", "\uff1f"))
    return ends and word_count(text) >= PROSE_WORDS and not _SIGNS_OF_CODE.search(bare) and text[:1].upper() == text[:1]


CHECKS = (CheckSpec("code_cut", code_cut),)
