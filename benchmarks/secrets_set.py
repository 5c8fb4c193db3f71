"""A made set of 400 secrets of 40 kinds in realistic files, and 400 look-alikes: python -m benchmarks.secrets_set

Prints recall by kind of secret and false alarms by kind of look-alike. Values come from a seeded generator, so that
the set is the same on every machine and no real secret, and nothing a scanner takes for one, stands in this file.
"""

from __future__ import annotations

import base64
import json
import random
import string
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kprep.core.errors import SecretFound
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator, table_text
from redaction import RedactionPolicy, Redactor

PER_KIND = 10
LOW, UP, NUM = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM, HEX = UP + LOW + NUM, "0123456789abcdef"
WORDS = (
    "correct horse battery staple river window orange tractor velvet candle marble thunder pepper island wagon copper "
    "lantern meadow puzzle silver garden rocket walnut harbor"
).split()


@dataclass(frozen=True)
class Case:
    """One file with a secret, or with something that only looks like one."""

    kind: str
    place: str
    elements: tuple[Element, ...]
    value: str = ""


def pick(rng: random.Random, alphabet: str, length: int) -> str:
    """A random string with a letter and a digit in it, where the alphabet has both."""
    value = "".join(rng.choice(alphabet) for _ in range(length))
    mixed = any(char in alphabet for char in NUM) and any(char.isalpha() for char in alphabet)
    if mixed and not (any(char.isdigit() for char in value) and any(char.isalpha() for char in value)):
        return pick(rng, alphabet, length)
    return value


def mixed_password(rng: random.Random) -> str:
    return pick(rng, UP + LOW, 6) + rng.choice("!$%&*?#") + pick(rng, NUM, 3) + pick(rng, LOW, 2)


