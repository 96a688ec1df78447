"""Memories, banks, the ledger and the outbox."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _memories()
    _ledger()
    _append_only()
    op.create_table(
        "outbox",
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("kind", sa.String(), nullable=False, index=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("done_at", sa.DateTime(timezone=True), index=True),
    )


def _memories() -> None:
    op.create_table(
        "memory",
        sa.Column("bank", sa.String(), primary_key=True),
        sa.Column("key", sa.String(), primary_key=True),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("content", sa.String(), nullable=False),
        sa.Column("refs", sa.JSON(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "bank",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("user", sa.String(), index=True),
        sa.Column("scope", sa.String(), index=True),
        sa.Column("latched", sa.Boolean(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
    )


def _ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("id", sa.Integer(), primary_key=True, autoincrement=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("target", sa.String(), nullable=False, index=True),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("before", sa.JSON(none_as_null=True)),
        sa.Column("after", sa.JSON(none_as_null=True)),
        sa.Column("undoes", sa.Integer()),
        sa.Column("proposal", sa.String(), index=True),
        sqlite_autoincrement=True,
    )


def _append_only() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "CREATE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER ledger_append_only BEFORE UPDATE OR DELETE ON ledger "
            "FOR EACH ROW EXECUTE FUNCTION ledger_append_only()"
        )
        op.execute(
            "CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON ledger "
            "FOR EACH STATEMENT EXECUTE FUNCTION ledger_append_only()"
        )
        return
    for event in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER ledger_no_{event.lower()} BEFORE {event} ON ledger "
            "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
        )


def downgrade() -> None:
    for table in ("outbox", "ledger", "bank", "memory"):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION ledger_append_only()")
