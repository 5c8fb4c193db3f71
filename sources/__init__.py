"""Sources: list what there is, cheaply, and fetch the bytes of what changed.

In: a source's configuration. Out: a `Listing` of entries (URI, version token, size, time), then `RawDocument`s.
- A listing says whether it is complete. Nothing is ever deleted on the word of an incomplete one.
- An entry that cannot be read is listed as a problem, never left out: unreadable is not deleted.
- A version token changes whenever the content may have changed; equal tokens mean nothing needs reading.
- URIs are `<source name>/<relative path>`, in NFC with forward slashes, so that one file has one URI everywhere.
- A source that cannot be listed raises SourceError (out of reach: SourceUnavailable); it stops no other source.
- Credentials come from environment variables that the configuration names; they are kept and logged nowhere.
One system per file (and what it is made of beside it); `SOURCES` is the registry.
"""

from kprep.core.registry import by_name
from sources import (
    archive,
    chat_export,
    confluence,
    feed,
    filesystem,
    git,
    mediawiki,
    notion,
    s3,
    slack_export,
    teams_export,
    web,
    whatsapp_export,
)
from sources.spec import NOTHING, About, Entry, Listing, Options, Problem, SourceRequest, SourceSpec

__all__ = [
    "NOTHING", "SOURCES", "About", "Entry", "Listing", "Options", "Problem", "SourceRequest", "SourceSpec",
]  # fmt: skip

SOURCES = by_name(
    (
        filesystem.SOURCE,
        s3.SOURCE,
        git.SOURCE,
        web.SOURCE,
        feed.SOURCE,
        archive.SOURCE,
        confluence.SOURCE,
        notion.SOURCE,
        mediawiki.SOURCE,
        slack_export.SOURCE,
        teams_export.SOURCE,
        whatsapp_export.SOURCE,
        chat_export.SOURCE,
    )
)
