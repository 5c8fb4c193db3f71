"""One odd document harms no other: characters the database refuses, nothing but ids, one name in two forms."""

from __future__ import annotations

import hashlib
import unicodedata
import zipfile

import pytest

from tests.conftest import MakeBase
from tests.fakes.pages import FOUR

IDS = "\n".join(" ".join(f"id{row * 8 + column:06}x" for column in range(8)) for row in range(2_500))


def test_odd_documents_are_published_beside_the_others(make_base: MakeBase) -> None:
    nul = b"# Credits\n\nThe cl\x00ud credits of the project end with the last day of the year.\n"
    odd: dict[str, str | bytes] = {"nul.md": nul, "ids.txt": IDS}
    base = make_base({**FOUR, **odd}, embedding={"provider": "none"})
    assert base.run()["status"] == "published"
    assert set(base.uris()) >= set(FOUR) | {"ids.txt"}
    assert "docs/ids.txt" in {hit["document_uri"] for hit in base.search("id019999x", "lexical")}
    assert base.run()["status"] == "unchanged"


def test_one_name_in_two_forms_of_unicode_is_one_document(make_base: MakeBase) -> None:
    composed, split = (unicodedata.normalize(form, "Résumé.md") for form in ("NFC", "NFD"))
    base = make_base({**FOUR, composed: "# Résumé\n\nThe résumé of the year stands in this one document alone.\n"})
    assert base.run()["status"] == "published"
    base.rename(composed, split)
    summary = base.run()
    assert summary["work"]["embedded"] == 0
    assert len([uri for uri in base.uris() if unicodedata.normalize("NFC", uri) == composed]) == 1


@pytest.mark.req("D9.11")
def test_names_too_long_for_an_index_cost_one_document(make_base: MakeBase) -> None:
    def word(count: int, seed: int) -> str:  # of random signs, since others are stored compressed
        return hashlib.shake_256(str(seed).encode()).hexdigest(count // 2)

    base = make_base(
        {
            "title.md": f"# {word(6000, 1)}\n\nThe lift opens at eight.",
            "link.md": f"# Link\n\nThis policy replaces [[{word(6000, 2)}]]. See [there]({word(6000, 3)}.md).",
            "token.md": f"# Token\n\nThe word {word(20000, 4)} is long.",
            "acl.md": f"---\nacl: [staff, {word(6000, 5)}]\n---\n# Gate\n\nThe gate opens at nine.",
            "said.md": f"---\ntitle: {word(6000, 6)}\naliases: [{word(6000, 7)}]\n---\n# Stairs\n\nThey are closed.",
            "beside.md": "# Beside\n\nThe door beside the gate.",
            "beside.md.acl.yaml": f"acl: [{word(6000, 8)}]",
        },
        embedding={"provider": "none"},
    )
    with zipfile.ZipFile(base.folder / "a.zip", "w") as archive:
        archive.writestr(f"{word(5000, 9)}.md", "# Long\n\nIts path is long.")
    source = {"name": "packed", "kind": "archive", "path": "a.zip", "acl": ["staff"]}
    base.configure(sources=[*base.config["sources"], source])
    summary = base.run()
    assert summary["status"] == "published"
    failed = {item["uri"][:12]: item["detail"] for item in summary["failures"]}
    assert "longer than 2,000 bytes" in failed.pop(f"packed/{word(5000, 9)}"[:12])
    assert set(failed) == {"docs/acl.md", "docs/beside."}
    assert base.uris() == ["link.md", "said.md", "title.md", "token.md"]
