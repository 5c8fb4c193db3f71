"""Encodings told from the bytes alone: `python -m benchmarks.encodings`. Prints how many texts of 30 languages, in the
encodings they were written in before UTF-8, are read right, refused, or read wrongly, by the product and by
charset-normalizer, which other libraries bring along.

The detector was made with these texts in view: the figures say what it can do, not what it does with others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from charset_normalizer import from_bytes

from parsers.decoding import decode, is_plausible

LANGUAGES = json.loads((Path(__file__).parents[1] / "tests/data/languages.json").read_text(encoding="utf-8"))


def by_library(content: bytes) -> str | None:
    """The text in the encoding the library thinks best."""
    best = from_bytes(content).best()
    return None if best is None else str(best)


def by_product(content: bytes) -> str | None:
    """The text as a document would be read; None where it would be refused."""
    decoded = decode(content)
    return decoded.text if is_plausible(decoded) else None


def main() -> None:
    ways: dict[str, Callable[[bytes], str | None]] = {"kprep": by_product, "charset-normalizer": by_library}
    print(f"{'characters':>10}  {'':20}{'pieces':>7}{'right':>7}{'refused':>9}{'wrong':>7}")
    for size in (100, 200, 2_000):
        for name, read in ways.items():
            counts: Counter[str] = Counter()
            for about in LANGUAGES.values():
                for encoding in about["encodings"]:
                    content = about["text"][:size].encode(encoding, "ignore")
                    text = read(content)
                    right = text == content.decode(encoding)
                    counts["refused" if text is None else "right" if right else "wrong"] += 1
            row = "".join(f"{counts[kind]:>{width}}" for kind, width in (("right", 7), ("refused", 9), ("wrong", 7)))
            print(f"{size:>10}  {name:20}{counts.total():>7}{row}")


if __name__ == "__main__":
    main()
