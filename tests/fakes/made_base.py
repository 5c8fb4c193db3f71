"""A knowledge base with made vectors, in a database of its own."""

from __future__ import annotations

import os

from flows.workspace import Workspace
from tests.fakes.knowledge_base import TestBase
from tests.fakes.made_embedder import MadeEmbedder


class MadeBase(TestBase):
    """`embedder`: made vectors and their count; None: keywords only. `database_url`: "" takes the environment's."""

    embedder: MadeEmbedder | None = None
    database_url = ""

    @property
    def workspace(self) -> Workspace:
        if self.database_url:
            os.environ["KPREP_DATABASE_URL"] = self.database_url
        opened = super().workspace
        if self.embedder is not None:
            opened.__dict__["embedder"] = self.embedder
        return opened
