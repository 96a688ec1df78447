"""The record: sessions, exchanges, how far transcripts were read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _session()
    _exchange()
    op.create_table(
        "record_transcript",
        sa.Column("path", sa.String(), primary_key=True),
        sa.Column("session", sa.String(), nullable=False, index=True),
        sa.Column("begin", sa.BigInteger(), nullable=False),
        sa.Column("seen", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("mark", sa.String(), nullable=False),
        sa.Column("counts", sa.JSON(), nullable=False),
    )
    counter = op.create_table(
        "counter",
        sa.Column("name", sa.String(), primary_key=True),
        sa.Column("value", sa.BigInteger(), nullable=False),
    )
    op.bulk_insert(counter, [{"name": "record", "value": 0}])


def _session() -> None:
    op.create_table(
        "record_session",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("client", sa.String(), nullable=False),
        sa.Column("user", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False, index=True),
        sa.Column("cwd", sa.String(), nullable=False),
        sa.Column("transcript", sa.String(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), index=True),
        sa.Column("reason", sa.String(), nullable=False),
    )


def _exchange() -> None:
    op.create_table(
        "record_exchange",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("uuid", sa.String(), nullable=False, unique=True),
        sa.Column("session", sa.String(), nullable=False, index=True),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False, index=True),
        sa.Column("client", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("prompt", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("end", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("left_out", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("forgotten", sa.Boolean(), nullable=False),
        sa.Column("spans", sa.JSON(), nullable=False),
        sa.Column("redactions", sa.JSON(), nullable=False),
    )


def downgrade() -> None:
    for table in ("counter", "record_transcript", "record_exchange", "record_session"):
        op.drop_table(table)
