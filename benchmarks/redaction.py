"""How well and how fast redaction works: python -m benchmarks.redaction [--examples]

Prints precision, recall and F2 per pattern type on the labelled texts of presidio-research, findings on technical
documents (nearly all of them false), and MB/s of the whole redactor on generated mixed text. KPREP_SETS names the
folder of test sets (default: ../shared/data).
Run it as a module: as a script it would hide the room of its name.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import time
from collections import Counter
from pathlib import Path

from kprep.core.errors import SecretFound
from kprep.core.models import CleanDocument, DocumentMetadata, Element, ElementKind, Locator
from redaction import RedactionPolicy, Redactor

SETS = Path(os.environ.get("KPREP_SETS", "../shared/data"))
TYPES = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CREDIT_CARD": "CREDIT_CARD",
    "IBAN_CODE": "IBAN",
    "US_SSN": "US_SSN",
    "IP_ADDRESS": "IP",
}


def document(paragraphs: list[str]) -> CleanDocument:
    elements = tuple(
        Element(ElementKind.PARAGRAPH, text, Locator(line=(number, number)))
        for number, text in enumerate(paragraphs, 1)
    )
    return CleanDocument("bench/text", "text/plain", "text", elements, (), DocumentMetadata(), ())


def labelled(redactor: Redactor, examples: bool) -> None:
    right: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    false: Counter[str] = Counter()
    lines = (SETS / "pii/presidio/labels.jsonl").read_text(encoding="utf-8").splitlines()
    for row in map(json.loads, lines):
        found = redactor.scan(row["text"], by_context=True)
        spans = [(TYPES[s["type"]], s["start"], s["end"]) for s in row["spans"] if s["type"] in TYPES]
        for kind, start, end in spans:
            # Found means that the whole value goes, whatever it is called.
            hit = any(s <= start and end <= e for _, s, e in found)
            (right if hit else missed)[kind] += 1
            if not hit and examples:
                print("missed", kind, repr(row["text"][max(0, start - 40) : end + 10]))
        for kind, start, end in found:
            if not any(start < s["end"] and s["start"] < end for s in row["spans"] if s["type"] in TYPES):
                false[kind] += 1
                if examples:
                    print("false", kind, repr(row["text"][max(0, start - 40) : end + 10]))
    print(f"\n{'type':14} {'n':>5} {'precision':>9} {'recall':>7} {'F2':>6}")
    for kind in [*sorted(set(TYPES.values())), "all"]:
        hits, lost, wrong = (sum(c.values()) if kind == "all" else c[kind] for c in (right, missed, false))
        precision, recall = hits / max(1, hits + wrong), hits / max(1, hits + lost)
        f2 = 5 * precision * recall / max(1e-9, 4 * precision + recall)
        print(f"{kind:14} {hits + lost:5} {precision:9.3f} {recall:7.3f} {f2:6.3f}")


def technical(redactor: Redactor, examples: bool) -> None:
    for name, folder in (("dlt_docs", "history/dlt_docs/base"), ("docling expected", "parse/docling/expected")):
        found: Counter[str] = Counter()
        size = files = refused = 0
        for path in sorted((SETS / folder).rglob("*")):
            if not path.is_file() or path.suffix not in {".md", ".txt", ".rst"}:
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            size, files = size + len(text), files + 1
            findings = redactor.scan(text, by_context=True)
            refused += any(kind.startswith("SECRET_") for kind, _, _ in findings)
            found.update(kind for kind, _, _ in findings)
            if examples:
                for kind, start, end in findings:
                    print(name, kind, repr(text[max(0, start - 40) : end + 15]))
        print(f"\n{name}: {files} files, {size / 1e6:.2f} MB, {refused} refused, findings: {dict(found) or 'none'}")


def speed(redactor: Redactor) -> None:
    rng = random.Random(7)
    words = [path.read_text(encoding="utf-8") for path in sorted((SETS / "history/dlt_docs/base").rglob("*.md"))[:30]]
    pool = [line for text in words for line in text.split("\n\n") if line.strip()]
    plants = [
        "mail jane.doe{}@acme.io",
        "call +49 30 9{:06d}",
        "from 10.2.{}.7",
        "card 4111 1111 1111 1111",
        "on 2024-03-{:02d}",
    ]
    for label, share in (("prose without personal data", 0.0), ("1 % of paragraphs with a value", 0.01), ("20 %", 0.2)):
        paragraphs: list[str] = []
        size = 0
        while size < 2_000_000:
            text = rng.choice(pool)
            if rng.random() < share:
                text += " " + rng.choice(plants).format(rng.randrange(1, 28))
            paragraphs.append(text)
            size += len(text)
        started = time.perf_counter()
        try:
            result = redactor.redact(document(paragraphs))
        except SecretFound as error:
            print("refused:", error.context)
            continue
        seconds = time.perf_counter() - started
        print(f"{label}: {size / 1e6 / seconds:.2f} MB/s, {len(result.redactions)} redactions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", action="store_true", help="print what was missed and what was false")
    examples = parser.parse_args().examples
    redactor = Redactor(RedactionPolicy(), b"benchmark-key-0123456789", "bench")
    labelled(redactor, examples)
    technical(redactor, examples)
    print()
    speed(redactor)


if __name__ == "__main__":
    main()
