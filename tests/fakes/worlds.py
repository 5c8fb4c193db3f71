"""A made world for each kind of source: what a person does in that system, done to a real server or real files."""

from __future__ import annotations

import hashlib
import html
import json
import os
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from io import BytesIO
from pathlib import Path
from typing import Any

from tests.fakes.s3_server import FailingProxy
from tests.fakes.site import Served, Site

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


class World:
    """Documents by name. `page`: how many entries one page of a listing holds, where there are pages."""

    kind = ""
    page = 0
    renames = True
    """False where a document keeps its URI when its name changes."""
    named_within = False
    """True where a document's text holds its name, so that a rename changes it."""
    whole = True
    """False where a listing never is complete: what is no longer shown is not deleted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.documents: dict[str, str] = {}
        self.rules: dict[str, list[str]] = {}
        self.clock = NOON

    def config(self) -> dict[str, Any]:
        """Keys of the source in kprep.yaml."""
        rules = [{"match": self.path(name), "acl": acl} for name, acl in self.rules.items()]
        return {"kind": self.kind, "include": ["**/*"], "acl_rules": rules, **self.keys()}

    def keys(self) -> dict[str, Any]:
        raise NotImplementedError

    def path(self, name: str) -> str:
        """Of a document, below the source."""
        return f"{name}.md"

    def write(self, name: str, words: str, moved: timedelta = timedelta(minutes=1)) -> None:
        """Make or replace a document. `moved`: how far the system's clock goes meanwhile, backwards too."""
        self.clock += moved
        self.documents[name] = words
        self.store()

    def write_all(self, documents: dict[str, str]) -> None:
        self.clock += timedelta(minutes=1)
        self.documents.update(documents)
        self.store()

    def delete(self, *names: str) -> None:
        self.clock += timedelta(minutes=1)
        for name in names:
            del self.documents[name]
        self.store()

    def rename(self, old: str, new: str) -> None:
        self.clock += timedelta(minutes=1)
        self.documents[new] = self.documents.pop(old)
        self.store()

    def touch(self, name: str) -> None:
        """New times, the same content."""
        raise NotImplementedError

    def restrict(self, name: str, principals: Sequence[str]) -> None:
        """Let only these read a document; where the system cannot say so, kprep.yaml does."""
        self.rules[name] = list(principals)

    def store(self) -> None:
        """Make the system hold `documents`."""
        raise NotImplementedError

    def fail(self, name: str) -> None:
        """From now on something fails in the middle of a listing, at this document where that is possible."""
        raise NotImplementedError

    def mend(self) -> None:
        """Undo `fail`."""
        raise NotImplementedError

    def close(self) -> None:
        """Stop what was started."""

    def text(self, name: str) -> str:
        return f"# {self.title(name)}\n\n{self.documents[name]}\n"

    def title(self, name: str) -> str:
        """Follows from the words, so that a renamed document keeps its content."""
        return " ".join(self.documents[name].split()[1:4]).capitalize()

    def html(self, name: str) -> str:
        title, words = html.escape(self.title(name)), html.escape(self.documents[name])
        return f"<h1>{title}</h1>\n<p>{words}</p>"


class FilesystemWorld(World):
    kind = "filesystem"

    def keys(self) -> dict[str, Any]:
        return {"path": str(self.folder / "files")}

    def _file(self, name: str) -> Path:
        return self.folder / "files" / self.path(name)

    def store(self) -> None:
        root = self.folder / "files"
        root.mkdir(exist_ok=True)
        wanted = {self._file(name): self.text(name) for name in self.documents}
        for path in sorted(root.rglob("*.md")):
            if path not in wanted:
                path.unlink()
        for path, text in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_symlink() or not path.exists() or path.read_text() != text:
                path.unlink(missing_ok=True)
                path.write_text(text)
                os.utime(path, (self.clock.timestamp(), self.clock.timestamp()))

    def touch(self, name: str) -> None:
        self.clock += timedelta(minutes=1)
        os.utime(self._file(name), (self.clock.timestamp(), self.clock.timestamp()))

    def restrict(self, name: str, principals: Sequence[str]) -> None:
        self._file(name).with_name(f"{self._file(name).name}.acl.yaml").write_text(f"acl: {list(principals)}\n")

    def fail(self, name: str) -> None:
        self._file(name).unlink()
        self._file(name).symlink_to(self.folder / "elsewhere.md")

    def mend(self) -> None:
        self.store()


