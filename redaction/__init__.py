"""Redaction: personal data replaced, secrets refused. A security boundary: nothing unredacted goes further. Pure.

In: `CleanDocument`, a `RedactionPolicy`, a key and a tenant. Out: `RedactedDocument`, or `SecretFound`.

A secret (password, token, private key, connection string with a password) anywhere in the document refuses the
document as a whole; the error names kind and locator, never the value. Look-alikes pass: placeholders (`<your-
password>`, `${VAR}`, `****`), prose about passwords, references to variables, integrity hashes, GUIDs, commit ids,
long names in code.

Personal data is replaced by `<KIND_1f3a9c>`: six hex digits of a keyed HMAC-SHA256 over tenant, kind and the
normalised value (e-mail in lower case, phone as E.164, card and account as digits). The same value of one tenant has
the same placeholder in every document and run; another tenant or key has another. Replaced everywhere text can stand:
element text, cells, list markers, links (words and target, percent-encoded too), title, authors, front matter.

Kinds: EMAIL, PHONE, CREDIT_CARD (Luhn), IBAN (checksum), US_SSN, UK_NINO, DE_TAX_ID, FR_NIR, ES_ID, IT_FISCAL_CODE,
BR_CPF, IN_AADHAAR, CN_ID (checksum or context), IP (private networks and public clients; not loopback, documentation
ranges, well-known resolvers, versions), MAC, HOST (internal suffixes), the policy's own patterns, and any pattern
recognizer of Presidio the policy names. Personal names only as `redact_authors`: PERSON.

Laws (tested): deterministic; `redact(redact(x)) == redact(x)`, because replacing is repeated until a scan finds
nothing; overlapping spans become one before replacing, so no end of a value stays; text outside spans is unchanged;
length is no limit. A value found by its context once is replaced wherever the document repeats it.

Never: a value in an error, a log line or a result; a network look-up; a model; a guess that text is safe after an
error: what cannot be vouched for raises `RedactionError`. `VERSION` + `RedactionPolicy.options()` go into the
fingerprint.
"""

from redaction.policy import RedactionPolicy, default_policy_text
from redaction.redactor import Redactor

VERSION: int = 2
"""Version of this room's output; part of the content fingerprint."""

__all__ = ["VERSION", "RedactionPolicy", "Redactor", "default_policy_text"]
