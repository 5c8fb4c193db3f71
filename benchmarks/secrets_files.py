"""A second set of secrets, written from the vendors' documented formats when the rules were done, in whole files that
go through the real parsers and cleaning: `python -m benchmarks.secrets_files`

50 kinds in 14 kinds of files; each case is one file. When it was first run, the rules found 179 of 500: they knew
few of these vendors. The rules have been extended since, so that it now guards them rather than tests them. Values
are made at run time: nothing in this file is a secret.
"""

from __future__ import annotations

import base64
import io
import json
import random
import string
from collections import Counter
from collections.abc import Callable, Iterator

from cleaning import CleaningRules, clean
from kprep.core.errors import SecretFound
from kprep.core.models import RawDocument
from parsers import parse, parser_for
from parsers.media_type import detect
from redaction import RedactionPolicy, Redactor

LOW, UP, NUM = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM, HEX, B64 = UP + LOW + NUM, "0123456789abcdef", UP + LOW + NUM + "+/"
Maker = Callable[[random.Random], str]


def pick(rng: random.Random, alphabet: str, length: int) -> str:
    """A random string; with a letter and a digit where the alphabet has both."""
    while True:
        value = "".join(rng.choice(alphabet) for _ in range(length))
        kinds = [any(c.isdigit() for c in part) and any(c.isalpha() for c in part) for part in (value, alphabet)]
        if kinds[0] or not kinds[1]:
            return value


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def password(rng: random.Random) -> str:
    return f"{pick(rng, LOW, 4)}{rng.choice('!#%&*')}{pick(rng, UP, 3)}{pick(rng, NUM, 3)}"


