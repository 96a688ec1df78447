"""Calibrations and benchmark runs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "calibration",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("judge", sa.String, nullable=False, index=True),
        sa.Column("vault", sa.String, nullable=False),
        sa.Column("floor", sa.Float, nullable=False),
        sa.Column("clearance", sa.Float, nullable=False),
        sa.Column("answered", sa.Float, nullable=False),
        sa.Column("quiet", sa.Float, nullable=False),
        sa.Column("separated", sa.Boolean, nullable=False),
        sa.Column("questions", sa.String, nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
    )
    op.create_table(
        "benchmarkrun",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("name", sa.String, nullable=False, index=True),
        sa.Column("judge", sa.String, nullable=False),
        sa.Column("vault_commit", sa.String, nullable=False),
        sa.Column("floor", sa.Float, nullable=True),
        sa.Column("scores", sa.JSON, nullable=False),
        sa.Column("results", sa.JSON, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("benchmarkrun")
    op.drop_table("calibration")
