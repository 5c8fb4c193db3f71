"""One base error; each room adds one subclass, and specific ones below it."""

from __future__ import annotations

from typing import Any, ClassVar


class PrepError(Exception):
    """What went wrong, in a sentence a person can act on.

    `reason` is the stable code written to failure rows. `retryable` alone decides whether a flow tries again.
    `context` holds ids, counts and places, never document text: it is logged and stored.
    """

    retryable: ClassVar[bool] = False
    reason: ClassVar[str] = "internal_error"

    def __init__(self, message: str, **context: Any) -> None:
        super().__init__(message)
        self.message = message
        self.context = context

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.message, self.context))

    def __str__(self) -> str:
        return self.message


def _rebuild(kind: type[PrepError], message: str, context: dict[str, Any]) -> PrepError:
    return kind(message, **context)


class ConfigError(PrepError):
    """The knowledge base's configuration cannot be used; names file, line and key where known."""

    reason = "config_invalid"


class SourceError(PrepError):
    """A source cannot be listed or an entry cannot be fetched."""

    reason = "source_unreadable"


class SourceUnavailable(SourceError):
    """The source is out of reach for now."""

    retryable = True
    reason = "source_unavailable"


class ParseError(PrepError):
    """Bytes cannot become text."""

    reason = "corrupt"


class UnsupportedFormat(ParseError):
    """No parser takes this media type."""

    reason = "unsupported_format"


class CorruptDocument(ParseError):
    """The file is damaged or not what its name says."""

    reason = "corrupt"


class EncryptedDocument(ParseError):
    """The file needs a password."""

    reason = "needs_password"


class TooLarge(ParseError):
    """The file, or what it unpacks to, is over a limit."""

    reason = "too_large"


class ZipBomb(TooLarge):
    """The file unpacks to far more than anything of use would: it is made to, or damaged."""

    reason = "zip_bomb"


class Recursive(CorruptDocument):
    """The file is nested deeper than is read, or contains itself."""

    reason = "recursive"


class ParseTimeout(ParseError):
    """The document took longer than its time limit and its process was ended."""

    reason = "parse_timeout"


class OutOfMemory(ParseError):
    """The document needed more memory than its limit and its process was ended."""

    reason = "out_of_memory"


class ParserCrashed(ParseError):
    """The process that parsed the document ended without an answer."""

    reason = "parser_crashed"


class WrongEncoding(ParseError):
    """The bytes are no text in any encoding that is read here (EBCDIC, packed numbers, other binary data)."""

    reason = "wrong_encoding"


class UnreadableText(ParseError):
    """Text came out, but decoded wrongly, here or by whoever made the file."""

    reason = "unreadable_text"


class FrontMatterInvalid(ParseError):
    """A document's own metadata cannot be read; it may restrict who reads it, so the document goes nowhere."""

    reason = "front_matter_invalid"


class NeedsReview(ParseError):
    """Text was recognised in pictures or speech, but with too little confidence to be used unseen."""

    reason = "needs_review"


class NoText(ParseError):
    """The file opens but holds no text (a scan, an empty file)."""

    reason = "no_text"


class OnlyChatter(NoText):
    """A conversation in which nothing but greetings, chatter, repetition and bots stands."""

    reason = "only_chatter"


class NoSpeech(NoText):
    """The recording or transcript opens but nobody says a word in it."""

    reason = "no_speech"


class SpeechModelMissing(ParseError):
    """The model that would transcribe a recording is not installed."""

    retryable = True
    reason = "speech_model_missing"


class RuleTooSlow(PrepError):
    """A regular expression of the knowledge base takes too long on a document. Context names the rule."""

    reason = "rule_too_slow"


class CleaningError(PrepError):
    """Cleaning rules cannot be applied."""

    reason = "cleaning_failed"


class RedactionError(PrepError):
    """Redaction could not vouch for the text, so the text goes nowhere."""

    reason = "redaction_failed"


class SecretFound(RedactionError):
    """The document holds a secret. Context names kind and locator, never the value."""

    reason = "secret_found"


class ChunkingError(PrepError):
    """A document cannot be cut within the limits."""

    reason = "chunking_failed"


class EnrichmentError(PrepError):
    """Enrichment failed for a reason other than a field staying empty."""

    reason = "enrichment_failed"


class ModelRefused(EnrichmentError):
    """The model server refuses what it is asked."""

    reason = "model_refused"


class ModelUnavailable(EnrichmentError):
    """The model server is out of reach or limits the rate."""

    retryable = True
    reason = "model_unavailable"


class EmbeddingError(PrepError):
    """Vectors cannot be computed."""

    reason = "embedding_failed"


class EmbedderUnavailable(EmbeddingError):
    """The embedding provider is out of reach or limits the rate."""

    retryable = True
    reason = "embedding_unavailable"


class TextTooLong(EmbeddingError):
    """A text is over the model's token limit; it is refused, never cut silently."""

    reason = "text_too_long"


class StoreError(PrepError):
    """PostgreSQL or the object store refused or is out of reach."""

    reason = "store_failed"


class StoreUnavailable(StoreError):
    """PostgreSQL or the object store is out of reach for now."""

    retryable = True
    reason = "store_unavailable"


class QualityError(PrepError):
    """The gate itself could not be run (not: a check that found something)."""

    reason = "gate_failed"


class PublishError(PrepError):
    """A candidate cannot be published."""

    reason = "publish_failed"


class BaseConflict(PublishError):
    """Another run published since this candidate was planned: plan again."""

    reason = "base_conflict"


class RunLocked(PublishError):
    """Another run holds the knowledge base."""

    retryable = False
    reason = "run_locked"


class LeaseLost(PublishError):
    """Another run took the knowledge base over while this one was out of touch."""

    reason = "lease_lost"


class RetrievalError(PrepError):
    """A read cannot be answered; an error, never an empty success."""

    reason = "retrieval_failed"