# kind -> (name it is assigned to, maker of the value)
ASSIGNED: dict[str, tuple[str, Maker]] = {
    "aws session token": ("aws_session_token", lambda r: "FwoGZXIvYXdzE" + pick(r, B64, 180) + "="),
    "azure devops token": ("AZURE_DEVOPS_PAT", lambda r: pick(r, LOW + "234567", 52)),
    "cloudflare token": ("CLOUDFLARE_API_TOKEN", lambda r: pick(r, ALNUM + "_-", 40)),
    "heroku key": ("HEROKU_API_KEY", lambda r: "HRKU-" + pick(r, ALNUM + "_-", 60)),
    "datadog key": ("DD_API_KEY", lambda r: pick(r, HEX, 32)),
    "new relic key": ("NEW_RELIC_API_KEY", lambda r: "NRAK-" + pick(r, UP + NUM, 27)),
    "grafana token": ("grafana", lambda r: f"glsa_{pick(r, ALNUM, 32)}_{pick(r, HEX, 8)}"),
    "sentry token": ("sentry", lambda r: "sntryu_" + pick(r, HEX, 64)),
    "atlassian token": ("jira", lambda r: "ATATT3xFfGF0" + pick(r, ALNUM + "_-", 171) + "=" + pick(r, UP + NUM, 8)),
    "bitbucket password": ("bitbucket", lambda r: "ATBB" + pick(r, ALNUM, 32)),
    "linear key": ("linear", lambda r: "lin_api_" + pick(r, ALNUM, 40)),
    "notion token": ("notion", lambda r: "ntn_" + pick(r, ALNUM, 46)),
    "airtable token": ("airtable", lambda r: f"pat{pick(r, ALNUM, 14)}.{pick(r, HEX, 64)}"),
    "figma token": ("figma", lambda r: "figd_" + pick(r, ALNUM + "_-", 40)),
    "docker hub token": ("docker", lambda r: "dckr_pat_" + pick(r, ALNUM + "_-", 27)),
    "terraform token": ("tfe", lambda r: f"{pick(r, ALNUM, 14)}.atlasv1.{pick(r, ALNUM, 67)}"),
    "pulumi token": ("pulumi", lambda r: "pul-" + pick(r, HEX, 40)),
    "doppler token": ("doppler", lambda r: "dp.pt." + pick(r, ALNUM, 43)),
    "postman key": ("postman", lambda r: f"PMAK-{pick(r, HEX, 24)}-{pick(r, HEX, 34)}"),
    "square token": ("square", lambda r: "EAAA" + pick(r, ALNUM + "_-", 60)),
    "twilio auth token": ("TWILIO_AUTH_TOKEN", lambda r: pick(r, HEX, 32)),
    "mapbox secret": ("mapbox", lambda r: f"sk.eyJ{pick(r, ALNUM, 80)}.{pick(r, ALNUM, 22)}"),
    "supabase token": ("supabase", lambda r: "sbp_" + pick(r, HEX, 40)),
    "groq key": ("groq", lambda r: "gsk_" + pick(r, ALNUM, 52)),
    "replicate token": ("replicate", lambda r: "r8_" + pick(r, ALNUM, 37)),
    "rubygems key": ("rubygems", lambda r: "rubygems_" + pick(r, HEX, 48)),
    "planetscale": ("pscale", lambda r: "pscale_tkn_" + pick(r, ALNUM + "_-", 43)),
    "aliyun key id": ("aliyun", lambda r: "LTAI5t" + pick(r, ALNUM, 18)),
    "tencent key id": ("qcloud", lambda r: "AKID" + pick(r, ALNUM, 32)),
    "age key": ("age", lambda r: "AGE-SECRET-KEY-1" + pick(r, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "google refresh token": ("refresh_token", lambda r: "1//0" + pick(r, ALNUM + "_-", 98)),
    "mongodb address": ("MONGO", lambda r: f"mongodb+srv://shop:{pick(r, ALNUM, 16)}@c0.ab1cd.mongodb.net/shop"),
    "redis address": ("REDIS", lambda r: f"redis://:{pick(r, ALNUM, 20)}@cache.acme.io:6379/0"),
    "sql server": ("db", lambda r: f"Server=tcp:db.acme.io,1433;Database=shop;User Id=app;Password={password(r)};"),
    "jdbc address": ("jdbc", lambda r: f"jdbc:mysql://db.acme.io/shop?user=app&password={pick(r, ALNUM, 14)}"),
    "service bus": (
        "bus",
        lambda r: (
            f"Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey={pick(r, B64, 43)}="
        ),
    ),
}

# kind -> maker of text that brings its own form
FORMED: dict[str, Maker] = {
    "service account": lambda r: json.dumps(
        {
            "type": "service_account",
            "private_key": "-----BEGIN PRIVATE KEY-----\n" + pick(r, B64, 64) + "\n-----END PRIVATE KEY-----\n",
        }
    ),
    "docker config": lambda r: json.dumps({"auths": {"hub.acme.io": {"auth": encoded(f"ci:{password(r)}")}}}, indent=1),
    "kubernetes secret": lambda r: (
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: shop\ntype: Opaque\ndata:\n"
        f"  password: {encoded(password(r))}\n"
    ),
    "kubeconfig": lambda r: (
        f"users:\n- name: admin\n  user:\n"
        f"    client-key-data: {encoded('-----BEGIN RSA PRIVATE KEY-----' + pick(r, B64, 90))}\n"
    ),
    "wordpress": lambda r: f"<?php\ndefine( 'DB_NAME', 'shop' );\ndefine( 'DB_PASSWORD', '{password(r)}' );\n",
    "wireguard": lambda r: f"[Interface]\nAddress = 172.30.0.2/32\nPrivateKey = {pick(r, B64, 43)}=\n",
    "shadow line": lambda r: f"deploy:$6${pick(r, ALNUM, 16)}${pick(r, ALNUM + './', 86)}:19700:0:99999:7:::\n",
    "pgpass": lambda r: f"db.acme.io:5432:shop:app:{pick(r, ALNUM, 14)}\n",
    "router": lambda r: f"hostname edge\nenable secret 5 $1${pick(r, ALNUM, 4)}${pick(r, ALNUM, 22)}\n",
    "curl user": lambda r: f"curl -s -u deploy:{password(r)} https://repo.acme.io/upload -T shop.jar\n",
    "mysql option": lambda r: f"mysql -h db.acme.io -u app -p{password(r)} shop < dump.sql\n",
    "sshpass": lambda r: f"sshpass -p '{password(r)}' ssh deploy@build.acme.io uptime\n",
    "dingtalk robot": lambda r: f"https://oapi.dingtalk.com/robot/send?access_token={pick(r, HEX, 64)}\n",
    "feishu robot": lambda r: (
        "https://open.feishu.cn/open-apis/bot/v2/hook/"
        f"{pick(r, HEX, 8)}-{pick(r, HEX, 4)}-{pick(r, HEX, 4)}-{pick(r, HEX, 4)}-{pick(r, HEX, 12)}\n"
    ),
}


def pdf(lines: list[str]) -> bytes:
    from reportlab.pdfgen.canvas import Canvas

    buffer = io.BytesIO()
    canvas = Canvas(buffer, invariant=True)
    canvas.setFont("Courier", 6)
    for number, line in enumerate(lines):
        canvas.drawString(30, 780 - 14 * number, line)
    canvas.save()
    return buffer.getvalue()


def docx(name: str, value: str) -> bytes:
    from docx import Document

    document = Document()
    document.add_paragraph("Settings of the shop service, as agreed.")
    table = document.add_table(rows=3, cols=2)
    for row, texts in zip(table.rows, [("Setting", "Value"), ("Region", "eu-west-1"), (name, value)], strict=True):
        for cell, text in zip(row.cells, texts, strict=True):
            cell.text = text
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def notebook(source: str) -> bytes:
    cell = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": [], "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


FILES: dict[str, Callable[[str, str], bytes]] = {
    ".env": lambda n, v: f"# shop\nHOST=db.acme.io\n{n.upper()}={v}\n".encode(),
    "settings.yaml": lambda n, v: f"shop:\n  region: eu\n  {n.lower()}: {v}\n".encode(),
    "quoted.yaml": lambda n, v: f"shop:\n  {n.lower()}: '{v}'\n  region: eu\n".encode(),
    "settings.json": lambda n, v: json.dumps({"shop": {"region": "eu", n: v}}, indent=2).encode(),
    "deploy.py": lambda n, v: (
        f'"""Deploys."""\n\n{n.upper()} = "{v}"\n\n\ndef run():\n    return {n.upper()}\n'.encode()
    ),
    "try.ipynb": lambda n, v: notebook(f"import shop\nclient = shop.Client({n.lower()}='{v}')\n"),
    "history.sh": lambda n, v: f"cd shop\nexport {n.upper()}='{v}'\n./deploy.sh\n".encode(),
    "runbook.md": lambda n, v: f"# Start\n\nSet it first:\n\n```\n{n.lower()} = {v}\n```\n".encode(),
    "settings.docx": docx,
    "settings.pdf": lambda n, v: pdf(["Settings of the shop service", f"{n}: {v[:120]}", v[120:], "Then restart it."]),
}
FORMED_FILES: dict[str, Callable[[str], bytes]] = {
    "notes.txt": lambda text: f"What we ran on Monday:\n\n{text}\nIt worked.\n".encode(),
    "runbook.md": lambda text: f"# Steps\n\n```\n{text}```\n\nDone.\n".encode(),
    "page.html": lambda text: f"<h1>Steps</h1><pre>{text.replace('<', '&lt;')}</pre>".encode(),
    "setup.pdf": lambda text: pdf(["Steps", *(line[:150] for line in text.split("\n"))]),
}


def cases(rng: random.Random, each: int = 10) -> Iterator[tuple[str, str, bytes]]:
    """(kind, file name, content)."""
    for index, (kind, (name, make)) in enumerate(ASSIGNED.items()):
        for number in range(each):
            file, write = list(FILES.items())[(number + index) % len(FILES)]
            yield kind, file, write(name, make(rng))
    for kind, maker in FORMED.items():
        for number in range(each):
            file, wrap = list(FORMED_FILES.items())[number % len(FORMED_FILES)]
            yield kind, file, wrap(maker(rng))


def is_refused(redactor: Redactor, file: str, content: bytes) -> bool:
    media_type = detect(file, content)
    document = parse(RawDocument("bench/" + file, file, content, media_type), parser_for(media_type))
    try:
        redactor.redact(clean(document, CleaningRules()))
    except SecretFound:
        return True
    return False


def measure(redactor: Redactor, each: int = 10) -> dict[str, tuple[int, int, Counter[str]]]:
    """For each kind: files refused, files, and the names of those that were not."""
    found: dict[str, tuple[int, int, Counter[str]]] = {}
    for kind, file, content in cases(random.Random(3), each):
        hit, of, missed = found.get(kind, (0, 0, Counter()))
        refused = is_refused(redactor, file, content)
        if not refused:
            missed[file] += 1
        found[kind] = (hit + refused, of + 1, missed)
    return found


def main() -> None:
    found = measure(Redactor(RedactionPolicy(), b"benchmark-key-0123456789", "bench"))
    hits, total = (sum(pair[index] for pair in found.values()) for index in (0, 1))  # type: ignore[misc]
    print(f"secrets found in files: {hits} of {total} ({hits / total:.1%}), {len(found)} kinds")
    for kind, (hit, of, missed) in found.items():
        print(f"  {kind:22} {hit:3} of {of}  {', '.join(missed) if hit < of else ''}")


if __name__ == "__main__":
    main()
