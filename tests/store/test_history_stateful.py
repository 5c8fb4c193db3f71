"""Random histories of one knowledge base: whatever happens in whatever order, what is guaranteed holds after each step.

`KPREP_EXAMPLES` makes more of them (default 3, of 12 steps each).
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from flows import assemble
from flows import run as steps
from flows.access import forget
from kprep.core.errors import ConfigError
from kprep.store import documents, embeddings, overlay, releases, runs
from sources.sidecar import SUFFIX
from tests.conftest import MakeBase
from tests.fakes.knowledge_base import TestBase
from tests.fakes.made_embedder import MadeEmbedder
from tests.fakes.pages import page

EXAMPLES = int(os.environ.get("KPREP_EXAMPLES", "3"))
PATHS = tuple(f"{folder}page{number}.md" for folder in ("", "folder/") for number in range(3))
PEOPLE = ("ann", "bob")
ACLS = (("ann",), ("bob",), ("ann", "bob"), ("public",))
FOOTER = "Was this page helpful? The team that keeps it reads every answer."
RULES = "boilerplate: {min_documents: 3, min_share: 0.6}\n"
MOMENTS: tuple[tuple[Any, str], ...] = (
    (documents, "save_version"),
    (runs, "replace_work"),
    (embeddings, "save"),
    (releases, "create_candidate"),
    (assemble, "index"),
    (steps, "assemble"),
    (releases, "save_report"),
    (releases, "move_channel"),
    (overlay, "settle"),
)
"""Where a run is cut: right after one of these did its work."""


class Cut(BaseException):
    """The run ends here."""


@dataclass(frozen=True)
class File:
    """What a document says, and who may read it."""

    edition: int
    acl: tuple[str, ...]

    @property
    def footed(self) -> bool:
        """Most editions end with what the others end with."""
        return self.edition % 3 != 0

    def readable(self, who: str) -> bool:
        return who in self.acl or "public" in self.acl


def machine(make_base: MakeBase) -> type[RuleBasedStateMachine]:
    class History(RuleBasedStateMachine):
        """`files`: what the source holds; `scanned`: what the last run saw of it; `published`: release -> files."""

        base: TestBase

        def __init__(self) -> None:
            super().__init__()
            self.files: dict[str, File] = {}
            self.scanned: dict[str, File] = {}
            self.published: dict[int, dict[str, File]] = {}
            self.numbers = itertools.count(1)
            self.blocked = False
            self.profile = 0

        @initialize()
        def begin(self) -> None:
            self.base = self.made(embedding={"provider": "none"}, cleaning={"ruleset": "cleaning.yaml"})
            for path in PATHS[:3]:
                self.put(path, ("ann", "bob"))
            self.run()

        def made(self, **config: Any) -> TestBase:
            base = make_base({}, **config)
            (base.folder / "cleaning.yaml").write_text(RULES)
            return base

        def put(self, path: str, acl: tuple[str, ...]) -> None:
            self.files[path] = File(next(self.numbers), acl)
            edition = f"edition{self.files[path].edition}"
            first = f"This is {edition} of the text, which everybody in the house has read."
            second = f"The second paragraph of {edition} is the last one of its body."
            footer = f"\n{FOOTER}\n" if self.files[path].footed else ""
            self.base.write(path, page("A page", first, second) + footer)
            self.permit(path, acl)

        def permit(self, path: str, acl: tuple[str, ...]) -> None:
            self.files[path] = File(self.files[path].edition, acl)
            self.base.write(path + SUFFIX, f"acl: [{', '.join(acl)}]\n")

        def run(self) -> str:
            self.base.workspace.__dict__["embedder"] = self.embedder()
            self.scanned = dict(self.files)
            status = str(self.base.run(allow_deletes=True)["status"])
            if status in ("published", "unchanged"):
                self.published[self.base.live()] = dict(self.files)
            return status

        def embedder(self) -> MadeEmbedder:
            return MadeEmbedder()

        @rule(path=st.sampled_from(PATHS), acl=st.sampled_from(ACLS))
        def add_or_edit(self, path: str, acl: tuple[str, ...]) -> None:
            self.put(path, self.files[path].acl if path in self.files else acl)

        @precondition(lambda self: len(self.files) > 1)
        @rule(data=st.data())
        def delete(self, data: st.DataObject) -> None:
            path = data.draw(st.sampled_from(sorted(self.files)))
            del self.files[path]
            self.base.delete(path)
            self.base.delete(path + SUFFIX)

        @precondition(lambda self: self.files and len(self.files) < len(PATHS))
        @rule(data=st.data())
        def rename(self, data: st.DataObject) -> None:
            old = data.draw(st.sampled_from(sorted(self.files)))
            new = data.draw(st.sampled_from(sorted(set(PATHS) - set(self.files))))
            self.files[new] = self.files.pop(old)
            self.base.rename(old, new)
            self.base.rename(old + SUFFIX, new + SUFFIX)

        @precondition(lambda self: self.files)
        @rule(data=st.data(), acl=st.sampled_from(ACLS))
        def repermission(self, data: st.DataObject, acl: tuple[str, ...]) -> None:
            self.permit(data.draw(st.sampled_from(sorted(self.files))), acl)

        @rule()
        def change_rules(self) -> None:
            self.profile = 1 - self.profile
            self.base.configure(chunking={"profiles": {"document": {"overlap_sentences": self.profile}}})

        @rule()
        def block_or_unblock(self) -> None:
            (self.base.unblock if self.blocked else self.base.block)()
            self.blocked = not self.blocked

        @rule()
        def publish(self) -> None:
            live = self.base.live()
            status = self.run()
            assert status in (("blocked", "unchanged") if self.blocked else ("published", "unchanged"))
            if status == "blocked":
                assert self.base.live() == live
                return
            for who in PEOPLE:
                expected = sorted(path for path, file in self.files.items() if file.readable(who))
                assert self.base.uris((who,)) == expected
            again = self.base.run(allow_deletes=True)
            assert (again["status"], again["work"]["hashed"], again["work"]["parsed"]) == ("unchanged", 0, 0)
            self.compare()

        @precondition(lambda self: self.files and not self.blocked)
        @rule(data=st.data())
        def publish_what_is_named(self, data: st.DataObject) -> None:
            """A run that looks at some documents alone; it is refused where the release was made otherwise."""
            named = data.draw(st.sets(st.sampled_from(sorted(self.files)), min_size=1))
            live = self.base.live()
            self.base.workspace.__dict__["embedder"] = self.embedder()
            try:
                status = self.base.run(allow_deletes=True, only=[f"docs/{path}" for path in named])["status"]
            except ConfigError:
                return
            assert status in ("published", "unchanged")
            now = {path: self.files[path] for path in named}
            self.scanned |= now
            self.published[self.base.live()] = self.published[live] | now

        def compare(self) -> None:
            """What is published equals a fresh build."""
            config = {name: value for name, value in self.base.config.items() if name != "knowledge_base"}
            fresh = self.made(**config)
            for path in self.base.path("").rglob("*"):
                if path.is_file() and path.suffix != ".pdf":
                    fresh.write(str(path.relative_to(self.base.path(""))), path.read_bytes())
            fresh.workspace.__dict__["embedder"] = self.embedder()
            fresh.run()
            assert self.base.content() == fresh.content()
            footed = sum(file.footed for file in self.files.values())
            learnt = footed >= max(3, 0.6 * len(self.files))
            assert sum(FOOTER in chunk["text"] for chunk in self.base.content()) == (0 if learnt else footed)
            forget(fresh.workspace, dry_run=False)
            fresh.close()

        @rule(moment=st.sampled_from(MOMENTS))
        def crash(self, moment: tuple[Any, str]) -> None:
            module, name = moment
            live = self.base.live()

            def cut(*arguments: Any, **options: Any) -> None:
                real(*arguments, **options)
                raise Cut

            real = getattr(module, name)
            with pytest.MonkeyPatch.context() as patched:
                patched.setattr(module, name, cut)
                try:
                    self.run()
                except Cut:
                    assert self.base.live() == live

        @rule(data=st.data())
        def roll_back(self, data: st.DataObject) -> None:
            with self.base.connection() as connection:
                rows = releases.list_releases(connection, self.base.name)
            earlier = [row.release for row in rows if row.status == "published" and not row.live]
            if earlier:
                release = data.draw(st.sampled_from(earlier))
                steps.roll_back(self.base.workspace, release, dry_run=False)
                assert self.base.live() == release

        @invariant()
        def nobody_sees_too_much_and_all_of_one_release(self) -> None:
            if not self.published:
                return
            release = self.published[self.base.live()]
            for who in PEOPLE:
                allowed = {path for path, file in release.items() if file.readable(who)}
                allowed &= {path for path, file in self.scanned.items() if file.readable(who)}
                seen = self.base.uris((who,))
                assert set(seen) <= allowed
                for path in seen:
                    texts = [chunk["text"] for chunk in self.base.chunks(path, (who,))]
                    assert f"edition{release[path].edition} " in texts[0]
                    assert len(texts) == 2

        def teardown(self) -> None:
            if hasattr(self, "base"):
                forget(self.base.workspace, dry_run=False)
                self.base.close()

    return History


@pytest.mark.req("D10.1", "D9.12", "D8.5")
def test_random_histories_keep_every_promise(make_base: MakeBase) -> None:
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=12,
        deadline=None,
        derandomize=EXAMPLES <= 3,
        suppress_health_check=list(HealthCheck),
    )
    run_state_machine_as_test(machine(make_base), settings=chosen)
