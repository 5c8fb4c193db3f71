"""What a run does to a knowledge base, on the real database."""

from __future__ import annotations

import pytest

from tests.conftest import MakeBase


def page(title: str, *paragraphs: str) -> str:
    return f"# {title}\n\n" + "\n\n".join(paragraphs) + "\n"


REFUNDS = page("Refunds", "A refund is paid within fourteen days after the goods arrive at our warehouse in Utrecht.")
TRAVEL = page("Travel", "The travel allowance is forty-two euros a day in Germany and fifty-one euros in Norway.")
HOLIDAYS = page("Holidays", "Everybody has twenty-eight days of paid leave a year, taken in agreement with the team.")


@pytest.mark.req("D10.1")
def test_first_run_publishes(make_base: MakeBase) -> None:
    base = make_base({"refunds.md": REFUNDS, "travel.md": TRAVEL, "holidays.md": HOLIDAYS})
    summary = base.run()
    assert summary["status"] == "published", summary
    assert summary["documents"]["added"] == 3
    assert summary["work"]["parsed"] == 3
    assert base.uris() == ["holidays.md", "refunds.md", "travel.md"]


@pytest.mark.req("D10.1")
def test_second_run_does_nothing(make_base: MakeBase) -> None:
    base = make_base({"refunds.md": REFUNDS, "travel.md": TRAVEL})
    base.run()
    summary = base.run()
    assert summary["status"] == "unchanged"
    assert summary["work"] == {"parsed": 0, "embedded": 0, "embedding_cache_hits": 0, "hashed": 0}
