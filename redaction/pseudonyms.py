"""Stable placeholders: the same value of one tenant looks the same in every document and run."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
from urllib.parse import unquote

from kprep.core.ids import digest
from redaction.contacts import e164

_TITLE = re.compile(r"^(?:Mr|Mrs|Ms|Miss|Mx|Dr|Prof|Herr|Frau)\b\.? ?")


class Pseudonyms:
    """Placeholders for values, keyed by a secret and a tenant: without the key nobody can try values against them."""

    def __init__(self, key: bytes, tenant: str, phone_regions: tuple[str, ...]) -> None:
        self._key = key
        self._tenant = tenant
        self._phone_regions = phone_regions

    def placeholder(self, kind: str, value: str) -> str:
        """`<KIND_1f3a9c>`: kind and six hex digits of HMAC-SHA256 over tenant, kind and normalised value."""
        message = digest("pseudonym", self._tenant, kind, self._normalised(kind, value)).encode()
        return f"<{kind}_{hmac.new(self._key, message, hashlib.sha256).hexdigest()[:6]}>"

    def fingerprint(self, value: str) -> str:
        """32 hex digits that name a secret for a release: keyed, so that nobody can try values against it."""
        message = digest("released secret", self._tenant, value.strip()).encode()
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()[:32]

    def _normalised(self, kind: str, value: str) -> str:
        if kind == "EMAIL":
            return re.sub(r"\s?[\[(]at[\])]\s?", "@", re.sub(r"\s+", "", unquote(value)), flags=re.IGNORECASE).lower()
        if kind == "PHONE":
            text = re.sub(r"\s+", " ", unquote(value))
            number = re.sub(r"\s*(?:x|ext\.?|extension|#)\s*\d+$", "", text)
            return e164(number, self._phone_regions) or re.sub(r"\D", "", number)
        if kind == "IP":
            try:
                return str(ipaddress.ip_address(value))
            except ValueError:
                return value.lower()
        if kind == "PERSON":  # "Mr. Smith" is "Smith"
            return re.sub(_TITLE, "", " ".join(value.split())).lower()
        if kind in {"LOCATION", "ADDRESS"}:
            return " ".join(value.split()).lower()
        if kind == "HOST":
            return value.lower()
        return re.sub(r"[^\w]", "", value).upper() or value
