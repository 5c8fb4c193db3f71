"""Relations: found, resolved in the release that is read, kept over rewrites, filtered by permission."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from kprep.core.errors import RetrievalError
from kprep.store import overlay
from tests.fakes.knowledge_base import TestBase

MakeBase = Callable[..., TestBase]

HANDBOOK = """---
depends_on: rules/travel.md
related_to: [Leave Policy, missing.md]
---
# Handbook

## 1 Overview

How to travel stands in the [travel rules](rules/travel.md#allowance); see section 2.1 below. Words follow RFC 2119.

## 2 Details

### 2.1 Who decides

The manager decides on every journey that takes longer than three days and on every journey abroad.
"""
TRAVEL = "# Travel\n\n## Allowance\n\nThe daily allowance is 40 euro within the country and 65 euro outside of it.\n"
LEAVE = "# Leave Policy\n\nEvery employee has thirty days of leave a year, to be taken until the end of March.\n"
FILES = {"docs/handbook.md": HANDBOOK, "docs/rules/travel.md": TRAVEL, "docs/leave.md": LEAVE}


def base_of(make_base: MakeBase, files: dict[str, str], **config: Any) -> TestBase:
    return make_base({path.removeprefix("docs/"): content for path, content in files.items()}, **config)


def told(
    base: TestBase, uri: str = "handbook.md", *, incoming: bool = False, principals: tuple[str, ...] = ("staff",)
) -> dict[str, dict[str, Any]]:
    """Relations by what is written."""
    with base.connection() as connection:
        rows = base.reader(connection, principals).relations(f"docs/{uri}", incoming=incoming)
    return {row["written"]: row for row in rows}


@pytest.mark.req("C5.1", "C5.2", "C5.4", "C5.5", "C5.6")
def test_relations_of_a_document_are_resolved_with_anchor_and_state(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    assert base.run()["status"] == "published"
    found = told(base)
    places = {key: (row["kind"], row["target_uri"], row["anchor"], row["state"]) for key, row in found.items()}
    assert places == {
        "rules/travel.md": ("depends_on", "docs/rules/travel.md", "", "ok"),
        "Leave Policy": ("related_to", "docs/leave.md", "", "ok"),
        "missing.md": ("related_to", "docs/missing.md", "", "target_missing"),
        "travel rules": ("link", "docs/rules/travel.md", "allowance", "ok"),
        "section 2.1": ("citation", "docs/handbook.md", "21-who-decides", "ok"),
        "RFC 2119": ("citation", "https://www.rfc-editor.org/rfc/rfc2119", "", "external"),
    }
    assert found["travel rules"]["anchor_found"]
    assert found["travel rules"]["chunk_id"] in {chunk["chunk_id"] for chunk in base.chunks("handbook.md")}
    assert found["rules/travel.md"]["chunk_id"] is None
    assert set(told(base, "rules/travel.md", incoming=True)) == {"rules/travel.md", "travel rules"}
    with base.connection() as connection:
        got = base.reader(connection).get("docs/handbook.md")
        chunk = base.reader(connection).get(found["travel rules"]["chunk_id"])
    assert {row["written"] for row in got["relations"]} == set(found)
    assert "travel rules" in {row["written"] for row in chunk["relations"]}


@pytest.mark.req("C5.1")
def test_f15_relations_survive_a_rewrite_and_renames_resolve_in_one_hop(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    base.run()
    base.write("handbook.md", HANDBOOK.replace("The manager decides", "The director decides"))
    assert base.run()["status"] == "published"
    assert {key: row["state"] for key, row in told(base).items()}["travel rules"] == "ok"
    before = base.live()
    base.rename("rules/travel.md", "rules/journeys.md")
    assert base.run()["documents"]["renamed"] == 1
    base.rename("rules/journeys.md", "journeys/rules.md")
    assert base.run()["documents"]["renamed"] == 1
    row = told(base)["travel rules"]
    assert (row["target_uri"], row["state"], row["anchor_found"]) == ("docs/journeys/rules.md", "ok", True)
    assert "travel rules" in told(base, "journeys/rules.md", incoming=True)
    # Written anew after the renames, with the old name still in it.
    base.write("handbook.md", HANDBOOK + "\nOne more sentence stands at the end of it.\n")
    base.run()
    assert told(base)["travel rules"]["target_uri"] == "docs/journeys/rules.md"
    with base.connection() as connection:
        rows = base.reader(connection, release=before).relations("docs/handbook.md")
    assert {row["written"]: row["target_uri"] for row in rows}["travel rules"] == "docs/rules/travel.md"


def test_a_moved_document_keeps_what_it_refers_to(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    base.run()
    base.rename("handbook.md", "deep/handbook.md")
    assert base.run()["work"]["parsed"] == 0
    assert told(base, "deep/handbook.md")["section 2.1"]["target_uri"] == "docs/deep/handbook.md"
    assert told(base, "deep/handbook.md")["travel rules"]["state"] == "target_missing"


@pytest.mark.req("C5.1", "C7.6")
def test_a_target_that_changed_is_an_older_revision_until_the_source_is_written_anew(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    base.run()
    base.write("rules/travel.md", TRAVEL.replace("65", "70"))
    base.run()
    assert told(base)["travel rules"]["state"] == "older_revision"
    base.write("handbook.md", HANDBOOK + "\nChecked against the new rules of travel.\n")
    base.run()
    assert told(base)["travel rules"]["state"] == "ok"


def test_a_target_that_comes_later_is_found(make_base: MakeBase) -> None:
    files = {path: text for path, text in FILES.items() if "travel" not in path}
    base = base_of(make_base, files)
    base.run()
    assert told(base)["travel rules"]["state"] == "target_missing"
    base.write("rules/travel.md", TRAVEL)
    base.run()
    assert told(base)["travel rules"]["state"] == "ok"


@pytest.mark.req("B4.2")
def test_a_target_the_reader_may_not_see_is_as_if_unknown(make_base: MakeBase) -> None:
    secret = "---\nacl: [board]\n---\n" + TRAVEL
    base = base_of(make_base, {**FILES, "docs/rules/travel.md": secret})
    base.run()
    assert told(base, principals=("staff", "board"))["travel rules"]["state"] == "ok"
    hidden = told(base)["travel rules"]
    lost = told(base)["missing.md"]
    assert {**hidden, "kind": "", "written": "", "anchor": "", "chunk_id": "", "target_uri": ""} == {
        **lost, "kind": "", "written": "", "anchor": "", "chunk_id": "", "target_uri": "", "target_title": "",
    }  # fmt: skip
    with base.connection() as connection, pytest.raises(RetrievalError):
        base.reader(connection, ("staff",)).relations("docs/rules/travel.md")
    # A reader of the target alone does not learn who refers to it.
    base.source(acl=["board"])
    base.write("rules/travel.md", "---\nacl: [staff]\n---\n" + TRAVEL)
    base.run()
    assert told(base, "rules/travel.md", incoming=True) == {}
    # A rename does not tell the new name of what is hidden.
    base.source(acl=["staff"])
    base.write("rules/travel.md", secret)
    base.run()
    base.rename("rules/travel.md", "rules/hidden.md")
    base.run()
    assert told(base)["travel rules"]["target_uri"] == "docs/rules/travel.md"


@pytest.mark.req("D10.3")
def test_a_withdrawn_target_is_revoked_at_once(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    base.run()
    with base.connection() as connection:
        target = base.reader(connection).chunks("docs/rules/travel.md")[0]["doc_id"]
        overlay.suppress(connection, base.name, [target], "legal", "counsel")
    row = told(base)["travel rules"]
    assert (row["state"], row["target_uri"]) == ("target_revoked", "docs/rules/travel.md")
    assert [
        hit for hit in base.search("How to travel", mode="hybrid+references") if "travel.md" in hit["document_uri"]
    ] == []


def test_the_gate_says_which_references_a_batch_breaks(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    base.run()
    base.delete("rules/travel.md")
    summary = base.run()
    check = next(check for check in summary["gate"]["checks"] if check["code"] == "relations_broken")
    assert summary["status"] == "published"
    assert (check["level"], check["passed"]) == ("warning", False)
    assert {sample["written"] for sample in check["samples"]} == {"rules/travel.md", "travel rules"}
    base.write("rules/travel.md", TRAVEL)
    base.run()
    base.delete("rules/travel.md")
    base.configure(quality={"thresholds": {"short_share": 1.0, "broken_share": 0.1}})
    assert base.run()["status"] == "blocked"


def test_a_link_written_anew_that_leads_to_none_is_named(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    first = next(check for check in base.run()["gate"]["checks"] if check["code"] == "relations_broken")
    assert first["passed"], "documents that are new have nothing they are worse than"
    base.write("handbook.md", HANDBOOK + "\nIt is read once a year.\n")
    check = next(check for check in base.run()["gate"]["checks"] if check["code"] == "relations_broken")
    assert check["passed"], "missing.md led to none before"
    assert "1 others lead to none" in check["message"]
    base.write("handbook.md", HANDBOOK.replace("(rules/travel.md#", "(rules/travl.md#"))
    summary = base.run()
    check = next(check for check in summary["gate"]["checks"] if check["code"] == "relations_broken")
    assert (summary["status"], check["level"], check["passed"]) == ("published", "warning", False)
    assert (
        "0 of 5 references lost the document or place they led to, and 1 were written anew and lead to none"
        in check["message"]
    )
    (row,) = check["samples"]
    assert (row["document_uri"], row["target"]) == ("docs/handbook.md", "docs/rules/travl.md#allowance")
    assert row["reason"] == "there is no such document"


def test_a_heading_renamed_loses_the_links_to_it_and_an_anchor_may_be_mistyped(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES)
    base.run()
    base.write("rules/travel.md", TRAVEL.replace("## Allowance", "## Money for journeys"))
    row = broken_by(base)
    assert (row["document_uri"], row["target"]) == ("docs/handbook.md", "docs/rules/travel.md#allowance")
    assert row["reason"] == "its document no longer has a place #allowance"
    base.write("handbook.md", HANDBOOK.replace("#allowance", "#money-for-journies"))
    row = broken_by(base)
    assert row["reason"] == "its document has no place #money-for-journies, but #money-for-journeys"
    base.write("handbook.md", HANDBOOK.replace("#allowance", "#row-7"))
    check = next(check for check in base.run()["gate"]["checks"] if check["code"] == "relations_broken")
    assert check["passed"], "a place whose anchor may not be stored"


def broken_by(base: TestBase) -> dict[str, Any]:
    """The one reference a run breaks."""
    check = next(check for check in base.run()["gate"]["checks"] if check["code"] == "relations_broken")
    (row,) = check["samples"]
    return dict(row)


@pytest.mark.req("C5.1", "C5.6")
def test_search_follows_stored_relations_and_says_so(make_base: MakeBase) -> None:
    base = base_of(make_base, FILES, embedding={"provider": "none"})
    base.run()
    base.rename("rules/travel.md", "rules/journeys.md")
    base.run()
    plain = base.search("Which words follow RFC 2119?")
    assert {hit["document_uri"] for hit in plain} == {"docs/handbook.md"}
    hits = base.search("Which words follow RFC 2119?", mode="hybrid+references")
    followed = [hit for hit in hits if hit["document_uri"] == "docs/rules/journeys.md"]
    assert [hit["via"]["kind"] for hit in followed] == ["link"]
    assert followed[0]["via"] | {"from": ""} == {"from": "", "kind": "link", "written": "travel rules", "state": "ok"}


ORDERS = """from shop.prices import total
from .stock import left
import os


def order(item):
    \"\"\"Order an item.\"\"\"
    return total(item) if left(item) else os.error
"""
API = """openapi: 3.0.0
info: {title: Shop, version: '1'}
paths:
  /orders:
    get:
      summary: List orders
      responses:
        '200':
          description: orders
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Order'}
components:
  schemas:
    Order:
      type: object
      description: What a customer ordered
      properties:
        id: {type: string, description: number of the order}
"""
CODE = {
    "docs/shop/orders.py": ORDERS,
    "docs/shop/prices.py": 'def total(item):\n    """Price of an item with tax."""\n    return item.price * 1.2\n',
    "docs/shop/stock.py": 'def left(item):\n    """Items left in stock."""\n    return item.count\n',
    "docs/api.yaml": API,
}


def test_imports_and_schema_references_are_relations(make_base: MakeBase) -> None:
    base = base_of(make_base, CODE)
    base.run()
    found = {key: (row["kind"], row["target_uri"], row["state"]) for key, row in told(base, "shop/orders.py").items()}
    assert found == {
        "shop.prices total": ("import", "docs/shop/prices.py", "ok"),
        ".stock left": ("import", "docs/shop/stock.py", "ok"),
        "os": ("import", "docs/shop/os.py", "external"),
    }
    order = told(base, "api.yaml")["Order"]
    assert (order["kind"], order["target_uri"], order["anchor"], order["state"]) == (
        "ref", "docs/api.yaml", "schema-order", "ok",
    )  # fmt: skip
    assert order["anchor_found"]


@pytest.mark.req("C5.1", "D2.5")
def test_what_an_api_takes_from_another_file_is_a_relation(make_base: MakeBase) -> None:
    api = (
        "openapi: 3.1.0\ninfo: {title: Pets, version: '1'}\npaths: {}\ncomponents:\n  responses:\n"
        "    Bad: {description: Unclear, content: {application/json: {schema: {$ref: 'common.yaml#/Problem'}}}}\n"
    )
    common = "Problem:\n  type: object\n  description: What went wrong and how to mend it\n"
    base = make_base({"api.yaml": api, "common.yaml": common})
    summary = base.run()
    assert summary["status"] == "published", [c for c in summary["gate"]["checks"] if not c["passed"]]
    (row,) = told(base, "api.yaml").values()
    assert (row["target_uri"], row["anchor"], row["state"]) == ("docs/common.yaml", "Problem", "ok")
    assert "Problem (common.yaml)" in "\n".join(str(chunk["text"]) for chunk in base.content())