def jwt(rng: random.Random) -> str:
    def part(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")

    return f"{part({'alg': 'HS256'})}.{part({'sub': pick(rng, NUM, 9)})}.{pick(rng, ALNUM, 43)}"


def key_block(label: str) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        body = "\n".join(pick(rng, ALNUM + "+/", 64) for _ in range(4))
        return f"-----BEGIN {label}-----\n{body}\n-----END {label}-----"

    return make


# kind -> (name to assign it to, or "" where it stands by itself; maker)
SECRETS: dict[str, tuple[str, Callable[[random.Random], str]]] = {
    "aws access key": ("aws_access_key_id", lambda r: "AKIA" + pick(r, UP + NUM, 16)),
    "aws secret key": ("aws_secret_access_key", lambda r: pick(r, ALNUM + "/+", 40)),
    "github classic": ("github_token", lambda r: "ghp_" + pick(r, ALNUM, 36)),
    "github fine-grained": ("GH_PAT", lambda r: "github_pat_" + pick(r, ALNUM, 22) + "_" + pick(r, ALNUM, 59)),
    "gitlab": ("gitlab_token", lambda r: "glpat-" + pick(r, ALNUM, 20)),
    "slack token": ("slack_token", lambda r: f"xoxb-{pick(r, NUM, 12)}-{pick(r, NUM, 12)}-{pick(r, ALNUM, 24)}"),
    "slack webhook": (
        "webhook",
        lambda r: (
            f"https://hooks.slack.com/services/T{pick(r, UP + NUM, 8)}/B{pick(r, UP + NUM, 8)}/{pick(r, ALNUM, 24)}"
        ),
    ),
    "google api key": ("google_key", lambda r: "AIza" + pick(r, ALNUM, 35)),
    "google oauth": ("oauth_secret", lambda r: "GOCSPX-" + pick(r, ALNUM, 28)),
    "azure storage": (
        "connection",
        lambda r: (
            f"DefaultEndpointsProtocol=https;AccountName=store{pick(r, NUM, 3)};"
            f"AccountKey={pick(r, ALNUM + '+/', 86)}==;EndpointSuffix=core.windows.net"
        ),
    ),
    "azure client secret": ("AZURE_CLIENT_SECRET", lambda r: f"{pick(r, ALNUM, 3)}8Q~{pick(r, ALNUM, 34)}"),
    "stripe": ("stripe", lambda r: "sk_live_" + pick(r, ALNUM, 24)),
    "openai": ("OPENAI_API_KEY", lambda r: "sk-proj-" + pick(r, ALNUM, 48)),
    "anthropic": ("ANTHROPIC_API_KEY", lambda r: "sk-ant-api03-" + pick(r, ALNUM, 60)),
    "hugging face": ("HF_TOKEN", lambda r: "hf_" + pick(r, UP + LOW, 34)),
    "npm": ("npm", lambda r: "npm_" + pick(r, ALNUM, 36)),
    "pypi": ("pypi", lambda r: "pypi-AgEIcHlwaS5vcmc" + pick(r, ALNUM, 60)),
    "sendgrid": ("sendgrid", lambda r: f"SG.{pick(r, ALNUM, 22)}.{pick(r, ALNUM, 43)}"),
    "twilio": ("twilio", lambda r: "SK" + pick(r, HEX, 32)),
    "telegram": ("bot", lambda r: f"{r.randrange(10**8, 10**9)}:AA{pick(r, ALNUM, 33)}"),
    "digitalocean": ("do", lambda r: "dop_v1_" + pick(r, HEX, 64)),
    "vault": ("vault", lambda r: "hvs." + pick(r, ALNUM, 24)),
    "shopify": ("shopify", lambda r: "shpat_" + pick(r, HEX, 32)),
    "mailgun": ("mailgun", lambda r: "key-" + pick(r, HEX, 32)),
    "databricks": ("databricks", lambda r: "dapi" + pick(r, HEX, 32)),
    "discord": ("DISCORD_TOKEN", lambda r: f"M{pick(r, ALNUM, 23)}.{pick(r, ALNUM, 6)}.{pick(r, ALNUM, 27)}"),
    "jwt": ("session", jwt),
    "bearer": ("", lambda r: f'curl -H "Authorization: Bearer {pick(r, ALNUM, 32)}" https://api.acme.io/v1'),
    "basic auth": (
        "",
        lambda r: "Authorization: Basic " + base64.b64encode(f"app:{mixed_password(r)}".encode()).decode(),
    ),
    "rsa key": ("", key_block("RSA PRIVATE KEY")),
    "openssh key": ("", key_block("OPENSSH PRIVATE KEY")),
    "pgp key": ("", key_block("PGP PRIVATE KEY BLOCK")),
    "url password": ("database_url", lambda r: f"postgresql://app:{pick(r, ALNUM, 14)}@db.acme.io:5432/shop"),
    "url key": ("", lambda r: f"https://api.acme.io/v1/items?api_key={pick(r, ALNUM, 24)}"),
    "mixed password": ("password", mixed_password),
    "passphrase": ("passphrase", lambda r: " ".join(r.sample(WORDS, 4))),
    "letters only": ("DB_PASSWORD", lambda r: "".join(r.sample(WORDS, 2))),
    "guid secret": ("client_secret", lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4))),
    "hex secret": ("API_SECRET", lambda r: pick(r, HEX, 32)),
    "netrc": ("", lambda r: f"machine git.acme.io\n  login deploy\n  password {pick(r, ALNUM, 12)}"),
}

# Places a value is written at: name and value -> elements. Those for a bare value ignore the name.
P, CODE = ElementKind.PARAGRAPH, ElementKind.CODE


def element(kind: ElementKind, text: str) -> Element:
    return Element(kind, text, Locator(line=(1, 1)))


def table(*rows: tuple[str, ...]) -> Element:
    return Element(ElementKind.TABLE, table_text(rows), Locator(page=2), rows=rows, header_rows=1)


def notebook(name: str, value: str) -> str:
    cell = {"cell_type": "code", "source": [f'{name} = "{value}"\n', "run()\n"], "outputs": []}
    return json.dumps({"cells": [cell]}, indent=1)


