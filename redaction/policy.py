"""The redaction policy as read from a knowledge base's `rules/redaction.yaml`."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from importlib import resources
from typing import Any

from kprep.core.errors import ConfigError

KINDS = (
    "EMAIL",
    "PHONE",
    "CREDIT_CARD",
    "IBAN",
    "BANK_ACCOUNT",
    "US_SSN",
    "UK_NINO",
    "DE_TAX_ID",
    "FR_NIR",
    "ES_ID",
    "IT_FISCAL_CODE",
    "BR_CPF",
    "IN_AADHAAR",
    "CN_ID",
    "CN_USCC",
    "NL_BSN",
    "BE_NN",
    "CH_AHV",
    "AT_VNR",
    "PL_PESEL",
    "SE_PERSONNUMMER",
    "DK_CPR",
    "NO_FNR",
    "FI_HETU",
    "PT_NIF",
    "CA_SIN",
    "MX_CURP",
    "KR_RRN",
    "TR_ID",
    "UK_NHS",
    "CZ_RC",
    "HR_OIB",
    "SI_EMSO",
    "BG_EGN",
    "RO_CNP",
    "EE_IK",
    "LT_AK",
    "IS_KT",
    "IE_PPS",
    "GR_AFM",
    "RU_INN",
    "AU_TFN",
    "MX_RFC",
    "PASSPORT",
    "DRIVER_LICENSE",
    "DATE_OF_BIRTH",
    "ADDRESS",
    "IP",
    "MAC",
    "HOST",
)
"""Kinds found by the recognizers of this room."""

OPTIONAL_KINDS = ("AGE", "DATE", "URL", "NATIONALITY")
"""Kinds found only where the policy names them: in most documents they are content. NATIONALITY needs `names`."""
NAME_KINDS = ("PERSON", "LOCATION", "ORGANIZATION")
"""Kinds found with `names`."""
NAME_LANGUAGES = ("en", "fr", "zh")
"""Languages of `names`: English and French by a model to be installed, Chinese by surname and what stands beside it."""
_FINGERPRINT = re.compile("[0-9a-f]{32}")
_RESERVED_DOMAINS = ("example", "test", "invalid")
_KIND_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_KEYS = (
    "kinds",
    "phone_regions",
    "redact_authors",
    "internal_suffixes",
    "patterns",
    "presidio",
    "names",
    "allow",
    "allow_in",
    "released",
)
Allowed = tuple[tuple[str, tuple[str, ...]], ...]
"""Pairs of a field `allow_*` and values of it."""
_ALLOW_KEYS = ("domains", "emails", "hosts", "addresses", "patterns")


def default_policy_text() -> str:
    """The packaged policy with its comments, as `kprep init` writes it."""
    return resources.files("redaction").joinpath("default.yaml").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Release:
    """A finding of a secret that a person judged to be none: its fingerprint, why, and who said so."""

    fingerprint: str
    reason: str
    by: str


@dataclass(frozen=True, slots=True)
class RedactionPolicy:
    """What is replaced and what is allowed to stay. The defaults here equal `default.yaml` (tested).

    `patterns`: pairs of kind and regular expression. `names`: languages whose model finds names. `released`: findings
    of secrets that are none. `allow_*`: see `default.yaml`. `sources`: names of sources and what
    stays in their documents besides, as further values of these fields.
    """

    kinds: tuple[str, ...] = KINDS
    phone_regions: tuple[str, ...] = tuple(re.findall("[A-Z]+", "US GB DE FR ES IT NL BE CH AT SE DK BR IN CN"))
    redact_authors: bool = False
    internal_suffixes: tuple[str, ...] = ("internal", "corp", "lan", "intranet", "home.arpa")
    patterns: tuple[tuple[str, str], ...] = ()
    presidio: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    released: tuple[Release, ...] = ()
    allow_domains: tuple[str, ...] = ("example.com", "example.org", "example.net")
    allow_emails: tuple[str, ...] = ("git@*",)
    allow_hosts: tuple[str, ...] = ("host.docker.internal", "metadata.google.internal")
    allow_addresses: tuple[str, ...] = ()
    allow_patterns: tuple[str, ...] = ()
    sources: tuple[tuple[str, Allowed], ...] = ()

    @classmethod
    def load(cls, mapping: Mapping[str, Any]) -> RedactionPolicy:
        """Policy from a mapping shaped like `default.yaml`; keys left out keep their default.

        Raises: ConfigError naming the key, for an unknown key, a value of another type, or an expression that does
        not compile.
        """
        _only(mapping, _KEYS, "redaction")
        default = cls()
        authors = mapping.get("redact_authors", False)
        if not isinstance(authors, bool):
            raise ConfigError("redact_authors must be true or false", key="redact_authors")
        return cls(
            kinds=_kinds(mapping),
            phone_regions=_regions(_strings(mapping, "phone_regions", default.phone_regions)),
            redact_authors=authors,
            internal_suffixes=tuple(
                suffix.strip(".").lower()
                for suffix in _strings(mapping, "internal_suffixes", default.internal_suffixes)
                if suffix.strip(".")
            ),
            patterns=_own_patterns(mapping.get("patterns", {})),
            presidio=_strings(mapping, "presidio", ()),
            names=_languages(_strings(mapping, "names", ())),
            released=_released(mapping.get("released", [])),
            sources=_allowed_in(mapping.get("allow_in", {})),
            **dict(_allowed(mapping.get("allow", {}), "allow")),
        )

    def of_source(self, name: str) -> RedactionPolicy:
        """The policy for documents of a source: what stays in them besides is added."""
        return self._with(dict(self.sources).get(name, ()))

    def of_any_source(self) -> RedactionPolicy:
        """The policy for text whose source is not known: what stays anywhere stays."""
        return self._with(tuple(pair for _, allowed in self.sources for pair in allowed))

    def _with(self, allowed: Allowed) -> RedactionPolicy:
        more: dict[str, Any] = {}
        for field, values in allowed:
            more[field] = (*more.get(field, getattr(self, field)), *values)
        return replace(self, sources=(), **more)

    def options(self) -> dict[str, Any]:
        """Effective options for the fingerprint: everything that can change the output."""
        return {**asdict(self), "released": sorted(release.fingerprint for release in self.released)}

    def allows_email(self, address: str) -> bool:
        """Whether an e-mail address may stay: a documentation domain or an allowed pattern."""
        address = address.lower()
        return self.allows_domain(address.rpartition("@")[2]) or any(fnmatchcase(address, p) for p in self.allow_emails)

    def allows_domain(self, domain: str) -> bool:
        """Whether a domain is for documentation."""
        domain = domain.lower().rstrip(".")
        if domain.rpartition(".")[2] in _RESERVED_DOMAINS:
            return True
        return any(domain == allowed or domain.endswith("." + allowed) for allowed in self.allow_domains)


def _only(mapping: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    unknown = sorted(str(key) for key in mapping if key not in known)
    if unknown:
        raise ConfigError(f"unknown key {unknown[0]!r} in {where}; known: {', '.join(known)}", key=unknown[0])


def _strings(mapping: Mapping[str, Any], key: str, default: tuple[str, ...], prefix: str = "") -> tuple[str, ...]:
    value = mapping.get(key, list(default))
    if not isinstance(value, list) or any(not isinstance(item, str) for item in value):
        raise ConfigError(f"{prefix}{key} must be a list of strings", key=prefix + key)
    return tuple(value)


def _allowed(value: Any, where: str) -> Allowed:
    """The fields `allow_*` that a mapping of what stays gives."""
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} must be a mapping of {', '.join(_ALLOW_KEYS)}", key=where)
    _only(value, _ALLOW_KEYS, where)
    given = {key: _strings(value, key, (), f"{where}.") for key in _ALLOW_KEYS if key in value}
    _networks(given.get("addresses", ()), f"{where}.addresses")
    _compilable(given.get("patterns", ()), f"{where}.patterns")
    lowered = {
        key: tuple(map(str.lower, texts)) for key, texts in given.items() if key not in ("addresses", "patterns")
    }
    return tuple((f"allow_{key}", texts) for key, texts in {**given, **lowered}.items())


def _allowed_in(value: Any) -> tuple[tuple[str, Allowed], ...]:
    if not isinstance(value, Mapping):
        raise ConfigError("allow_in must be a mapping of source to what stays in its documents", key="allow_in")
    return tuple((str(source), _allowed(allowed, f"allow_in.{source}")) for source, allowed in value.items())


def _kinds(mapping: Mapping[str, Any]) -> tuple[str, ...]:
    kinds = _strings(mapping, "kinds", KINDS)
    known = (*KINDS, *OPTIONAL_KINDS)
    unknown = [kind for kind in kinds if kind not in known]
    if unknown:
        raise ConfigError(f"unknown kind {unknown[0]!r} in kinds; known: {', '.join(known)}", key="kinds")
    return tuple(kind for kind in known if kind in kinds)


def _regions(regions: tuple[str, ...]) -> tuple[str, ...]:
    wrong = [region for region in regions if not re.fullmatch("[A-Z]{2}", region)]
    if wrong:
        raise ConfigError(f"phone_regions holds {wrong[0]!r}; two capital letters are wanted", key="phone_regions")
    return regions


def _languages(languages: tuple[str, ...]) -> tuple[str, ...]:
    wrong = [language for language in languages if language not in NAME_LANGUAGES]
    if wrong:
        raise ConfigError(f"names: no model for {wrong[0]!r}; there are: {', '.join(NAME_LANGUAGES)}", key="names")
    return languages


def _released(value: Any) -> tuple[Release, ...]:
    if not isinstance(value, list):
        raise ConfigError("released must be a list", key="released")
    for entry in value:
        if not isinstance(entry, Mapping) or set(entry) != {"fingerprint", "reason", "by"}:
            raise ConfigError("each entry of released needs fingerprint, reason and by", key="released")
        if any(not isinstance(item, str) or not item.strip() for item in entry.values()):
            raise ConfigError("fingerprint, reason and by of a release are texts and not empty", key="released")
        if not _FINGERPRINT.fullmatch(entry["fingerprint"]):
            raise ConfigError("released: a fingerprint has 32 hex digits, as the failure row gives it", key="released")
    return tuple(Release(entry["fingerprint"], entry["reason"], entry["by"]) for entry in value)


def _own_patterns(value: Any) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, Mapping):
        raise ConfigError("patterns must be a mapping of kind to regular expression", key="patterns")
    for kind, pattern in value.items():
        if not isinstance(kind, str) or not _KIND_NAME.fullmatch(kind):
            raise ConfigError(f"patterns: {kind!r} must be a name in capitals", key="patterns")
        if not isinstance(pattern, str):
            raise ConfigError(f"patterns.{kind} must be a regular expression", key=f"patterns.{kind}")
        _compilable((pattern,), f"patterns.{kind}")
        if re.match(pattern, ""):
            raise ConfigError(f"patterns.{kind} matches an empty text", key=f"patterns.{kind}")
    return tuple(value.items())


def _compilable(patterns: tuple[str, ...], key: str) -> tuple[str, ...]:
    for pattern in patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"{key} is no regular expression: {error}", key=key) from error
    return patterns


def _networks(values: tuple[str, ...], key: str) -> None:
    for value in values:
        try:
            ipaddress.ip_network(value, strict=False)
        except ValueError as error:
            raise ConfigError(f"{key} holds {value!r}, which is no network", key=key) from error
