"""Proposals, their items, bookmarks, calls of language models."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    _proposal()
    _item()
    op.create_table(
        "bookmark",
        sa.Column("routine", sa.String(), primary_key=True),
        sa.Column("subject", sa.String(), primary_key=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("moved_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "llm_call",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("routine", sa.String(), nullable=False),
        sa.Column("run", sa.String(), nullable=False, index=True),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("prompt", sa.String(), nullable=False),
        sa.Column("tokens_in", sa.Integer(), nullable=False),
        sa.Column("tokens_out", sa.Integer(), nullable=False),
        sa.Column("usd", sa.Float()),
        sa.Column("error", sa.String(), nullable=False),
        sa.Column("reply", sa.String(), nullable=False),
    )


def _proposal() -> None:
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("routine", sa.String(), nullable=False, index=True),
        sa.Column("subject", sa.String(), nullable=False, index=True),
        sa.Column("run", sa.String(), nullable=False, unique=True),
        sa.Column("flow_run", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False, index=True),
        sa.Column("user", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("window", sa.JSON(), nullable=False),
        sa.Column("summary", sa.String(), nullable=False),
        sa.Column("notices", sa.JSON(), nullable=False),
        sa.Column("cost", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), index=True),
        sa.Column("decision", sa.JSON()),
        sa.Column("applied_at", sa.DateTime(timezone=True), index=True),
        sa.Column("commit", sa.String(), nullable=False),
        sqlite_autoincrement=True,
    )


def _item() -> None:
    op.create_table(
        "proposal_item",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("proposal", sa.Integer(), nullable=False, index=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False, index=True),
        sa.Column("base", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("before", sa.String(), nullable=False),
        sa.Column("after", sa.String(), nullable=False),
        sa.Column("detail", sa.JSON(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("provenance", sa.String(), nullable=False),
        sa.Column("value", sa.Float(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False, index=True),
        sa.Column("state", sa.String(), nullable=False, index=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("carried", sa.Integer()),
        sa.Column("ledger", sa.Integer()),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    for table in ("llm_call", "bookmark", "proposal_item", "proposal"):
        op.drop_table(table)
