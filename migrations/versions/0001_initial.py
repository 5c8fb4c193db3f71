"""The initial schema."""

from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    script = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8")
    # Without parameters a % is a %, which the functions' bodies use.
    op.get_bind().execution_options(no_parameters=True).exec_driver_sql(script)


def downgrade() -> None:
    raise RuntimeError("the initial schema is not removed by a migration: drop schemas kprep and published by hand")
