"""What cleaning would learn as boilerplate of the folders of the data sets, each taken as one source.

    KPREP_SETS=/path/to/data python -m benchmarks.boilerplate [FOLDER ...]

For each folder: documents that can be parsed, and for some least shares the blocks that would go, with the number of
documents and the first words, so that a person can say which of them are content.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import parsers
from cleaning import CleaningRules, clean, edge_blocks
from kprep.core.errors import PrepError
from kprep.core.models import ParsedDocument, RawDocument
from parsers.media_type import detect

SHARES = (0.1, 0.2, 0.5)
SETS = ("history/dlt_docs/base", "parse/docling", "retrieval/xquad_en_on_en/docs", "retrieval/chroma_chunking/docs")


def main() -> None:
    """Print the figures."""
    root = Path(os.environ.get("KPREP_SETS", "."))
    own = [Path("examples/handbook"), Path("docs")]
    folders = [Path(name) for name in sys.argv[1:]] or [*(root / name for name in SETS), *own]
    least = CleaningRules().min_documents
    for folder in folders:
        found = list(_parsed(folder))
        counts = Counter(block for document in found for block in edge_blocks(document))
        print(f"{folder.name}: {len(found)} documents")
        for share in SHARES:
            learnt = {block for block, count in counts.items() if count >= max(least, share * len(found))}
            taken = Counter(text for document in found for text in _taken(document, learnt))
            print(f"  share {share:.0%}: {len(taken)} blocks, {taken.total()} removals")
            for text, count in taken.most_common():
                print(f"    {count:>5}  {text[:100]!r}")


def _taken(document: ParsedDocument, learnt: set[str]) -> Iterator[str]:
    """Texts of the document that go as boilerplate."""
    rules = CleaningRules(join=()).with_boilerplate(learnt & edge_blocks(document))
    texts = {(item.locator, len(item.text)): item.text for item in document.elements}
    for removal in clean(document, rules).removals:
        if removal.rule == "boilerplate":
            yield " ".join(texts[(removal.locator, removal.chars)].split())


def _parsed(folder: Path) -> Iterator[ParsedDocument]:
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.name.startswith("."):
            continue
        content = path.read_bytes()
        media_type = detect(path.name, content[: 1 << 20])
        try:
            yield parsers.parse(RawDocument(path.name, path.name, content, media_type), parsers.parser_for(media_type))
        except PrepError:
            continue


if __name__ == "__main__":
    main()
