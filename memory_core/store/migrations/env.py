"""Alembic's entry: migrate over the connection that `migrate.upgrade` holds."""

from alembic import context
from sqlmodel import SQLModel

from memory_core.store import tables  # noqa: F401  (registers the tables)

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
