"""Redaction: personal data replaced, secrets refused. A security boundary: nothing unredacted goes further. Pure.

In: `CleanDocument`, a `RedactionPolicy`, a key and a tenant. Out: `RedactedDocument`, or `SecretFound`.

A secret (password, passphrase, token, private key, connection string with a password) anywhere in the document refuses
the document as a whole; the error names kind, locator and a fingerprint, never the value. Look-alikes pass:
placeholders, prose about passwords, references to variables, integrity hashes, GUIDs, commit ids, long names in code.
A finding that is none is released by its fingerprint (keyed hash) in the policy, with a reason and a name.

Personal data is found by this room's recognizers in Presidio's AnalyzerEngine (`analyzer`; the predefined recognizers
and models are not loaded) and replaced by its AnonymizerEngine with our operator (`anonymizer`): `<KIND_1f3a9c>`, six
hex digits of a keyed HMAC-SHA256 over tenant, kind and the normalised value (e-mail in lower case, phone as E.164).
The same value of one tenant has the same placeholder in every document and run; another tenant or key has another.
Replaced everywhere text can stand: text, cells, markers, links (percent-encoded too), title, authors, front matter;
anchors, sheets and message ids that repeat a value. Names of files are not replaced: `Redactor.scan_name` finds them.

Kinds: EMAIL, PHONE, CREDIT_CARD (Luhn), IBAN, BANK_ACCOUNT, national numbers (US, UK, DE, FR, ES, IT, BR, IN, CN; by
checksum, or by the words right before them), CN_USCC, PASSPORT, DRIVER_LICENSE, DATE_OF_BIRTH, ADDRESS, IP
(private networks and public clients; not loopback, documentation ranges, well-known resolvers, versions), MAC, HOST,
the policy's own patterns, and pattern recognizers of Presidio it names.
With `names`: PERSON, LOCATION, ORGANIZATION by a model and by what announces them. Where the policy names them: AGE,
DATE, URL, NATIONALITY.
The language of a text, where nothing contradicts it, leaves out recognizers that only know other languages.

Laws (tested): deterministic; `redact(redact(x)) == redact(x)`, because replacing is repeated until a scan finds
nothing (the first reads all, further ones what lies near a placeholder); overlapping spans become one before
replacing, so no end of a value stays; text outside spans is unchanged; length is no limit. A value found by its context
once is replaced wherever the document repeats it.

Never: a value in an error, a log line or a result; a network look-up; a guess that text is safe after an error: what
cannot be vouched for raises `RedactionError`. `VERSION` + `RedactionPolicy.options()` go into the fingerprint.
"""

from redaction.policy import RedactionPolicy, default_policy_text
from redaction.redactor import Redactor

VERSION: int = 13
"""Version of this room's output; part of the content fingerprint."""

__all__ = ["VERSION", "RedactionPolicy", "Redactor", "default_policy_text"]
