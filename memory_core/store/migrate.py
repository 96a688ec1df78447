"""Bring a database to the newest schema with Alembic; safe when two processes start at once."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Engine, inspect, text

FOLDER = Path(__file__).parent / "migrations"


def upgrade(engine: Engine) -> None:
    """Run the migrations that this database has not seen, in one transaction."""
    if _current(engine) == newest():
        return
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    with engine.execution_options(wellkept_writes=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _current(engine: Engine) -> str | None:
    if not inspect(engine).has_table("alembic_version"):
        return None
    with engine.connect() as connection:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def newest() -> str:
    """The revision is the file's number: `0003_record.py` is `0003`."""
    return max(file.name.split("_")[0] for file in (FOLDER / "versions").glob("[0-9]*.py"))
