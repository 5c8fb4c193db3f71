"""Writes migrations/schema.sql from the migrations (`make schema`)."""

from pathlib import Path

from kprep.store.schema_dump import dump_new

if __name__ == "__main__":
    target = Path(__file__).parent.parent / "migrations" / "schema.sql"
    target.write_text(dump_new(), encoding="utf-8")
    print(f"wrote {target.relative_to(target.parent.parent)}")
