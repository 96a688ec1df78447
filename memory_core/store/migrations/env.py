"""Alembic's entry: migrate over the connection that `migrate.upgrade` holds."""

from alembic import context
from sqlalchemy import Connection, text
from sqlmodel import SQLModel

from memory_core.errors import DatabaseRefused
from memory_core.store import tables  # noqa: F401  (registers the tables)


def require_utf8(connection: Connection) -> None:
    """Raise `DatabaseRefused` for a database that cannot hold every text."""
    encoding = connection.execute(text("SHOW server_encoding")).scalar()
    if encoding != "UTF8":
        raise DatabaseRefused(
            f"the database is encoded as {encoding}, which cannot hold every text",
            remedy="create it anew: createdb --template template0 --encoding UTF8 NAME",
        )


def sort_by_code_point(connection: Connection) -> None:
    """Text of every table of ours sorts as in SQLite, whatever the locale of the database."""
    found = connection.execute(
        text(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND table_name = ANY(:ours)"
            " AND data_type = 'character varying' AND collation_name IS DISTINCT FROM 'C'"
        ),
        {"ours": list(SQLModel.metadata.tables)},
    )
    for table, column in found.all():
        change = f'ALTER TABLE "{table}" ALTER COLUMN "{column}" TYPE varchar COLLATE "C"'
        connection.execute(text(change))


connection = context.config.attributes["connection"]
is_postgres = connection.dialect.name == "postgresql"
if is_postgres:
    require_utf8(connection)
context.configure(
    connection=connection,
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
if is_postgres:
    sort_by_code_point(connection)
