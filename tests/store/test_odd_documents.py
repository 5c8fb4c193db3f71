"""One odd document harms no other: characters the database refuses, nothing but ids, one name in two forms."""

from __future__ import annotations

import unicodedata

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