PLACES: dict[str, Callable[[str, str], Element]] = {
    "env": lambda n, v: element(CODE, f"HOST=db.acme.io\n{n.upper()}={v}\nPORT=5432\n"),
    "env quoted": lambda n, v: element(CODE, f'export {n.upper()}="{v}"\n'),
    "yaml": lambda n, v: element(CODE, f"service:\n  host: db.acme.io\n  {n.lower()}: {v}\n  port: 5432\n"),
    "yaml quoted": lambda n, v: element(CODE, f"service:\n  {n.lower()}: '{v}'\n  replicas: 2\n"),
    "json": lambda n, v: element(CODE, json.dumps({"name": "shop", n: v, "debug": False}, indent=2)),
    "python": lambda n, v: element(CODE, f'import shop\n\n{n.lower()} = "{v}"\nshop.start({n.lower()})\n'),
    "notebook": lambda n, v: element(CODE, notebook(n.lower(), v)),
    "history": lambda n, v: element(CODE, f"cd shop\nexport {n.upper()}='{v}'\n./deploy.sh\n"),
    "table": lambda n, v: table(("Setting", "Value"), ("Region", "eu-west-1"), (n.lower(), v)),
    "markdown": lambda n, v: element(P, f"Put this into the file before the first start:\n\n`{n.lower()}: {v}`\n"),
}
PLACES["pdf"] = lambda n, v: element(
    P, f"The service reads its settings at the start, see page 12.\n{n.lower()}:\n{v}\n"
)
BARE_PLACES: dict[str, Callable[[str], Element]] = {
    "code": lambda v: element(CODE, f"# deploy\n{v}\n# end\n"),
    "text": lambda v: element(P, f"For the record:\n{v}\nPlease keep it."),
    "yaml block": lambda v: element(CODE, "data: |\n" + "".join(f"  {line}\n" for line in v.split("\n"))),
    "cell": lambda v: table(("Step", "What to run"), ("1", v)),
    "history": lambda v: element(CODE, f"ls -la\n{v}\nexit\n"),
}


def secrets(rng: random.Random) -> Iterator[Case]:
    for index, (kind, (name, make)) in enumerate(SECRETS.items()):
        for number in range(PER_KIND):
            value = make(rng)
            if name:
                place, write = list(PLACES.items())[(number + index) % len(PLACES)]
                found = write(name, value)
            else:
                place, bare = list(BARE_PLACES.items())[number % len(BARE_PLACES)]
                found = bare(value)
            yield Case(kind, place, (element(P, "Setting up the shop."), found, element(P, "Then restart.")), value)


