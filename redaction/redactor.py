"""The redactor: all of a document's texts as one, scanned, refused or replaced, until nothing is found."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import unquote

from kprep.core.errors import ConfigError, RedactionError, SecretFound
from kprep.core.models import CleanDocument, Element, Locator, RedactedDocument, Redaction
from redaction.fields import AUTHOR, ROW, TARGET, Content, Field
from redaction.languages import language_of
from redaction.places import SafeLocators
from redaction.policy import RedactionPolicy
from redaction.pseudonyms import Pseudonyms
from redaction.secrets import find_secrets, is_secret_pair
from redaction.spans import PLACEHOLDER, Span, mask, places, resolve

SEPARATOR = "\n\0\n"
"""Between two fields: no recognizer crosses a NUL, but words of the field before count as context."""
_ROW_SEPARATOR = "\0" * 66
"""Before a row of a table, and between two cells with their headers: the words before are no context."""
SECRET_PREFIX = "SECRET_"  # noqa: S105
"""Begins the kind of a secret in the result of `Redactor.scan`."""
MAX_ROUNDS = 8
_LEAST_KEY_BYTES = 16
_DIGIT = re.compile(r"\d")
_FEW_VALUES = 100
"""Values looked for one by one; more are looked for at each word."""
_STARTS_VALUE = re.compile(r"(?<![\w.])[\w+(]")


class Redactor:
    """Redacts documents of one tenant under one policy. Holds no document; safe to reuse.

    `key`: at least 16 random bytes, kept outside the knowledge base. Raises: ConfigError for a shorter key, an empty
    tenant, or a recognizer of the policy that cannot be loaded.
    """

    def __init__(self, policy: RedactionPolicy, key: bytes, tenant: str) -> None:
        if len(key) < _LEAST_KEY_BYTES:
            raise ConfigError(f"the redaction key has {len(key)} bytes; at least {_LEAST_KEY_BYTES} are needed")
        if not tenant:
            raise ConfigError("redaction needs a tenant", key="tenant")
        self._policy = policy
        # Presidio takes about a second to load, which only those who redact should wait for.
        from redaction.analyzer import Analyzer
        from redaction.anonymizer import Anonymizer

        self._pseudonyms = Pseudonyms(key, tenant, policy.phone_regions)
        self._analyzer = Analyzer(policy)
        self._anonymizer = Anonymizer(self._pseudonyms)
        self._released = frozenset(release.fingerprint for release in policy.released)

    def redact(self, document: CleanDocument) -> RedactedDocument:
        """The document with personal data replaced.

        Raises: SecretFound (context: kind, locator as JSON, uri, and the fingerprint by which a person can release it)
        where a secret stands anywhere in it; RedactionError where replacing does not come to an end.
        """
        content = Content.of(document)
        fields = content.fields()
        joined = _Joined.of(fields)
        secret = self._secret(content, fields, joined)
        language = ""
        redactions: list[Redaction] = []
        values: set[str] = set()
        for _ in range(MAX_ROUNDS):
            before, language = language, language_of(joined.text, document.metadata.language)
            # What a scan in the same language has left can only become a value beside a placeholder.
            near = joined.placeholders if language == before and self._analyzer.is_local else None
            found = self._find(fields, joined, language, near)
            if not any(found):
                break
            for field, spans in zip(fields, found, strict=True):
                redactions += [Redaction(span.kind, field.locator) for span in spans]
                values.update(field.text[span.start : span.end] for span in spans)
            if secret:
                break
            texts = [self._anonymizer.replaced(field.text, spans) for field, spans in zip(fields, found, strict=True)]
            content = content.with_texts(iter(texts))
            fields = content.fields()
            joined = _Joined.of(fields)
        else:
            raise RedactionError("redaction does not settle", uri=document.uri, rounds=MAX_ROUNDS)
        if secret:
            raise self._refusal(secret, self._safe_locators({*values, secret.value}), document.uri)
        safe = self._safe_locators(values)
        return RedactedDocument(
            uri=document.uri,
            media_type=document.media_type,
            parser=document.parser,
            elements=tuple(_placed(element, safe) for element in content.elements),
            units=content.units,
            metadata=content.metadata,
            removals=tuple(replace(removal, locator=safe(removal.locator)) for removal in document.removals),
            redactions=tuple(replace(redaction, locator=safe(redaction.locator)) for redaction in redactions),
        )

    def scan_name(self, uri: str) -> list[tuple[str, int, int]]:
        """Like `scan`, for the URI or file name of a document: its parts, percent-encoded or joined by "_" and "-".

        A name cannot be replaced, since it is the document's identity: whoever lists documents refuses it.
        """
        decoded, origins = _decoded(uri) if "%" in uri else (uri, [])
        if decoded != uri:
            return [(kind, origins[start], origins[end]) for kind, start, end in self.scan_name(decoded)]
        found = {*self.scan(uri, by_context=True), *self.scan(re.sub(r"[_/]", " ", uri), by_context=True)}
        stem = re.sub(r"\.\w{1,5}(?=/|\Z)", lambda match: " " * len(match[0]), uri)
        found |= {*self.scan(stem, by_context=True), *self.scan(re.sub(r"[_/-]", " ", stem), by_context=True)}
        spans = resolve(Span(kind, start, end) for kind, start, end in found)
        return [(span.kind, span.start, span.end) for span in spans]

    def scan(self, text: str, *, by_context: bool = False) -> list[tuple[str, int, int]]:
        """(kind, start, end) of what should not stand in `text`, by place; secrets' kinds begin with "SECRET_".

        Placeholders are not findings. Numbers that only the words beside them show to be values are left out unless
        `by_context`: a title or table header put before a passed text would make findings of harmless numbers.
        """
        masked = mask(text)
        secrets = [
            Span(SECRET_PREFIX + item.kind, item.start, item.end, 1.0)
            for item in find_secrets(masked)
            if not self._is_released(masked[item.start : item.end])
        ]
        data = [s for s in self._analyzer.find(masked) if by_context or not s.by_context]
        spans = resolve([*secrets, *data])
        return [(span.kind, span.start, span.end) for span in spans]

    def _secret(self, content: Content, fields: Sequence[Field], joined: _Joined) -> Secret | None:
        """The first secret that nobody released."""
        for secret in _secrets(content, fields, joined):
            if not self._is_released(secret.value):
                return secret
        return None

    def is_released(self, value: str) -> bool:
        """Whether a person said that this value is no secret."""
        return self._is_released(value)

    def _is_released(self, value: str) -> bool:
        return bool(self._released) and self._pseudonyms.fingerprint(value) in self._released

    def _refusal(self, secret: Secret, safe: SafeLocators, uri: str) -> SecretFound:
        return SecretFound(
            f"the document holds a secret ({secret.kind})",
            kind=secret.kind,
            locator=safe(secret.locator).to_json(),
            uri=uri,
            fingerprint=self._pseudonyms.fingerprint(secret.value),
        )

    def _safe_locators(self, values: Iterable[str]) -> SafeLocators:
        def has_value(text: str) -> bool:
            return bool(self.scan(text, by_context=True))

        return SafeLocators(values, has_value)

    def _find(
        self, fields: Sequence[Field], joined: _Joined, language: str, near: Sequence[int] | None
    ) -> list[list[Span]]:
        """For each field the spans to replace, in order, none overlapping. `near`: see `Analyzer.find`."""
        spans = list(self._analyzer.find(joined.text, language, near))
        spans += self._labelled(fields, joined.starts)
        spans += _repeated(joined.text, spans)
        found: list[list[Span]] = [[] for _ in fields]
        for span in spans:
            index = joined.index(span.start)
            offset = joined.starts[index]
            end = min(span.end - offset, len(fields[index].text))
            if span.start - offset < end:
                found[index].append(replace(span, start=span.start - offset, end=end))
        for index, field in enumerate(fields):
            if field.role == AUTHOR and self._policy.redact_authors and not PLACEHOLDER.fullmatch(field.text):
                if field.text.strip():
                    found[index].append(Span("PERSON", 0, len(field.text), 1.0))
            elif field.role == TARGET and "%" in field.text:
                found[index] += self._in_encoded(field.text)
        return [resolve(spans) if spans else [] for spans in found]

    def _labelled(self, fields: Sequence[Field], starts: Sequence[int]) -> Iterator[Span]:
        """Spans in texts whose label says what they are ("Phone", far above), as places in the joined text."""
        cells = [
            (start, f"{mask(label).strip(' :')}: ", mask(field.text))
            for field, start in zip(fields, starts, strict=True)
            if field.labels and len(_DIGIT.findall(field.text)) >= 6
            for label in field.labels
        ]
        buffer, offsets = _joined((lead + text, _ROW_SEPARATOR) for _, lead, text in cells)
        for span in self._analyzer.find(buffer) if cells else ():
            index = bisect_right(offsets, span.start) - 1
            start, lead, text = cells[index]
            begin, end = (place - offsets[index] - len(lead) for place in (span.start, span.end))
            if 0 <= begin < end <= len(text):
                yield replace(span, start=start + begin, end=start + end)

    def _in_encoded(self, target: str) -> Iterator[Span]:
        """Spans of a percent-encoded link target whose decoded characters are personal data."""
        decoded, origins = _decoded(mask(target))
        for span in self._analyzer.find(decoded):
            yield replace(span, start=origins[span.start], end=origins[span.end])


@dataclass(frozen=True, slots=True, repr=False)
class Secret:
    """A secret and where it stands; without a representation, so that no log shows it."""

    kind: str
    value: str
    locator: Locator


@dataclass(frozen=True, slots=True, repr=False)
class _Joined:
    """All texts of a document as one, masked; where each starts; where placeholders stand in it."""

    text: str
    starts: list[int]
    placeholders: list[int]

    @classmethod
    def of(cls, fields: Sequence[Field]) -> _Joined:
        text, starts = _joined((field.text, _ROW_SEPARATOR if field.role == ROW else SEPARATOR) for field in fields)
        return cls(mask(text), starts, [match.start() for match in PLACEHOLDER.finditer(text)])

    def index(self, place: int) -> int:
        """Of the text that the place is in."""
        return bisect_right(self.starts, place) - 1


def _secrets(content: Content, fields: Sequence[Field], joined: _Joined) -> Iterator[Secret]:
    """All secrets of the document."""
    for span in find_secrets(joined.text):
        index = joined.index(span.start)
        start, end = (min(at - joined.starts[index], len(fields[index].text)) for at in (span.start, span.end))
        yield Secret(span.kind, joined.text[span.start : span.end], _within(fields[index], start, end))
    for field in fields:
        if field.role == TARGET and "%" in field.text:
            text = unquote(field.text)
            for span in find_secrets(text):
                yield Secret(span.kind, text[span.start : span.end], field.locator)
    for name, value, locator in content.pairs():
        if is_secret_pair(name, mask(value)):
            yield Secret("PASSWORD", value, locator)


def _within(field: Field, start: int, end: int) -> Locator:
    """The place of some characters of a text: their lines where it stands in the original line by line."""
    place = field.locator
    if not place.line or place.line[0] == place.line[1] or place.line[1] - place.line[0] != field.text.count("\n"):
        return place
    first = place.line[0] + field.text.count("\n", 0, start)
    return replace(place, line=(first, first + field.text.count("\n", start, end)), char=None)


def _placed(element: Element, safe: SafeLocators) -> Element:
    locator = safe(element.locator)
    return element if locator is element.locator else replace(element, locator=locator)


def _joined(texts: Iterable[tuple[str, str]]) -> tuple[str, list[int]]:
    """The texts as one, each after its separator, and where each starts."""
    starts: list[int] = []
    parts: list[str] = []
    offset = 0
    for text, separator in texts:
        starts.append(offset + len(separator))
        parts += (separator, text)
        offset = starts[-1] + len(text)
    return "".join(parts), starts


def _repeated(buffer: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Further places of the values that were found by the words around them."""
    kinds: dict[str, str] = {}
    for span in spans:
        value = buffer[span.start : span.end]
        # Not an IP: the same digits may be a version elsewhere.
        if span.by_context and span.kind != "IP" and sum(char.isdigit() for char in value) >= 6:
            kinds.setdefault(value, span.kind)
    if not kinds:
        return
    if len(kinds) <= _FEW_VALUES:
        starts = sorted(start for value in kinds for start in places(buffer, (value,)))
    else:
        starts = [match.start() for match in _STARTS_VALUE.finditer(buffer)]
    lengths = sorted({len(value) for value in kinds}, reverse=True)
    for start in starts:
        if not _STARTS_VALUE.match(buffer, start):
            continue
        for end in (start + length for length in lengths):
            if buffer[start:end] in kinds and not buffer[end : end + 1].isalnum():
                yield Span(kinds[buffer[start:end]], start, end, 0.5)
                break


def _decoded(target: str) -> tuple[str, list[int]]:
    """The target with percent escapes decoded, and for each of its characters (and its end) the place in `target`."""
    characters: list[str] = []
    origins: list[int] = []
    for match in re.finditer(r"(?:%[0-9A-Fa-f]{2})+|[^%]|%", target):
        piece = unquote(match[0])
        step = len(match[0]) / len(piece) if piece else 1
        for index, char in enumerate(piece):
            characters.append(char)
            origins.append(match.start() + (round(index * step / 3) * 3 if match[0][0] == "%" else index))
    return "".join(characters), [*origins, len(target)]
