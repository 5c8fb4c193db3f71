"""A section of a document as it is read: id, file, heading, path of headings, content and size."""

from __future__ import annotations

import pytest

from tests.conftest import MakeBase

PAGE = """# Refund policy

Northwind takes lamps back within thirty days when they are complete and clean.

## Refund timeline

The money is on its way three working days after the lamp came back to the store.
"""


@pytest.mark.req("D2.7", "B2.2", "B2.3", "B2.4", "B2.5", "B2.6", "B2.7")
def test_a_section_has_id_file_heading_path_content_and_tokens(make_base: MakeBase) -> None:
    base = make_base({"refund_policy.md": PAGE})
    assert base.run()["status"] == "published"
    row = next(row for row in base.chunks("refund_policy.md") if "three working days" in row["text"])
    assert row["citation"].endswith("refund_policy.md#refund-timeline")
    assert row["locator"]["anchor"] == "refund-timeline"
    assert row["heading_path"] == ["Refund policy", "Refund timeline"]
    assert 10 < row["tokens"] < 60
    with base.connection() as connection:
        found = base.reader(connection).get("docs/refund_policy.md#refund-timeline")
    sections = found["sections"] if "sections" in found else [found["parent"]]
    assert "three working days" in sections[0]["text"]
    assert sections[0]["heading_path"][-1] == "Refund timeline"
