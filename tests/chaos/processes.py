"""What runs in processes of its own, to be killed or to watch: one run, and a reader that never stops."""

from __future__ import annotations

import contextlib
import os
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path

from sqlalchemy import text

from flows import gate, rooms
from flows import run as steps
from flows.preparing import Prepared
from kprep.core.errors import ParseError, PrepError, RetrievalError, StoreError, StoreUnavailable
from kprep.core.models import Failure, Locator
from tests.fakes.made_base import MadeBase
from tests.fakes.made_embedder import MadeEmbedder

CORE = tuple(f"core{number}.md" for number in range(6))
"""Documents that every round writes anew with the round's number, so that a mixed read shows itself."""

PAUSE_S = 0.02
"""Between two reads, so that the reader does not take the machine from the runs it watches."""


class OpenedHere:
    """Opens originals for the gate in the run's own process: a child's imports would be most of a short run, and most
    kills would fall into them."""

    def __init__(self, *_: object) -> None:
        """Takes rules and limits like the child it stands for."""

    def quote(self, media_type: str, content: bytes, locator: Locator) -> str:
        outcome = rooms.quote(media_type, content, locator)
        if isinstance(outcome, Failure):
            raise ParseError(f"{outcome.reason}: {outcome.detail}")
        return outcome

    def close(self) -> None:
        """Nothing to end."""


def opened(folder: str, name: str, database_url: str) -> MadeBase:
    """A knowledge base that is there already."""
    base = MadeBase(Path(folder), name)
    base.database_url, base.embedder = database_url, MadeEmbedder()
    return base


def run_once(folder: str, name: str, database_url: str, with_children: bool, begun: Connection) -> None:
    """One run that commits as often as it can; says when it begins and how it ends."""
    os.setpgrp()
    base = opened(folder, name, database_url)
    steps.EMBED_BATCH, steps.BATCH_DOCUMENTS = 2, 3
    begun.send("begun")
    children = Prepared() if with_children else None
    if not with_children:
        vars(gate)["PrepareChild"] = OpenedHere
    try:
        status = str(base.run(allow_deletes=True, children=children)["status"])
    except PrepError as error:
        status = f"failed: {error.message}"
    finally:
        if children is not None:
            children.close()
    begun.send(status)
    base.close()


def read_on(folder: str, name: str, database_url: str, stop: Event, result: Connection) -> None:
    """Read the core documents over and over, by address and by SQL view; {reads, mixed, partial, away}."""
    base = opened(folder, name, database_url)
    counts = {"reads": 0, "mixed": 0, "partial": 0, "away": 0}
    session = text("SELECT set_config('kprep.principals', 'staff', true), set_config('kprep.tenant', 'acme', true)")
    view = text(f"SELECT text FROM published.\"{name}__all\" WHERE document_uri LIKE 'docs/core%'")
    while not stop.wait(PAUSE_S):
        try:
            with base.connection() as connection:
                reader = base.reader(connection)
                found = [row["text"] for path in CORE for row in reader.chunks(f"docs/{path}")]
                connection.execute(session)
                shown = list(connection.execute(view).scalars())
        except (StoreUnavailable, StoreError):
            counts["away"] += 1
            with contextlib.suppress(PrepError):
                stop.wait(0.05)
            continue
        except RetrievalError:
            counts["partial"] += 1
            continue
        for texts in (found, shown):
            counts["reads"] += 1
            counts["mixed"] += len({words.split()[1] for words in texts}) != 1
            counts["partial"] += len(texts) != 2 * len(CORE)
    result.send(counts)
    base.close()