def guid(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


LOOK_ALIKES: dict[str, Callable[[random.Random], str]] = {
    "angle placeholder": lambda r: f"{r.choice(['password', 'api_key', 'token'])}: <your-{r.choice(WORDS)}-key>",
    "shell variable": lambda r: f"PASSWORD=${{{r.choice(WORDS).upper()}_PASSWORD_{r.randrange(9)}}}",
    "template": lambda r: f"password: {{{{ vault_{r.choice(WORDS)}_password }}}}",
    "mask": lambda r: f"password: {r.choice(['****', 'xxxxxxxx', '••••••••', '[REDACTED]', '<redacted>', '...'])}",
    "word for one": lambda r: (
        f"password = '{r.choice(['changeme', 'example', 'password', 'secret', 'your_password'])}'"
    ),
    "rule": lambda r: f"The password must have at least {r.randrange(8, 16)} characters and one digit.",
    "prose": lambda r: (
        f"A token is valid for {r.randrange(5, 90)} minutes, then the {r.choice(WORDS)} service asks again."
    ),
    "schema": lambda r: f'"password": {{"type": "string", "minLength": {r.randrange(6, 20)}}}',
    "type hint": lambda r: (
        f"def login(user: str, password: str, token: str | None = None, retries: int = {r.randrange(9)}):"
    ),
    "environment": lambda r: f"password = os.environ['{r.choice(WORDS).upper()}_PASSWORD_{r.randrange(2020, 2030)}']",
    "call": lambda r: f'token = get_token("{r.choice(WORDS)}-prod-{r.randrange(9)}")',
    "attribute": lambda r: f"api_key=settings.{r.choice(WORDS)}.api_key_{r.randrange(9)}",
    "secret name": lambda r: f"secretName: {r.choice(WORDS)}-tls-{r.randrange(9)}",
    "secret reference": lambda r: (
        f"valueFrom:\n  secretKeyRef:\n    name: {r.choice(WORDS)}\n    key: password-{r.randrange(9)}"
    ),
    "ci secret": lambda r: f"token: ${{{{ secrets.{r.choice(WORDS).upper()}_TOKEN }}}}",
    "limit": lambda r: f"max_tokens: {r.randrange(256, 8192)}\ntoken_count: {r.randrange(10**6)}",
    "token type": lambda r: f"token_type: bearer\nexpires_in: {r.randrange(60, 7200)}",
    "page token": lambda r: f'"nextPageToken": "{pick(r, ALNUM, 16)}"',
    "guid id": lambda r: f"tenant_id: {guid(r)}\norder: {guid(r)}",
    "commit": lambda r: f"commit {pick(r, HEX, 40)}\nAuthor: A",
    "integrity": lambda r: f'"integrity": "sha512-{pick(r, ALNUM + "+/", 86)}=="',
    "pip hash": lambda r: f"shop=={r.randrange(9)}.{r.randrange(9)} --hash=sha256:{pick(r, HEX, 64)}",
    "image digest": lambda r: f"image: registry.acme.io/shop@sha256:{pick(r, HEX, 64)}",
    "etag": lambda r: f'ETag: "{pick(r, HEX, 32)}"\nX-Request-Id: {pick(r, HEX, 32)}',
    "public key": lambda r: f"ssh-rsa AAAAB3NzaC1yc2E{pick(r, ALNUM, 200)} deploy@build",
    "public key block": key_block("PUBLIC KEY"),
    "certificate": key_block("CERTIFICATE"),
    "elided private key": lambda r: f"-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY----- ({r.randrange(9)})",
    "documentation key": lambda r: f"aws_access_key_id = AKIA{'IOSFODNN7'}EXAMPLE  # {r.choice(WORDS)}",
    "cut key": lambda r: f"api_key: sk-...{pick(r, ALNUM, 4)}",
    "url placeholder": lambda r: (
        f"postgresql://user:{r.choice(['password', '<password>', '${DB_PASS}', '***'])}@localhost/shop"
    ),
    "long name": lambda r: "".join(word.capitalize() for word in r.sample(WORDS, 6)) + "Factory",
    "css id": lambda r: f"#{r.choice(WORDS)}Notices-validation-group-{r.randrange(10**9)}-1 {{ color: red }}",
    "label": lambda r: (
        f'"password": "{r.choice(["Enter your password", "Mot de passe", "Passwort vergessen?", "Password"])}"'
    ),
    "form": lambda r: (
        f'<input type="password" name="password" id="{r.choice(WORDS)}-password" autocomplete="new-password">'
    ),
    "message": lambda r: f"Error: invalid token at line {r.randrange(99)}: unexpected end of password file",
    "data uri": lambda r: f'<img src="data:image/png;base64,iVBORw0KGgo{pick(r, ALNUM + "+/", 120)}">',
    "algorithm": lambda r: (
        f"password_hash: {r.choice(['sha256', 'bcrypt', 'argon2id', 'pbkdf2_sha256'])}\ntoken: base64"
    ),
    "required": lambda r: (
        f"| password | {r.choice(['required', 'optional', 'string', 'deprecated'])} | the {r.choice(WORDS)} |"
    ),
    "path": lambda r: f"password_file: /run/secrets/{r.choice(WORDS)}_password\nkey: ./certs/{r.choice(WORDS)}.pem",
}


def look_alikes(rng: random.Random) -> Iterator[Case]:
    for kind, make in LOOK_ALIKES.items():
        for number in range(PER_KIND):
            text = make(rng)
            as_what = CODE if number % 2 else P
            yield Case(kind, as_what.value, (element(P, "Setting up the shop."), element(as_what, text)), text)


def is_refused(redactor: Redactor, case: Case) -> bool:
    document = CleanDocument("bench/a", "text/plain", "text", case.elements, (), DocumentMetadata(), ())
    try:
        redactor.redact(document)
    except SecretFound:
        return True
    return False


def measure(redactor: Redactor) -> tuple[dict[str, tuple[int, int]], dict[str, tuple[int, int]], list[Case]]:
    """(kind -> found, of) for secrets, (kind -> refused, of) for look-alikes, and the cases judged wrongly."""
    wrong: list[Case] = []
    results: list[dict[str, tuple[int, int]]] = []
    for cases, should in ((list(secrets(random.Random(1))), True), (list(look_alikes(random.Random(2))), False)):
        refused: Counter[str] = Counter()
        for case in cases:
            hit = is_refused(redactor, case)
            refused[case.kind] += hit
            if hit != should:
                wrong.append(case)
        total = Counter(case.kind for case in cases)
        results.append({kind: (refused[kind], total[kind]) for kind in total})
    return results[0], results[1], wrong


def main() -> None:
    found, alarms, wrong = measure(Redactor(RedactionPolicy(), b"benchmark-key-0123456789", "bench"))
    for title, counts in (("secrets found", found), ("look-alikes refused", alarms)):
        hits, total = (sum(pair[index] for pair in counts.values()) for index in (0, 1))
        print(f"\n{title}: {hits} of {total} ({hits / total:.1%})")
        for kind, (hit, of) in counts.items():
            print(f"  {kind:22} {hit:3} of {of}")
    for case in wrong:
        print("wrong:", case.kind, "|", case.place, "|", repr(case.value[:90]))


if __name__ == "__main__":
    main()
