"""What cleaning takes from real documents, whether any of it belongs to the body, and how fast it is.

`python benchmarks/cleaning.py [--write] [--examples]`

Reads `parse/docling` below KPREP_SETS (default ../shared/data beside the repository) and the example handbook. A
sentence is lost where a rule took it and the expected Markdown holds it, outside of pages' headers and footers, more
often than the clean document does. `--write` writes docs/quality/cleaning.md.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from cleaning import VERSION, CleaningRules, clean, explain, removed_share
from kprep.core.errors import PrepError
from kprep.core.models import RawDocument
from parsers import parse, parser_for
from parsers.media_type import detect

ROOT = Path(__file__).resolve().parents[1]
FORMATS = (".md", ".html", ".pdf", ".docx", ".txt")
SETS = Path(os.environ.get("KPREP_SETS", ROOT.parent / "shared" / "data"))


@dataclass
class Figures:
    """Sums over the files of one format."""

    files: int = 0
    chars: int = 0
    seconds: float = 0.0
    share: float = 0.0
    rules: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)


def folded(text: str) -> str:
    """Letters and digits only, lower case."""
    return "".join(re.findall(r"[^\W_]+", re.sub(r"<!--.*?-->|\]\([^)\s]*\)", "", text).lower()))


def sentences(text: str) -> list[str]:
    """Sentences of five words or more."""
    parts = re.split(r"(?<=[.!?。])\s+|\n", text)
    return [part for part in parts if len(part.split()) >= 5 or re.search(r"[\u4e00-\u9fff]{8}", part)]


def measure(files: list[tuple[Path, str]]) -> dict[str, Figures]:
    """Figures by file ending. `files`: path and expected text, empty where there is none."""
    rules = CleaningRules()
    figures: dict[str, Figures] = {}
    for path, expected in files:
        content = path.read_bytes()
        try:
            media_type = detect(path.name, content)
            document = parse(RawDocument(path.name, path.name, content, media_type), parser_for(media_type))
            started = time.process_time()
            result = clean(document, rules)
        except PrepError:
            continue
        found = figures.setdefault(path.suffix[1:], Figures())
        found.seconds += time.process_time() - started
        found.files += 1
        found.chars += sum(len(element.text) for element in document.elements)
        found.share = max(found.share, removed_share(result))
        found.rules.update({removal.rule: 1 for removal in result.removals})
        left = folded("\n".join(element.text for element in result.elements))
        truth = folded(expected)
        for step in explain(document, rules):
            for removed, instead in step.differences() if step.removals else ():
                after = {element.text for element in instead}
                for sentence in (
                    part for element in removed if element.text not in after for part in sentences(element.text)
                ):
                    short = folded(sentence)
                    if truth.count(short) > left.count(short):
                        found.lost.append(f"{path.name}: {step.rule}: {sentence[:90]}")
    return figures


def main() -> None:
    docling = SETS / "parse" / "docling"
    entries = [json.loads(line) for line in (docling / "index.jsonl").read_text(encoding="utf-8").splitlines()]
    wanted = [entry for entry in entries if entry["format"] in {"html", "pdf", "docx", "md"}]
    files = [(docling / "docs" / e["doc"], (docling / e["expected"]).read_text(encoding="utf-8")) for e in wanted]
    handbook = [path for path in sorted((ROOT / "examples/handbook").rglob("*")) if path.suffix in FORMATS]
    sets = {
        "open parse set": measure(files),
        "example handbook": measure([(path, "") for path in handbook]),
    }
    lines = [
        "# Cleaning: figures",
        "",
        f"Written by `python benchmarks/cleaning.py --write`; cleaning version {VERSION}, default rules.",
        "",
        "Lost: sentences a rule took that the expected text of the set holds. Share: the largest part of one document",
        "that was taken. The hand-made truth of over thirty pages stands in `tests/unit/cleaning/test_pages.py`.",
        "",
        "| set | format | files | MB | MB/s | largest share | sentences lost | documents by rule |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, figures in sets.items():
        for kind, item in sorted(figures.items()):
            rules = ", ".join(f"{rule} {count}" for rule, count in item.rules.most_common()) or "none"
            lines.append(
                f"| {name} | {kind} | {item.files} | {item.chars / 1e6:.2f} | {item.chars / 1e6 / item.seconds:.1f} "
                f"| {item.share:.0%} | {len(item.lost)} | {rules} |"
            )
            if "--examples" in sys.argv:
                print(*item.lost, sep="\n")
    print("\n".join(lines))
    if "--write" in sys.argv:
        (ROOT / "docs/quality/cleaning.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
