"""Wikitext as HTML: every block of it, with nothing of the text lost."""

from __future__ import annotations

import pytest

from sources.wikitext import to_html


def written(text: str) -> str:
    page, _ = to_html("T", text, lambda title: f"{title}.html" if title != "Nope" else "")
    return page.decode().split("<h1>T</h1>\n", 1)[1].removesuffix("\n</body></html>\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One\ntwo.\n\nThree.", "<p>One two.</p>\n<p>Three.</p>"),
        ("'''Bold''' ''it'' <code>x < y</code>", "<p><b>Bold</b> <i>it</i> <code>x &lt; y</code></p>"),
        ("== Head ==\nText", "<h2>Head</h2>\n<p>Text</p>"),
        ("[[A|b]] [[Nope]] [https://x.org y]", '<p><a href="A.html">b</a> Nope <a href="https://x.org">y</a></p>'),
        ("* a\n** b\n* c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("# a\n# b\ntext", "<ol><li>a</li><li>b</li></ol>\n<p>text</p>"),
        ("* a\n# b", "<ul><li>a</li></ul><ol><li>b</li></ol>"),
        ("{{Box|name=X|size=3}}", "<ul><li>name: X</li><li>size: 3</li></ul>"),
        ("{{nowrap|40 km}}", "<p>40 km</p>"),
        ("{{empty}}a<!-- c -->b<ref>Book</ref>", "<p>ab [Book]</p>"),
        (
            "{|\n! A !! B\n|-\n| 1 || colspan=2 | 2\n|}",
            '<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td colspan="2">2</td></tr></table>',
        ),
        ("<pre>a\n  b</pre>", "<pre><code>a&#10;  b</code></pre>"),
        ("<nowiki>[[x]]</nowiki> &nbsp;", "<p>[[x]]</p>"),
        ("[[File:x.png|thumb|A valve]]", '<p><img src="" alt="A valve"></p>'),
    ],
)
def test_blocks(text: str, expected: str) -> None:
    assert written(text) == expected


def test_categories_are_no_text() -> None:
    page, categories = to_html("T", "Text [[Category:Machines]] [[Category:Oil|x]]", lambda _: "")
    assert categories == ("Machines", "Oil")
    assert b"Machines" not in page
