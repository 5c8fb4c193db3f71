"""Sources: list what there is, cheaply, and fetch the bytes of what changed.

In: a source's configuration. Out: a `Listing` of entries (URI, version token, size, time), then `RawDocument`s.
- A listing says whether it is complete. Nothing is ever deleted on the word of an incomplete one.
- An entry that cannot be read is listed as a problem, never left out: unreadable is not deleted.
- A version token changes whenever the content may have changed; equal tokens mean nothing needs reading.
- URIs are `<source name>/<relative path>`, in NFC with forward slashes, so that one file has one URI everywhere.
One system per file; `SOURCES` is the registry.
"""

from kprep.core.registry import by_name
from sources import filesystem
from sources.spec import Entry, Listing, Problem, SourceRequest, SourceSpec

__all__ = ["SOURCES", "Entry", "Listing", "Problem", "SourceRequest", "SourceSpec"]

SOURCES = by_name((filesystem.SOURCE,))
