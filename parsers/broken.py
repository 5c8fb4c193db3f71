"""Parts of a file of many that cannot be read: each a unit that says what is wrong, the others are published."""

from __future__ import annotations

from kprep.core.errors import ParseError, Recursive
from kprep.core.models import SourceUnit

BROKEN = "broken"


class Broken:
    """The broken parts of one file. `units`: each named by what is wrong and where, as the message of its error says,
    which begins with the part."""

    def __init__(self) -> None:
        self.units: list[SourceUnit] = []
        self._errors: list[ParseError] = []

    def add(self, kind: str, number: int, error: ParseError, char: tuple[int, int] | None = None) -> None:
        """Leave a part out. Raises: the error itself, where it is about what the reader can bear (nested too deep)."""
        if isinstance(error, Recursive):
            raise error
        self._errors.append(error)
        self.units.append(SourceUnit(kind, number, BROKEN, 0, error.message, char))

    def refuse(self, uri: str) -> ParseError:
        """What to raise for a file of which too few parts can be read: what is wrong with the first."""
        error = self._errors[0]
        return type(error)(f"{uri}: {error.message}", **error.context, uri=uri, broken=len(self.units))
