"""How many characters of scanned pages are recognised wrongly, English and Chinese, straight and as scanners turn them.

`python -m benchmarks.ocr [--font FILE]`: pages drawn at 150 dots per inch, turned by some degrees, with noise and the
losses of JPEG. Needs the extra `ocr`; Chinese is measured with a font that `--font` names.
"""

from __future__ import annotations

import argparse
import io
import random
import sys
import time
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kprep.offline import prepare_environment

ROOT = Path(__file__).resolve().parents[1]
TURNS = (0.0, 1.0, -2.0)
"""Degrees; noise is added to the pages that are turned."""
SIZE = (1240, 1754)
NOISE = 18
"""Standard deviation of the noise, in steps of grey of 256."""
CHINESE = (
    "设备每周检查一次，检查结果由值班工程师记录。",
    "如果温度超过八十度，请立即关闭电源并通知管理员。",
    "报销申请应当在出差结束后三十天内提交。",
    "客户的个人信息只能用于合同约定的目的。",
    "新员工入职第一周需要完成安全培训。",
    "系统在每天凌晨两点自动备份全部数据。",
    "更换滤芯之前，先关闭进水阀门，再释放管道内的压力。",
    "会议室可以提前两周预订，取消时请及时释放。",
)


def english() -> list[str]:
    """Lines of prose of the handbook, at most 70 letters each."""
    import textwrap

    text = (ROOT / "examples" / "handbook" / "people" / "remote-work.md").read_text(encoding="utf-8")
    prose = " ".join(line for line in text.split("---")[-1].splitlines() if line[:1].isalpha())
    return textwrap.wrap(prose, 70)[:24]


def scan(lines: Sequence[str], font: str | None, turn: float) -> bytes:
    """A PDF of one page that is a picture of these lines."""
    from PIL import Image, ImageDraw, ImageFont
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    letters = ImageFont.truetype(font, 26) if font else ImageFont.load_default(26)
    picture = Image.new("L", SIZE, 255)
    draw = ImageDraw.Draw(picture)
    for number, line in enumerate(lines):
        draw.text((110, 140 + 44 * number), line, font=letters, fill=20)
    if turn:
        picture = picture.rotate(turn, Image.Resampling.BICUBIC, fillcolor=255)
        made = random.Random(7)
        grains = [min(255, max(0, round(dot + made.gauss(0, NOISE)))) for dot in picture.tobytes()]
        picture = Image.frombytes("L", SIZE, bytes(grains))
    jpeg, out = io.BytesIO(), io.BytesIO()
    picture.save(jpeg, "JPEG", quality=60)
    canvas = Canvas(out, pagesize=(595, 842), invariant=1)
    canvas.drawImage(ImageReader(jpeg), 0, 0, 595, 842)
    canvas.save()
    return out.getvalue()


def wrong(said: str, read: str) -> int:
    """Characters to insert, delete or replace."""
    row = list(range(len(read) + 1))
    for at, letter in enumerate(said, 1):
        before, row[0] = row[0], at
        for to, other in enumerate(read, 1):
            before, row[to] = row[to], min(row[to] + 1, row[to - 1] + 1, before + (letter != other))
    return row[-1]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--font", help="font file with Chinese letters")
    font = options.parse_args().font
    if not find_spec("rapidocr"):
        print("ocr: not measured, the extra `ocr` is not installed")
        return
    prepare_environment()
    from kprep.core.errors import NeedsReview
    from kprep.core.models import RawDocument
    from parsers import parse, parser_for

    sets = {"English": (english(), None), **({"Chinese": (CHINESE, font)} if font else {})}
    print("ocr: character error rate, confidence, processor seconds a page")
    for language, (lines, face) in sets.items():
        said = "".join("".join(lines).split())
        for turn in TURNS:
            raw = RawDocument("bench/scan.pdf", "scan.pdf", scan(lines, face, turn), "application/pdf")
            cpu = time.process_time()
            try:
                document = parse(raw, parser_for(raw.media_type))
            except NeedsReview:
                print(f"  {language}, turned {turn:+.0f} degrees: left to a person")
                continue
            cpu = time.process_time() - cpu
            read = "".join("".join(element.text for element in document.elements).split())
            sure = min(element.confidence or 0.0 for element in document.elements)
            print(
                f"  {language}, turned {turn:+.0f} degrees{', noise' if turn else ''}: "
                f"{wrong(said, read) / len(said):.4f} of {len(said)} characters, {sure:.3f}, {cpu:.1f} s"
            )
    if not font:
        print("  Chinese: not measured, --font names no font with Chinese letters")


if __name__ == "__main__":
    main()
