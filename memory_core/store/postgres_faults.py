"""What a PostgreSQL server says went wrong, as errors of the tree; passwords are not shown."""

from __future__ import annotations

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

from memory_core.errors import (
    BadInput,
    DatabaseBusy,
    DatabaseRefused,
    DatabaseUnavailable,
    Permanent,
    WellkeptError,
)
from memory_core.store import migrate

OTHER_SCHEMA = "WK001"  # our own, raised by a write that finds another version's schema
_BUSY = ("55P03", "40001", "40P01")  # a lock not had, a conflict of serialization, a deadlock
_AWAY = ("08", "57P0", "53300", "57014", "25P03")  # connection, shutdown, full, cancelled, idle
_LOGIN = ("28", "3D000")  # who, or which database
_SCHEMA = ("42P01", "42703")  # a table or a column that is not there
_RIGHTS = "42501"
_LOGIN_WORDS = (  # a failed login has no code
    "authentication failed", "no password supplied", "does not exist", "pg_hba.conf",
    "permission denied for database", "not permitted to log in",
)  # fmt: skip


def named(error: DBAPIError, url: URL, seconds: float) -> WellkeptError | None:
    """The error of the tree for one of the driver's; None for a wrong statement."""
    code, reason = getattr(error.orig, "sqlstate", None) or "", _first_line(error)
    where = f"the database {shown(url)}"
    if code == OTHER_SCHEMA:
        return other_schema(reason)
    if code in _BUSY:
        return DatabaseBusy(f"{where} stayed locked for {seconds:g} s", remedy="try again")
    if code in _SCHEMA:
        return DatabaseRefused(
            f"{where} has not the tables of this version: {reason}",
            remedy="update Wellkept here, and restart what runs of it",
        )
    if code == "53100":
        return Permanent(
            "the disk of the database is full; nothing was changed",
            remedy="free some space and try again",
        )
    if code == _RIGHTS:
        return DatabaseRefused(f"{where}: {reason}", remedy="grant the role its right")
    if code == "25006":
        return DatabaseRefused(f"{where} is read-only", remedy="name the primary in database_url")
    if code.startswith(_LOGIN) or (not code and any(word in reason for word in _LOGIN_WORDS)):
        return DatabaseRefused(
            f"{where} refuses the login: {reason}",
            remedy="correct user, password or database name in database_url",
        )
    if code.startswith(_AWAY) or error.connection_invalidated or _is_unreachable(error, code):
        return DatabaseUnavailable(
            f"{where} does not answer: {reason}",
            remedy="try again when it is back, or correct database_url",
        )
    if "cannot contain NUL" in reason:
        return BadInput("a text holds a NUL character, which cannot be stored", remedy="remove it")
    return None


def other_schema(held: str) -> DatabaseRefused:
    """The database was changed by another version than this one."""
    return DatabaseRefused(
        f"the database has schema {held}, this version of Wellkept writes {migrate.newest()}",
        remedy="update Wellkept here, and restart what runs of it",
    )


def shown(url: URL) -> str:
    """Host and name of the database, without user, password and options."""
    return f"{url.database or url.username or ''} at {url.host or 'the local socket'}".strip()


def _is_unreachable(error: DBAPIError, code: str) -> bool:
    """Whether the driver itself says that there is no connection; the server gave no code."""
    from psycopg import InterfaceError, OperationalError

    return not code and isinstance(error.orig, OperationalError | InterfaceError)


def _first_line(error: DBAPIError) -> str:
    lines = [line.strip() for line in str(error.orig).splitlines() if line.strip()]
    return lines[0] if lines else type(error.orig).__name__