class GitWorld(World):
    kind = "git"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.acls: dict[str, list[str]] = {}
        self.tree = folder / "tree"
        self.tree.mkdir()
        self.git("init", "--quiet", "--initial-branch=main", ".")
        self.bare = folder / "service.git"
        self.git("clone", "--quiet", "--bare", ".", str(self.bare))

    def git(self, *arguments: str) -> str:
        moment = self.clock.isoformat()
        environment = {
            **os.environ, "GIT_AUTHOR_DATE": moment, "GIT_COMMITTER_DATE": moment, "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com", "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.com",
        }  # fmt: skip
        command = ["git", "-C", str(self.tree), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout

    def keys(self) -> dict[str, Any]:
        return {"url": str(self.bare), "ref": "main"}

    def store(self) -> None:
        for path in sorted(self.tree.rglob("*.md*")):
            path.unlink()
        for name in self.documents:
            path = self.tree / self.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(self.text(name))
            if name in self.acls:
                path.with_name(f"{path.name}.acl.yaml").write_text(f"acl: {self.acls[name]}\n")
        self._push()

    def _push(self) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", "change")
        self.git("push", "--quiet", str(self.bare), "HEAD:main")

    def touch(self, name: str) -> None:
        self.clock += timedelta(minutes=1)
        self._push()

    def restrict(self, name: str, principals: Sequence[str]) -> None:
        self.acls[name] = list(principals)
        self.store()

    def fail(self, name: str) -> None:
        blob = self.git("rev-parse", f"HEAD:{self.path(name)}").strip()
        self.lost = self.bare / "objects" / blob[:2] / blob[2:]
        self.lost.rename(self.folder / "lost")

    def mend(self) -> None:
        (self.folder / "lost").rename(self.lost)


class ArchiveWorld(World):
    kind = "archive"
    file = "files.zip"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.acls: dict[str, list[str]] = {}
        self.times: dict[str, datetime] = {}

    def keys(self) -> dict[str, Any]:
        return {"path": str(self.folder / self.file)}

    def files(self) -> dict[str, bytes]:
        files = {self.path(name): self.text(name).encode() for name in self.documents}
        return {**files, **{f"{self.path(name)}.acl.yaml": f"acl: {acl}\n".encode() for name, acl in self.acls.items()}}

    def store(self) -> None:
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in self.files().items():
                archive.writestr(zipfile.ZipInfo(path, self.clock.timetuple()[:6]), content)
        self._replace(packed.getvalue())

    def _replace(self, content: bytes) -> None:
        scratch = self.folder / "new"
        scratch.write_bytes(content)
        scratch.replace(self.folder / self.file)

    def touch(self, name: str) -> None:
        self.clock += timedelta(minutes=1)
        self.store()

    def restrict(self, name: str, principals: Sequence[str]) -> None:
        self.acls[name] = list(principals)
        self.store()

    def fail(self, name: str) -> None:
        content = (self.folder / self.file).read_bytes()
        self._replace(content[: len(content) // 2])

    def mend(self) -> None:
        self.store()


class TarWorld(ArchiveWorld):
    file = "files.tar.gz"

    def store(self) -> None:
        packed = BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as archive:
            for path, content in self.files().items():
                item = tarfile.TarInfo(path)
                item.size, item.mtime = len(content), int(self.clock.timestamp())
                archive.addfile(item, BytesIO(content))
        self._replace(packed.getvalue())


class NotionWorld(ArchiveWorld):
    kind = "notion"
    file = "export.zip"

    def path(self, name: str) -> str:
        mark = hashlib.sha256(name.encode()).hexdigest()[:32]
        return f"{name.capitalize()} {mark}.md"

    def files(self) -> dict[str, bytes]:
        return {self.path(name): self.text(name).encode() for name in self.documents}

    def restrict(self, name: str, principals: Sequence[str]) -> None:
        self.rules[name] = list(principals)


class ConfluenceWorld(ArchiveWorld):
    """An XML export: the page's id is its URI."""

    kind = "confluence"
    file = "export.xml.zip"
    renames = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.ids: dict[str, int] = {}
        self.changed: dict[str, tuple[str, datetime]] = {}

    def path(self, name: str) -> str:
        return f"{self._id(name)}.html"

    def _id(self, name: str) -> int:
        return self.ids.setdefault(name, 1000 + len(self.ids))

    def rename(self, old: str, new: str) -> None:
        self.ids[new] = self._id(old)
        super().rename(old, new)

    def files(self) -> dict[str, bytes]:
        objects = []
        for name, words in self.documents.items():
            page, body = self._id(name), 90000 + self._id(name)
            if self.changed.get(name, ("", NOON))[0] != words:
                self.changed[name] = (words, self.clock)
            moment = self.changed[name][1].strftime("%Y-%m-%d %H:%M:%S.000")
            objects.append(
                f'<object class="Page"><id name="id">{page}</id><property name="title">{self.title(name)}</property>'
                f'<property name="contentStatus">current</property>'
                f'<property name="lastModificationDate">{moment}</property></object>'
                f'<object class="BodyContent"><id name="id">{body}</id>'
                f'<property name="body"><![CDATA[<p>{html.escape(words)}</p>]]></property>'
                f'<property name="content" class="Page"><id name="id">{page}</id></property></object>'
            )
        for number, (name, acl) in enumerate(self.acls.items()):
            rights, owner = 70000 + number, self._id(name)
            objects.append(
                f'<object class="ContentPermissionSet"><id name="id">{rights}</id><property name="type">View</property>'
                f'<property name="owningContent" class="Page"><id name="id">{owner}</id></property></object>'
            )
            objects += [
                f'<object class="ContentPermission"><id name="id">{rights * 10 + at}</id>'
                f'<property name="type">View</property><property name="groupName">{group}</property>'
                f'<property name="owningSet"><id name="id">{rights}</id></property></object>'
                for at, group in enumerate(acl)
            ]
        if not self.documents:  # a space is never without its home page, which may be a draft
            objects.append('<object class="Space"><id name="id">1</id></object>')
        xml = f'<?xml version="1.0" encoding="UTF-8"?><hibernate-generic>{"".join(objects)}</hibernate-generic>'
        return {"entities.xml": xml.encode(), "exportDescriptor.properties": b"exportType=space"}


class ConfluenceHtmlWorld(ArchiveWorld):
    kind = "confluence"
    file = "export.html.zip"

    def path(self, name: str) -> str:
        return f"SPACE/{name.capitalize()}_{int(hashlib.sha256(name.encode()).hexdigest()[:6], 16)}.html"

    def files(self) -> dict[str, bytes]:
        out = {"SPACE/index.html": b"<html><body>Pages</body></html>"}
        for name in self.documents:
            head = f"<title>Space : {self.title(name)}</title>"
            out[self.path(name)] = f"<html><head>{head}</head><body>{self.html(name)}</body></html>".encode()
        return out | {f"{self.path(name)}.acl.yaml": f"acl: {acl}\n".encode() for name, acl in self.acls.items()}


class MediaWikiWorld(World):
    kind = "mediawiki"
    named_within = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.changed: dict[str, tuple[str, datetime]] = {}

    def keys(self) -> dict[str, Any]:
        return {"path": str(self.folder / "wiki.xml")}

    def path(self, name: str) -> str:
        return f"{name[:1].upper()}{name[1:]}.html"

    def store(self) -> None:
        pages = []
        for name, words in self.documents.items():
            if self.changed.get(name, ("", NOON))[0] != words:
                self.changed[name] = (words, self.clock)
            moment = self.changed[name][1].strftime("%Y-%m-%dT%H:%M:%SZ")
            pages.append(
                f"<page><title>{name}</title><ns>0</ns><revision><timestamp>{moment}</timestamp>"
                f"<model>wikitext</model><text>== {self.title(name)} ==\n{html.escape(words)}</text></revision></page>"
            )
        space = "http://www.mediawiki.org/xml/export-0.11/"
        info = "<siteinfo><base>https://wiki.example.com/wiki/Main_Page</base></siteinfo>"
        self._replace(f'<mediawiki xmlns="{space}">{info}{"".join(pages)}</mediawiki>')

    def _replace(self, text: str) -> None:
        (self.folder / "wiki.new").write_text(text)
        (self.folder / "wiki.new").replace(self.folder / "wiki.xml")

    def touch(self, name: str) -> None:
        self.clock += timedelta(minutes=1)
        self.changed[name] = (self.documents[name], self.clock)
        self.store()

    def fail(self, name: str) -> None:
        text = (self.folder / "wiki.xml").read_text()
        self._replace(text[: len(text) * 2 // 3])

    def mend(self) -> None:
        self.store()


class WebWorld(World):
    kind = "web"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.site = Site()
        self._serving = self.site.serve()
        self._serving.__enter__()

    def close(self) -> None:
        self._serving.__exit__(None, None, None)

    def keys(self) -> dict[str, Any]:
        return {"url": f"{self.site.url}/site/", "delay_s": 0}

    def path(self, name: str) -> str:
        return f"site/{name}.html"

    def store(self) -> None:
        links = "".join(f'<a href="{name}.html">{name}</a>' for name in self.documents)
        robots = '<meta name="robots" content="noindex">'
        old = self.site.pages
        self.site.pages = {"/site/": Served(f"<html><head>{robots}</head><body>{links}</body></html>".encode())}
        for name in self.documents:
            page = Served(f"<html><body>{self.html(name)}</body></html>".encode())
            before = old.get(f"/{self.path(name)}")
            page.modified = before.modified if before and before.body == page.body else format_datetime(self.clock)
            self.site.pages[f"/{self.path(name)}"] = page

    def touch(self, name: str) -> None:
        self.clock += timedelta(minutes=1)
        page = self.site.pages[f"/{self.path(name)}"]
        page.tag, page.modified = '"another"', format_datetime(self.clock)

    def fail(self, name: str) -> None:
        self.site.answers[f"/{self.path(name)}"] = (503, {"Retry-After": "0"})

    def mend(self) -> None:
        self.site.answers.clear()


class FeedWorld(World):
    kind = "feed"
    renames = False
    whole = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.keys_of: dict[str, str] = {}
        self.gone: list[str] = []
        self.site = Site()
        self._serving = self.site.serve()
        self._serving.__enter__()

    def close(self) -> None:
        self._serving.__exit__(None, None, None)

    def keys(self) -> dict[str, Any]:
        return {"url": f"{self.site.url}/feed"}

    def path(self, name: str) -> str:
        from sources.feed import _path

        return _path(self._key(name))

    def _key(self, name: str) -> str:
        return self.keys_of.setdefault(name, f"urn:entry:{name}")

    def rename(self, old: str, new: str) -> None:
        self.keys_of[new] = self._key(old)
        super().rename(old, new)

    def delete(self, *names: str) -> None:
        """The feed says of each that it is deleted."""
        self.gone += [self._key(name) for name in names]
        super().delete(*names)

    def store(self) -> None:
        entries = "".join(
            f"<entry><id>{self._key(name)}</id><title>{self.title(name)}</title>"
            f"<updated>{self.clock.isoformat()}</updated>"
            f"<content type='html'>{html.escape(self.html(name))}</content></entry>"
            for name in self.documents
        )
        entries += "".join(
            f'<at:deleted-entry ref="{key}" when="{self.clock.isoformat()}"/>'
            for key in self.gone
            if key not in {self._key(name) for name in self.documents}
        )
        head = f"<title>News</title><id>urn:feed</id><updated>{self.clock.isoformat()}</updated>"
        names = 'xmlns="http://www.w3.org/2005/Atom" xmlns:at="http://purl.org/atompub/tombstones/1.0"'
        body = f'<?xml version="1.0" encoding="utf-8"?><feed {names}>{head}{entries}</feed>'.encode()
        self.site.pages["/feed"] = Served(body, "application/atom+xml")

    def touch(self, name: str) -> None:
        self.clock += timedelta(minutes=1)
        self.store()

    def fail(self, name: str) -> None:
        self.site.answers["/feed"] = (503, {"Retry-After": "0"})

    def mend(self) -> None:
        self.site.answers.clear()


class S3World(World):
    kind = "s3"
    page = 1000
    bucket = "documents"

    def __init__(self, folder: Path, endpoint: str) -> None:
        super().__init__(folder)
        import boto3

        self.endpoint = endpoint
        self.prefix = f"{folder.parent.name}-{folder.name}/"
        self.client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1")
        self.acls: dict[str, list[str]] = {}
        self.held: dict[str, str] = {}
        self.proxy = FailingProxy(endpoint)
        self.failing = False

    def keys(self) -> dict[str, Any]:
        endpoint = self.proxy.url if self.failing else self.endpoint
        return {"bucket": self.bucket, "prefix": self.prefix, "endpoint": endpoint, "region": "us-east-1"}

    def store(self) -> None:
        wanted = {self.path(name): self.text(name) for name in self.documents}
        wanted |= {f"{self.path(name)}.acl.yaml": f"acl: {acl}\n" for name, acl in self.acls.items()}
        for key in set(self.held) - set(wanted):
            self.client.delete_object(Bucket=self.bucket, Key=self.prefix + key)
        for key, text in wanted.items():
            if self.held.get(key) != text:
                self.client.put_object(Bucket=self.bucket, Key=self.prefix + key, Body=text.encode())
        self.held = wanted

    def touch(self, name: str) -> None:
        key = self.path(name)
        self.client.put_object(Bucket=self.bucket, Key=self.prefix + key, Body=self.held[key].encode())

    def restrict(self, name: str, principals: Sequence[str]) -> None:
        self.acls[name] = list(principals)
        self.store()

    def fail(self, name: str) -> None:
        self.proxy.healthy, self.failing = 0, True

    def mend(self) -> None:
        self.proxy.healthy, self.failing = None, False

    def close(self) -> None:
        self.proxy.close()


class ChatWorld(World):
    """A chat export as a folder; a document is a channel with one message."""

    message_at = "2026-03-02T12:00:00+00:00"

    def keys(self) -> dict[str, Any]:
        return {"path": str(self.folder / "export"), "store": "formal"}

    def path(self, name: str) -> str:
        return f"{name}/2026-03-02"

    def file(self, name: str) -> Path:
        return self.folder / "export" / f"{name}.json"

    def content(self, name: str) -> str:
        message = {"id": "1", "author": "Ana", "time": self.message_at, "text": self.documents[name]}
        return json.dumps([message])

    def beside(self) -> dict[Path, str]:
        """Files of an export that hold no message."""
        return {self.folder / "export" / "empty.json": "[]"}

    def store(self) -> None:
        wanted = {self.file(name): self.content(name) for name in self.documents} | self.beside()
        root = self.folder / "export"
        root.mkdir(exist_ok=True)
        for path in sorted(root.rglob("*.*")):
            if path.is_file() and path not in wanted:
                path.unlink()
        for path, text in wanted.items():
            path.parent.mkdir(exist_ok=True)
            if not path.exists() or path.read_text() != text:
                path.write_text(text)

    def touch(self, name: str) -> None:
        status = self.file(name).stat()
        os.utime(self.file(name), ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000_000))

    def fail(self, name: str) -> None:
        self.file(name).write_text('[{"text": ')

    def mend(self) -> None:
        self.store()


class ChatExportWorld(ChatWorld):
    kind = "chat_export"


class TeamsWorld(ChatWorld):
    kind = "teams_export"

    def content(self, name: str) -> str:
        body = {"contentType": "html", "content": f"<p>{html.escape(self.documents[name])}</p>"}
        sender = {"user": {"displayName": "Ana"}}
        return json.dumps({"value": [{"id": "1", "createdDateTime": self.message_at, "from": sender, "body": body}]})


class SlackWorld(ChatWorld):
    kind = "slack_export"

    def file(self, name: str) -> Path:
        return self.folder / "export" / name / "2026-03-02.json"

    def beside(self) -> dict[Path, str]:
        channels = [{"id": f"C{name}", "name": name, "members": ["U1"]} for name in self.documents]
        root = self.folder / "export"
        users = [{"id": "U1", "name": "ana", "profile": {"real_name": "Ana"}}]
        return {root / "channels.json": json.dumps(channels), root / "users.json": json.dumps(users)}

    def content(self, name: str) -> str:
        return json.dumps([{"type": "message", "user": "U1", "ts": "1772452800.000100", "text": self.documents[name]}])


class WhatsAppWorld(ChatWorld):
    kind = "whatsapp_export"

    def file(self, name: str) -> Path:
        return self.folder / "export" / f"WhatsApp Chat with {name}.txt"

    def beside(self) -> dict[Path, str]:
        return {}

    def content(self, name: str) -> str:
        return f"02/03/2026, 12:00 - Ana: {self.documents[name]}\n"

    def fail(self, name: str) -> None:
        self.file(name).rename(self.folder / "away")
        self.file(name).with_suffix(".zip").write_bytes(b"PK no archive")

    def mend(self) -> None:
        for path in (self.folder / "export").glob("*.zip"):
            path.unlink()
        self.store()


WORLDS: dict[str, Callable[..., World]] = {
    "filesystem": FilesystemWorld,
    "s3": S3World,
    "git": GitWorld,
    "web": WebWorld,
    "feed": FeedWorld,
    "archive": ArchiveWorld,
    "archive-tar": TarWorld,
    "confluence": ConfluenceWorld,
    "confluence-html": ConfluenceHtmlWorld,
    "notion": NotionWorld,
    "mediawiki": MediaWikiWorld,
    "slack_export": SlackWorld,
    "teams_export": TeamsWorld,
    "whatsapp_export": WhatsAppWorld,
    "chat_export": ChatExportWorld,
}
"""Kind of source, with `-variant` where a kind has several -> its world. Each is made of an empty folder."""
