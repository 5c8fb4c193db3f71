"""A model that suggests, in runs: what it is sent, what it is asked again, and what happens without it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.fakes.chat_model import ChatModel
from tests.fakes.knowledge_base import InProcess, TestBase

MakeBase = Callable[..., TestBase]
DAY = "Write to ann.smith@kelvarra.com about the daily allowance, which is forty euro for each day of a journey.\n"
FILES = {
    "travel.md": f"# Travel\n\n{DAY}\n## By train\n\nTickets are booked by the office and paid by the company.\n",
    "leave.md": "# Leave\n\nEvery employee has thirty days of leave a year, to be taken until the end of March.\n",
}


def run(base: TestBase) -> tuple[dict[str, Any], dict[str, Any]]:
    """Summary of a run, and what became of asking."""
    children = InProcess()
    summary = base.run(children=children)
    return summary, children.suggesting(base.workspace).figures()


@pytest.mark.req("D7.1", "D5.1", "D11.3")
def test_a_run_asks_once_about_each_redacted_chunk_and_goes_on_without(make_base: MakeBase) -> None:
    chat = ChatModel(lambda asked: {"title": f"On {asked['headings'][-1]}", "context": "From the rules."})
    with chat.serve():
        settings = {"base_url": chat.url, "model": "small", "attempts": 1, "parallel": 2}
        base = make_base(FILES, embedding={"provider": "none"}, enrichment={"model": settings})
        summary, figures = run(base)
        assert (summary["status"], figures) == (
            "published", {"asked": 3, "refused": 0, "without": 0, "reason": ""},
        )  # fmt: skip
        assert "ann.smith" not in str(chat.asked)
        assert "<EMAIL_" in str(chat.asked)
        first, second = base.chunks("travel.md")
        assert (second["title"], second["generated"]) == ("On By train", ["context", "title"])
        assert first["index_text"].startswith("Travel\nFrom the rules.\nWrite to")
        assert run(base)[0]["status"] == "unchanged"

        base.write("travel.md", FILES["travel.md"].replace("the office", "you"))
        chat.asked.clear()
        assert run(base)[1]["asked"] == 1
        assert [asked["headings"] for asked in chat.asked] == [["Travel", "By train"]]

        # Out of reach: the new text is published with what rules say, and asked about once the model is back.
        chat.answer = lambda _: 503
        base.write("leave.md", FILES["leave.md"].replace("thirty", "twenty"))
        summary, figures = run(base)
        assert (summary["status"], figures["without"]) == ("published", 1)
        assert "did not answer" in figures["reason"]
        (leave,) = base.chunks("leave.md")
        assert (leave["title"], leave["generated"]) == ("Leave", [])
        assert "twenty" in leave["text"]
        assert run(base)[0]["status"] == "unchanged"
        chat.answer = lambda _: {"title": "Days off"}
        assert run(base)[0]["status"] == "published"
        assert base.chunks("leave.md")[0]["title"] == "Days off"
        assert run(base)[0]["status"] == "unchanged"

        # Required: the document fails, and its published version stays.
        base.configure(enrichment={"model": {**settings, "required": True}})
        chat.answer = lambda _: 401
        base.write("leave.md", FILES["leave.md"].replace("thirty", "forty"))
        summary, _ = run(base)
        assert [(row["reason"], row["stage"]) for row in summary["failures"]] == [("model_unavailable", "enrich")]
        assert "twenty" in base.chunks("leave.md")[0]["text"]
        chat.answer = lambda _: {}
        assert run(base)[0]["failures"] == []
        assert "forty" in base.chunks("leave.md")[0]["text"]
