"""A thousand small documents with random permissions, prepared without parsing, and who may read them, told apart
from the product: everything here is computed from what was written, with no statement of the store."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import numpy as np

from flows.preparing import Prepared
from flows.rooms import Job, Outcome
from flows.workspace import Workspace
from kprep.core.ids import digest
from kprep.core.models import (
    DocumentMetadata,
    EnrichedChunk,
    EnrichedDocument,
    EnrichedParent,
    Failure,
    Link,
    Locator,
    PreparedDocument,
    Relation,
    SourceUnit,
)

TODAY = date.today()  # noqa: DTZ011 -- as the published views see it
ANCHORS = ("open", "closed")


class HashEmbedder:
    """Vectors that depend on the exact text and on nothing else."""

    space = "canary@1"
    tokenizer = "words"
    dimensions = 16
    max_tokens = 256
    languages = ("*",)
    relative = False

    def count_tokens(self, text: str) -> int:
        return len(text.split())

    def embed(self, texts: Sequence[str]) -> Any:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Any:
        values = np.frombuffer(bytes.fromhex(digest(text)[:32]), dtype=np.uint8).astype(np.float32) - 127.5
        return values / np.linalg.norm(values)


@dataclass
class Canary:
    """One document: two sections, each with a word nobody else has. `section`: who may read the second one."""

    number: int
    acl: frozenset[str]
    by: str
    section: frozenset[str] | None
    valid_from: date | None
    valid_until: date | None
    link: str

    @property
    def name(self) -> str:
        return f"d{self.number:04}.md"

    @property
    def uri(self) -> str:
        return f"docs/{self.name}"

    def word(self, anchor: str) -> str:
        return f"{anchor}{digest(str(self.number), anchor)[:10]}"

    def content(self) -> str:
        """What the file holds: front matter as JSON."""
        front: dict[str, Any] = {"number": self.number, "link": self.link}
        if self.by == "front matter":
            front["acl"] = sorted(self.acl)
        if self.section is not None:
            front["sections"] = {"closed": sorted(self.section)}
        for name in ("valid_from", "valid_until"):
            if getattr(self, name) is not None:
                front[name] = getattr(self, name).isoformat()
        return json.dumps(front)

    def sidecar(self) -> str | None:
        return json.dumps({"acl": sorted(self.acl)}) if self.by == "sidecar" else None


def index_text(canary: Canary, anchor: str) -> str:
    """The text that is embedded and indexed."""
    return f"canary {canary.word(anchor)} sings songs"


def title_of(name: str) -> str:
    """Title of the document in a file, which others refer to it by."""
    return f"Canary {name.removesuffix('.md')}"


class CanaryChild:
    """Makes the prepared document of a canary's file."""

    def prepare(self, job: Job) -> Outcome:
        raw = job.raw
        if raw.name == "zz-broken.pdf":
            return Outcome(Failure("parse", "corrupt", "broken on purpose", retryable=False))
        front = json.loads(raw.content)
        canary = Canary(front["number"], frozenset(), "", None, None, None, front["link"])
        parents, children = [], []
        for line, anchor in enumerate(ANCHORS, start=1):
            text, path, place = (
                index_text(canary, anchor),
                ("Canary", anchor),
                Locator(line=(line, line), anchor=anchor),
            )
            key = digest(anchor, text)[:32]
            links = (Link("next", front["link"]),)
            parents.append(EnrichedParent(key, path, text, "", place))
            children.append(
                EnrichedChunk(
                    *(
                        key,
                        key,
                        "text",
                        text,
                        text,
                        path,
                        "Canary",
                        (),
                        "en",
                        digest(text),
                        4,
                        place,
                        0,
                        len(text),
                        links,
                    )
                )
            )
        metadata = DocumentMetadata(front_matter=front)
        target = front["link"]
        relations = tuple(Relation("link", f"next {anchor}", (target,), at) for at, anchor in enumerate(ANCHORS))
        relations += (Relation("related_to", title_of(target), (), None, title_of(target)),)
        sections = (tuple(parents), tuple(children), ANCHORS)
        document = EnrichedDocument(raw.uri, title_of(raw.name), "en", metadata, *sections, relations)
        unit = SourceUnit("file", 1, "ok", 1)
        return Outcome(PreparedDocument(document, raw.media_type, "canary@1", (unit,), (), (), {}))


class CanaryChildren(Prepared):
    """Children of a run over canaries."""

    @contextmanager
    def child(self, workspace: Workspace) -> Iterator[Any]:
        yield CanaryChild()


@dataclass
class World:
    """Principals in groups, groups in groups (also in circles), and documents."""

    groups_of: dict[str, list[str]]
    canaries: dict[int, Canary]
    random: random.Random = field(repr=False)

    @classmethod
    def make(cls, seed: int, size: int) -> World:
        chance = random.Random(seed)
        users, groups = [f"u{n}" for n in range(size)], [f"g{n}" for n in range(size)]
        groups_of = {user: chance.sample(groups, chance.randint(0, 3)) for user in users}
        groups_of |= {group: chance.sample(groups, chance.choice((0, 0, 0, 1, 1, 2))) for group in groups}
        world = cls(groups_of, {}, chance)
        for number in range(size):
            world.canaries[number] = world.canary(number)
        return world

    def canary(self, number: int) -> Canary:
        chance = self.random
        by = chance.choice(("sidecar", "sidecar", "front matter", "source"))
        acl = frozenset(["source-group"]) if by == "source" else self.acl()
        begins = chance.choice((None, None, None, TODAY - timedelta(days=9), TODAY, TODAY + timedelta(days=1)))
        ends = chance.choice((None, None, None, TODAY, TODAY + timedelta(days=1)))
        section = self.acl() if chance.random() < 0.3 else None
        return Canary(number, acl, by, section, begins, ends, f"d{chance.randrange(len(self.groups_of) // 2):04}.md")

    def acl(self) -> frozenset[str]:
        chance = self.random
        names = list(self.groups_of)
        some = chance.choice((0, 1, 2, 5))
        return frozenset(["public"] if chance.random() < 0.02 else chance.sample(names, some))

    def reads_as(self, principal: str) -> frozenset[str]:
        """The principal and all its groups, by walking."""
        found, todo = {"public"}, [principal]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += self.groups_of.get(name, [])
        return frozenset(found)


@dataclass(frozen=True)
class Hidden:
    """What the overlay hides beside the release: documents altogether, or for all but some principals."""

    gone: frozenset[int] = frozenset()
    narrowed: Mapping[int, frozenset[str]] = field(default_factory=dict)


def expected(
    canaries: Mapping[int, Canary], who: frozenset[str], hidden: Hidden, day: date = TODAY
) -> set[tuple[int, str]]:
    """(document, section) these principals may read of a release."""
    out = set()
    for number, canary in canaries.items():
        valid = (canary.valid_from or day) <= day and (canary.valid_until is None or canary.valid_until > day)
        if number in hidden.gone or not valid or not canary.acl & who:
            continue
        if number in hidden.narrowed and not hidden.narrowed[number] & who:
            continue
        out.add((number, "open"))
        if canary.section is None or canary.section & who:
            out.add((number, "closed"))
    return out
