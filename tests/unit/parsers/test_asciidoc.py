"""AsciiDoc tables that a short source blows up."""

from __future__ import annotations

import pytest

from kprep.core.errors import TooLarge
from parsers.asciidoc_table import MAX_REPEATED, table_rows


def test_a_table_of_repeated_cells_is_refused_before_it_is_written_out() -> None:
    with pytest.raises(TooLarge, match=str(MAX_REPEATED)):
        table_rows(["|a 500*|b"] * (MAX_REPEATED // 499 + 1), "")
    rows, _ = table_rows(["3*|b"] * 4, '[cols="3*"]')
    assert rows == (("b", "b", "b"),) * 4
