"""Recognizers of network addresses: IP, MAC, internal host names."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from redaction.policy import RedactionPolicy
from redaction.spans import LETTER, Span, near

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_IPV4 = re.compile(
    rf"(?<!{LETTER})(?<![.+])(?<!\d-)(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?!{LETTER}|\.{LETTER}|-\d)(?:/(\d{{1,2}})(?!\d))?"
)
_DOTTED = re.compile(r"\d\.\d{1,3}\.\d{1,3}\.\d")
_IPV6 = re.compile(
    rf"(?<!{LETTER})(?<![:.])(?:[0-9A-Fa-f]{{0,4}}:){{2,7}}(?:(?:\d{{1,3}}\.){{3}}\d{{1,3}}|[0-9A-Fa-f]{{0,4}})"
    rf"(?!{LETTER}|:|\.\d)"
)
_COLONED = re.compile(r":(?=[0-9A-Fa-f]{0,4}:)")
_MAC = re.compile(
    rf"(?<!{LETTER})(?<![.-])"
    r"(?<!(?<![0-9A-Za-z])[0-9A-Fa-f]{2}:)(?:[0-9A-Fa-f]{2}(?::[0-9A-Fa-f]{2}){5}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}|"
    r"[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4}\.[0-9A-Fa-f]{4})"
    rf"(?!{LETTER}|[:.-][0-9A-Fa-f])"
)
# The first sign between the groups of a hardware address, and how many digits stand before it; each begins with a
# literal, which is what makes looking for it fast.
_MAC_SIGNS = tuple(
    (width, re.compile(expression))
    for width, expression in (
        (2, ":(?=[0-9A-Fa-f]{2}:)"),
        (2, "-(?=[0-9A-Fa-f]{2}-)"),
        (4, r"\.(?=[0-9A-Fa-f]{4}\.)"),
    )
)
_HOST_BEFORE = re.compile(
    rf"(?:(?!_){LETTER}(?:(?:{LETTER}|-){{0,61}}(?!_){LETTER})?\.)*(?!_){LETTER}(?:(?:{LETTER}|-){{0,61}}(?!_){LETTER})?\Z"
)
_IMPORT = re.compile(r"(?:import|from|package|using|require|namespace)\s+(?:static\s+)?[\"'(]?\Z")

# A dotted number right after one of these is a version or a section, not an address.
_VERSION = re.compile(
    r"(?i)(?:\b(?:versions?|vers?\.?|release[sd]?|rev(?:ision)?|build|firmware|patch|upgrad(?:e|ed|ing)(?:\s+\w+)?\s+(?:to|from)|"
    r"updat(?:e|ed|ing)(?:\s+\w+)?\s+(?:to|from)|downgrad(?:e|ed|ing)\s+(?:to|from)|since|requires?|section|sect?\.|chapter|clause|"
    r"figure|fig\.|table|appendix|abschnitt|kapitel|ziffer|version|chapitre|sección)|§|版本[号为是]{0,2}|章节|第)[\s:=：(v]*$"
)
_INTERFACE = re.compile(r"(?i)\binterface\b[^\n]{0,40}\Z")  # a device's own public address in a log is nobody's client
_NETWORK_WORD = re.compile(
    r"(?i)\b(?:ip|ipv4|ipv6|address|adresse|addr|client|host|server|peer|remote|from|gateway|router|node|visitor|user|login|"
    r"connect\w*|ping|ssh|interface|subnet|network|netzwerk|dns|proxy|request|logged|request(?:ed)?)\b|地址"
)
_WELL_KNOWN = frozenset(
    ipaddress.ip_address(address)
    for address in (
        "8.8.8.8", "8.8.4.4", "1.1.1.1", "1.0.0.1", "9.9.9.9", "149.112.112.112", "208.67.222.222", "208.67.220.220",
        "4.2.2.1", "4.2.2.2", "1.2.3.4", "114.114.114.114", "223.5.5.5", "223.6.6.6", "169.254.169.254",
        "168.63.129.16",
        "2001:4860:4860::8888", "2001:4860:4860::8844", "2606:4700:4700::1111", "2606:4700:4700::1001", "2620:fe::fe",
    )
)  # fmt: skip
_DOCUMENTATION: tuple[_Network, ...] = tuple(
    ipaddress.ip_network(network)
    for network in ("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32", "3fff::/20", "0.0.0.0/8")
)
# The private ranges named as a whole ("10.0.0.0/8") tell nothing about anyone's network.
_WHOLE_RANGES = frozenset({"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "169.254.0.0/16"})
_NO_DEVICE = re.compile(r"(?i)(?:f{12}|0{12}|00005e0053..)")


def ip_addresses(text: str, policy: RedactionPolicy) -> Iterator[Span]:
    """Private network addresses and public addresses of clients; not loopback, unspecified, multicast, netmasks,
    documentation ranges, well-known resolvers, versions and section numbers."""
    allowed: tuple[_Network, ...] = tuple(ipaddress.ip_network(n, strict=False) for n in policy.allow_addresses)
    for match in _dotted(text):
        value = match[0].split("/")[0]
        address = _parsed(value)
        if address is None or match[0] in _WHOLE_RANGES or not _tells(address, allowed):
            continue
        if _VERSION.search(text, max(0, match.start() - 32), match.start()):
            continue
        if not address.is_private and _INTERFACE.search(text, max(0, match.start() - 64), match.start()):
            continue
        small = all(int(octet) < 32 for octet in value.split("."))
        if small and not address.is_private and not near(_NETWORK_WORD, text, (match.start(), match.end()), 32):
            continue
        yield Span("IP", match.start(), match.start() + len(value), 0.7, by_context=small and not address.is_private)
    for match in _coloned(text):
        address = _parsed(match[0])
        if address is not None and _tells(address, allowed) and _is_ipv6(match[0]):
            yield Span("IP", match.start(), match.end(), 0.75)


def _dotted(text: str) -> Iterator[re.Match[str]]:
    """What is written like an IPv4 address; looked for from its first dot, since most texts hold none."""
    end = 0
    for inner in _DOTTED.finditer(text):
        for start in range(max(end, inner.start() - 2), inner.start() + 1):
            match = _IPV4.match(text, start)
            if match:
                end = match.end()
                yield match
                break


def _coloned(text: str) -> Iterator[re.Match[str]]:
    """What is written like an IPv6 address; looked for from its first two colons."""
    end = 0
    for first in _COLONED.finditer(text):
        for start in range(max(end, first.start() - 4), first.start() + 1):
            match = _IPV6.match(text, start)
            if match:
                end = match.end()
                yield match
                break


def _parsed(value: str) -> _Address | None:
    try:
        return ipaddress.ip_address(value)
    except ValueError:
        return None


def _tells(address: _Address, allowed: tuple[_Network, ...]) -> bool:
    if address.is_loopback or address.is_unspecified or address.is_multicast or address in _WELL_KNOWN:
        return False
    if address.version == 4 and (
        int(address) >> 24 >= 240 or (address.packed[3] == 0 and address.packed[1:3] == b"\0\0")
    ):
        return False
    return not any(address in network for network in (*_DOCUMENTATION, *allowed) if network.version == address.version)


def _is_ipv6(value: str) -> bool:
    """Whether it is long enough, or of a range rare enough, to be told from names and times ("b::", "12:30:00")."""
    groups = [group for group in value.split(":") if group]
    if re.match(r"(?i)f[cd][0-9a-f]{2}:", value):
        return True
    wide = any(len(group) > 2 for group in groups)
    return wide and (len(groups) >= 4 or bool(re.match(r"(?i)[23][0-9a-f]{3}:|fe80:", value) and len(groups) >= 3))


def mac_addresses(text: str, policy: RedactionPolicy) -> Iterator[Span]:  # noqa: ARG001
    """Hardware addresses; not broadcast, all zero, or the documentation range."""
    starts = {sign.start() - width for width, before in _MAC_SIGNS for sign in before.finditer(text)}
    for match in filter(None, (_MAC.match(text, start) for start in sorted(starts) if start >= 0)):
        digits = re.sub(r"[^0-9A-Fa-f]", "", match[0])
        # Six pairs of decimal digits joined by hyphens are more often a date and time, or a part number.
        if not _NO_DEVICE.fullmatch(digits) and (":" in match[0] or not digits.isdigit()):
            yield Span("MAC", match.start(), match.end(), 0.8)


def internal_hosts(text: str, policy: RedactionPolicy) -> Iterator[Span]:
    """Host names under the policy's internal suffixes; not a package of that name in an import."""
    if not policy.internal_suffixes:
        return
    suffixes = "|".join(re.escape(suffix) for suffix in policy.internal_suffixes)
    for match in re.finditer(rf"\.(?:{suffixes})(?!{LETTER}|-|\.{LETTER}|\()", text, re.IGNORECASE):
        before = _HOST_BEFORE.search(text, max(0, match.start() - 190), match.start())
        if before is None or text[before.start() : match.end()].lower() in policy.allow_hosts:
            continue
        if text[max(0, before.start() - 1) : before.start()] in {"/", ".", "$"} and not text[: before.start()].endswith(
            "//"
        ):
            continue
        if not _IMPORT.search(text, max(0, before.start() - 24), before.start()):
            yield Span("HOST", before.start(), match.end(), 0.6)
