"""Secrets that show what they are by their form: tokens of known services, private keys, URLs with a password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from redaction.secret_values import is_default_password, is_password, is_placeholder, is_token
from redaction.spans import UNSPACED, Excerpts, Span, places, token_end


@dataclass(frozen=True, slots=True)
class TokenForm:
    """A token's form. `triggers`: literals of which one must stand in a text for the expression to be tried.

    The group `value`, where there is one, is the secret; else the whole match. `inside`: the trigger stands inside the
    match; else the match begins with it, and is looked for only there. `spaced`: it may hold white space; else it is
    looked for only in the text's long words.
    """

    kind: str
    triggers: tuple[str, ...]
    pattern: re.Pattern[str]
    inside: bool = False
    spaced: bool = False

    def matches(self, text: str) -> Iterator[re.Match[str]]:
        """All matches in a text, possibly overlapping."""
        if self.inside:
            yield from self.pattern.finditer(text) if any(trigger in text for trigger in self.triggers) else ()
            return
        for place in places(text, self.triggers):
            if match := self.pattern.match(text, place):
                yield match


LEAST_TOKEN = 15
"""Characters of the shortest token of a form without white space."""
_L, _R = r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])"

FORMS = (
    TokenForm(
        "AWS_KEY", ("AKIA", "ASIA", "ABIA", "A3T"), re.compile(_L + r"(?:A3T[A-Z0-9]|ABIA|AKIA|ASIA)[A-Z0-9]{16}" + _R)
    ),
    TokenForm(
        "GITHUB_TOKEN",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
        re.compile(_L + r"(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255})"),
    ),
    TokenForm(
        "GITLAB_TOKEN",
        tuple(f"gl{x}-" for x in ("pat", "dt", "rt", "ptt", "cbt", "soat", "ft", "agent", "imt", "oas")),
        re.compile(_L + r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|agent|imt|oas)-[A-Za-z0-9_-]{20,}"),
    ),
    TokenForm(
        "SLACK_TOKEN", ("xox", "xapp-"), re.compile(_L + r"(?:xox[abeoprs](?:\.xox[bp])?-|xapp-\d-)[A-Za-z0-9-]{10,}")
    ),
    TokenForm(
        "WEBHOOK",
        ("hooks.slack.com", "webhook.office.com", "discord.com/api/webhooks", "discordapp.com/api/webhooks"),
        re.compile(
            r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z]\w+/\w+/\w{8,}|discord(?:app)?\.com/api/webhooks/\d+/[\w-]{20,}|"
            r"webhook\.office\.com/webhookb2/[\w@-]{30,}"
        ),
    ),
    TokenForm(
        "GOOGLE_KEY",
        ("AIza", "GOCSPX-", "ya29."),
        re.compile(_L + r"(?:AIza[\w-]{35}(?![\w-])|GOCSPX-[\w-]{20,}|ya29\.[\w-]{20,})"),
    ),
    TokenForm(
        "AZURE_KEY",
        ("AccountKey=", "SharedAccessKey="),
        re.compile(r"(?:AccountKey|SharedAccessKey)=(?P<value>[A-Za-z0-9+/]{40,}={0,2})"),
    ),
    TokenForm("AZURE_KEY", ("sig=",), re.compile(r"(?<=[?&;])sig=(?P<value>[A-Za-z0-9%+/]{40,}={0,2})")),
    TokenForm("AZURE_KEY", ("8Q~",), re.compile(_L + r"[\w~.-]{3}8Q~[\w~.-]{31,34}"), inside=True),
    TokenForm(
        "STRIPE_KEY",
        ("sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"),
        re.compile(_L + r"(?:[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})"),
    ),
    TokenForm(
        "AI_KEY",
        ("sk-",),
        re.compile(_L + r"sk-(?:proj-|svcacct-|admin-|ant-[a-z]+\d*-|or-v1-)?(?P<value>[A-Za-z0-9_-]{20,})"),
    ),
    TokenForm("HF_TOKEN", ("hf_",), re.compile(_L + r"hf_[A-Za-z0-9]{30,}" + _R)),
    TokenForm("NPM_TOKEN", ("npm_",), re.compile(_L + r"npm_[A-Za-z0-9]{36}" + _R)),
    TokenForm(
        "NPM_TOKEN", ("_authToken",), re.compile(rf"_authToken\s*=\s*(?P<value>[^\s\"'{UNSPACED}]{{8,}})"), spaced=True
    ),
    TokenForm("PYPI_TOKEN", ("pypi-",), re.compile(_L + r"pypi-[A-Za-z0-9_-]{30,}")),
    TokenForm("SENDGRID_KEY", ("SG.",), re.compile(_L + r"SG\.[\w-]{16,32}\.[\w-]{16,64}")),
    TokenForm("TWILIO_KEY", ("SK", "AC"), re.compile(_L + r"(?:SK|AC)[0-9a-f]{32}" + _R)),
    TokenForm("TELEGRAM_TOKEN", (":AA",), re.compile(r"(?<!\d)\d{8,10}:AA[\w-]{32,34}(?![\w-])"), inside=True),
    TokenForm("DIGITALOCEAN_TOKEN", ("dop_v1_", "doo_v1_", "dor_v1_"), re.compile(_L + r"do[opr]_v1_[a-f0-9]{64}")),
    TokenForm("VAULT_TOKEN", ("hvs.", "hvb."), re.compile(_L + r"hv[sb]\.[\w-]{20,}")),
    TokenForm("SHOPIFY_TOKEN", ("shp",), re.compile(_L + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}")),
    TokenForm("MAILGUN_KEY", ("key-",), re.compile(_L + r"key-[0-9a-f]{32}" + _R)),
    TokenForm("DATABRICKS_TOKEN", ("dapi",), re.compile(_L + r"dapi[0-9a-f]{32}")),
    TokenForm("JWT", ("eyJ",), re.compile(_L + r"eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{10,}")),
    TokenForm(
        "BEARER_TOKEN",
        ("earer ", "EARER "),
        re.compile(r"(?i)(?<=b)earer\s+(?P<value>[A-Za-z0-9_.~+/-]{16,}=*)"),
        spaced=True,
    ),
    TokenForm(
        "BASIC_AUTH",
        ("asic ",),
        re.compile(r"(?i)authorization\W{1,4}basic\s+(?P<value>[A-Za-z0-9+/]{12,}={0,2})"),
        inside=True,
        spaced=True,
    ),
)
"""Tokens of known services. A new one is one entry."""

# Plugins of detect-secrets for further services; each with the literals of which one must stand in the text.
_PLUGINS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("AWSKeyDetector", "AWS_KEY", ("aws", "AWS", "Aws", "AKIA", "ABIA", "ACCA", "ASIA")),
    ("DiscordBotTokenDetector", "DISCORD_TOKEN", ("iscord", "ISCORD")),
    ("MailchimpDetector", "MAILCHIMP_KEY", ("-us",)),
    ("OpenAIDetector", "AI_KEY", ("T3BlbkFJ",)),
    ("SlackDetector", "SLACK_TOKEN", ("xox",)),
    ("SquareOAuthDetector", "SQUARE_TOKEN", ("sq0csp",)),
    ("CloudantDetector", "CLOUDANT_KEY", ("cloudant",)),
    ("SoftlayerDetector", "SOFTLAYER_KEY", ("softlayer",)),
    ("IbmCosHmacDetector", "IBM_KEY", ("cos_", "cos-")),
)

_PRIVATE_KEY = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?P<value>(?:(?!-----)[\s\S]){0,300}?[A-Za-z0-9+/=]{24}|\s*\Z)|PuTTY-User-Key-File-\d"
)
_URL_PASSWORD = re.compile(
    r"(?<=[A-Za-z0-9])://(?P<user>[^\s:/@\"'<>]{0,80}):(?P<value>[^\s/@\"'<>]{1,120})@(?=[\w\[])"
)
_URL_QUERY = re.compile(
    r"(?i)[?&;](?P<name>(?:[a-z0-9]+[_-]?)?(?:api[_-]?key|apikey|key|token|secret|password|passwd|pwd|auth|signature))=(?P<value>[^&\s#\"'<>)\]]{6,})"
)
_LOCAL_URL = re.compile(r"//(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?::\d+)?(?:/\S*)?\Z")
_CURL_USER = re.compile(
    r"(?<![A-Za-z0-9])curl\b[^\n]{0,200}?\s(?:-u|--user)[ =][\"']?(?P<user>[\w.@-]+):(?P<value>[^\s\"']{4,})"
)


_LONG_WORD = re.compile(rf"(?<![^\s{UNSPACED}])[^\s{UNSPACED}]{{{LEAST_TOKEN},}}")


def long_words(text: str) -> Excerpts:
    """All words of the text that are long enough for a token, which are few in prose. A Chinese sign ends one."""
    return Excerpts.of(text, (match.span() for match in _LONG_WORD.finditer(text)), gap="\0")


def tokens(text: str, words: Excerpts) -> Iterator[Span]:
    """Secrets of a known form in `text`, in no order. `words`: its `long_words`."""
    for form in FORMS:
        for match in form.matches(text if form.spaced else words.text):
            value = match["value"] if "value" in form.pattern.groupindex else None
            if not is_placeholder(value or match[0]) and _is_random_enough(form, value or match[0]):
                span = Span(form.kind, match.start(), match.end(), 1.0)
                yield span if form.spaced else words.placed(span)
    yield from _from_plugins(text)
    if "PRIVATE KEY" in text or "PuTTY" in text:
        for match in _PRIVATE_KEY.finditer(text):
            if not is_placeholder(match["value"] or ""):
                yield Span("PRIVATE_KEY", match.start(), match.end(), 1.0)
    yield from _in_urls(text)


def _is_random_enough(form: TokenForm, value: str) -> bool:
    """Tokens whose form is loose (one short prefix) must also look random; names such as `sk-learn-...` do not."""
    if form.kind in {"AI_KEY", "BEARER_TOKEN"}:
        return is_token(value)
    return len(set(value)) > 6 if form.kind != "WEBHOOK" else True


def _in_urls(text: str) -> Iterator[Span]:
    for place in places(text, ("://",)):
        if match := _URL_PASSWORD.match(text, place):
            value = match["value"]
            if is_placeholder(value) or is_default_password(value) or value == match["user"]:
                continue
            yield Span("URL_PASSWORD", match.start("value"), match.end("value"), 1.0)
    if "=" in text:
        for match in _URL_QUERY.finditer(text):
            if match["name"].lower().endswith("token") and _LOCAL_URL.search(
                text, max(0, match.start() - 80), match.start()
            ):
                continue  # the session token a notebook server prints
            bare = match["name"].lower() in {"key", "auth", "token", "signature"}
            start, end = match.start("value"), token_end(text, *match.span("value"))
            if not is_placeholder(match["value"]) and (is_token if bare else is_password)(text[start:end]):
                yield Span("URL_KEY", start, end, 1.0)
    if "curl" in text:
        for match in _CURL_USER.finditer(text):
            start, end = match.start("value"), token_end(text, *match.span("value"))
            if not is_placeholder(match["value"]) and is_password(text[start:end]):
                yield Span("PASSWORD", start, end, 1.0)


@lru_cache(maxsize=1)
def _plugins() -> tuple[tuple[Any, str, tuple[str, ...]], ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    known: Any = get_mapping_from_secret_type_to_class()
    classes: dict[str, Any] = {plugin.__name__: plugin for plugin in known.values()}
    return tuple((classes[name](), kind, triggers) for name, kind, triggers in _PLUGINS)


def _from_plugins(text: str) -> Iterator[Span]:
    for plugin, kind, triggers in _plugins():
        if not any(trigger in text for trigger in triggers):
            continue
        searched = _lines_with(text, triggers) if kind == "AWS_KEY" else text
        for value in set(plugin.analyze_string(searched)):
            if len(value) < 12 or is_placeholder(value) or len(set(value)) < 8:
                continue
            start = text.find(value)
            while start >= 0:
                yield Span(kind, start, start + len(value), 1.0)
                start = text.find(value, start + len(value))


def _lines_with(text: str, triggers: tuple[str, ...]) -> str:
    """The lines that hold one of the literals: all that an expression within lines needs."""
    return "\n".join(line for line in text.split("\n") if any(trigger in line for trigger in triggers))
