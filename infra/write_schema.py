"""Writes migrations/schema.sql from the migrations (`make schema`)."""

from pathlib import Path

from kprep.store.schema_dump import dump_new

ROOT = Path(__file__).parent.parent


def main() -> None:
    path = ROOT / "migrations" / "schema.sql"
    path.write_text(dump_new(), encoding="utf-8")
    print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
