"""Tables of error codes: the unit is the code, in whichever format the table stands."""

from __future__ import annotations

import pytest

from tests.conftest import MakeBase

CODES = {
    "CONN_1045": ("Access denied for this user", "Check the password of the account"),
    "CONN_2003": ("The server does not answer", "Check whether the port is open"),
    "DISK_3310": ("No room is left on the volume", "Remove old snapshots or enlarge the volume"),
}
ROWS = [("Code", "Meaning", "Remedy"), *((code, *said) for code, said in CODES.items())]
MARKDOWN = "# Faults\n\nWhat the server says:\n\n" + "\n".join(
    ("| " + " | ".join(row) + " |" + ("\n|---|---|---|" if not number else "")) for number, row in enumerate(ROWS)
)
HTML = "<h1>Faults</h1><table>" + "".join(
    "<tr>" + "".join(f"<t{'d' if number else 'h'}>{cell}</t{'d' if number else 'h'}>" for cell in row) + "</tr>"
    for number, row in enumerate(ROWS)
)
FILES = {
    "faults.md": MARKDOWN + "\n",
    "faults.html": f"<!DOCTYPE html><html><body>{HTML}</table></body></html>",
    "faults.csv": "\n".join(",".join(row) for row in ROWS) + "\n",
}


@pytest.mark.req("D2.6", "D3.6")
@pytest.mark.parametrize("name", FILES)
def test_a_code_is_found_with_its_own_row_and_the_header_alone(make_base: MakeBase, name: str) -> None:
    base = make_base({name: FILES[name]})
    assert base.run()["status"] == "published"
    for code, (meaning, remedy) in CODES.items():
        first = base.search(code, top_k=5)[0]
        assert [other for other in CODES if other in first["text"]] == [code]
        assert all(said in first["text"] for said in ("Code", "Meaning", meaning, remedy))
    held = [row for row in base.content() if any(code in row["text"] for code in CODES)]
    assert [row["fragment"] for row in held] == ["error"] * len(CODES)
    if name.endswith("csv"):
        assert len({str(row["locator"]) for row in held}) == len(CODES)


def test_a_table_that_explains_no_codes_stays_together(make_base: MakeBase) -> None:
    base = make_base({"prices.md": MARKDOWN.replace("| Code |", "| Part |") + "\n"})
    assert base.run()["status"] == "published"
    assert sum(row["kind"] == "table" for row in base.content()) == 1
