"""The pages of a Confluence space by its entities.xml: hierarchy, labels, restrictions, attachments.

Old versions, drafts and what lies in the trash are left out. Elements read: `object` of class Page, BodyContent,
Attachment, Labelling, Label, ContentPermissionSet, ContentPermission and ConfluenceUserImpl, each with its `property`s.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, Any

from kprep.core.errors import SourceError

CLASSES = frozenset(
    "Page BodyContent Attachment Labelling Label ContentPermissionSet ContentPermission ConfluenceUserImpl".split()
)
NOBODY_LEFT = "the restrictions of this page and of those above it have no principal in common"
Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Attached:
    """A file of a page; `path`: of its bytes below the export's root."""

    name: str
    path: str
    changed: datetime | None
    labels: tuple[str, ...]


@dataclass(slots=True)
class Page:
    """A current page; `body` in storage format. `readers`: of its own restriction, None without one."""

    id: str
    title: str
    parent: str
    body: str
    changed: datetime | None
    labels: tuple[str, ...] = ()
    readers: frozenset[str] | None = None
    problem: str = ""
    attachments: list[Attached] = field(default_factory=list)


@dataclass(slots=True)
class Space:
    """Pages by id."""

    pages: dict[str, Page]

    def readers(self, page: Page) -> tuple[tuple[str, ...] | None, str]:
        """Who may read a page, and why nobody may: who is in its own restriction and in each one above it."""
        allowed: frozenset[str] | None = None
        seen: set[str] = set()
        at: Page | None = page
        while at is not None and at.id not in seen:
            seen.add(at.id)
            if at.problem:
                return (), at.problem
            if at.readers is not None:
                allowed = at.readers if allowed is None else allowed & at.readers
            at = self.pages.get(at.parent)
        if allowed is None:
            return None, ""
        return tuple(sorted(allowed)), "" if allowed else NOBODY_LEFT

    def links(self, page: Page) -> Mapping[str, str]:
        """Title of a page, and `attachment:` with the name of a file of this page -> where a link leads."""
        out = {other.title: f"{other.id}.html" for other in self.pages.values()}
        return out | {f"attachment:{file.name}": f"{page.id}/{file.name}" for file in page.attachments}


def read_space(source: str, file: IO[bytes]) -> Space:
    """Pages of an entities.xml, read piece by piece. Raises: SourceError when it is damaged."""
    objects: dict[str, dict[str, Values]] = defaultdict(dict)
    for kind, key, values in _objects(source, file):
        objects[kind][key] = values
    bodies = {_of(item, "content"): str(item.get("body", "")) for item in objects["BodyContent"].values()}
    names = {key: str(item.get("name", "")) for key, item in objects["Label"].items()}
    labels: dict[str, set[str]] = defaultdict(set)
    for item in objects["Labelling"].values():
        labels[_of(item, "content")].add(names.get(_of(item, "label"), ""))
    pages = {}
    for key, item in objects["Page"].items():
        if item.get("contentStatus", "current") != "current" or item.get("originalVersion") or not item.get("title"):
            continue
        pages[key] = Page(
            key, str(item["title"]), _of(item, "parent"), bodies.get(key, ""),
            _moment(item.get("lastModificationDate", "")), tuple(sorted(labels[key] - {""})),
        )  # fmt: skip
    _attach(pages, objects["Attachment"], labels)
    _restrict(pages, objects)
    return Space(pages)


def _attach(pages: dict[str, Page], attachments: dict[str, Values], labels: Mapping[str, set[str]]) -> None:
    for key, item in attachments.items():
        page = _of(item, "containerContent") or _of(item, "content")
        if page not in pages or item.get("contentStatus", "current") != "current" or item.get("originalVersion"):
            continue
        version = str(item.get("version") or item.get("attachmentVersion") or "1")
        name = str(item.get("title") or item.get("fileName") or key).replace("/", "_")
        changed = _moment(item.get("lastModificationDate", ""))
        own = tuple(sorted(labels.get(key, set()) - {""}))
        pages[page].attachments.append(Attached(name, f"attachments/{page}/{key}/{version}", changed, own))


def _restrict(pages: dict[str, Page], objects: Mapping[str, dict[str, Values]]) -> None:
    """View restrictions. An entry that names nobody known lets nobody in, rather than everybody."""
    users = {
        key: str(item.get("name") or item.get("lowerName") or "") for key, item in objects["ConfluenceUserImpl"].items()
    }
    sets = {key: item for key, item in objects["ContentPermissionSet"].items() if item.get("type") == "View"}
    for item in sets.values():
        page = pages.get(_of(item, "owningContent"))
        if page is not None:
            page.readers = page.readers or frozenset()
    for item in objects["ContentPermission"].values():
        if item.get("type", "View") != "View":
            continue
        page = pages.get(_of(sets.get(_of(item, "owningSet"), {}), "owningContent"))
        if page is None:
            continue
        user = _of(item, "userSubject")
        name = str(item.get("groupName") or users.get(user, "") or item.get("userName") or "")
        if name:
            page.readers = (page.readers or frozenset()) | {name}
    for page in pages.values():
        if page.readers is not None and not page.readers:
            page.problem = "the export does not say who is in the restriction of this page"


def _objects(source: str, file: IO[bytes]) -> Iterator[tuple[str, str, Values]]:
    """(class, id, properties); a property that refers to another object is `{"id": ...}`."""
    from lxml import etree

    try:
        events = etree.iterparse(
            file, events=("end",), tag="object", resolve_entities=False, no_network=True, huge_tree=True
        )
        for _, node in events:
            kind = node.get("class", "")
            if kind in CLASSES:
                key = next((inner.text or "" for inner in node.findall("id")), "").strip()
                yield kind, key, {item.get("name", ""): _value(item) for item in node.findall("property")}
            node.clear()
            while node.getprevious() is not None:
                del node.getparent()[0]
    except etree.XMLSyntaxError as error:
        raise SourceError(f"source {source}: entities.xml is damaged: {error.msg}") from error


def _value(node: Any) -> Any:
    inner = node.find("id")
    return {"id": (inner.text or "").strip()} if inner is not None else (node.text or "")


def _of(values: Values, name: str) -> str:
    """Id of the object that a property refers to, "" when there is none."""
    found = values.get(name)
    return str(found["id"]) if isinstance(found, dict) else ""


def _moment(text: Any) -> datetime | None:
    try:
        found = datetime.fromisoformat(str(text).strip())
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
