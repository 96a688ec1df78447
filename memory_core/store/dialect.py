"""What a kind of database must offer so that the rest of the store need not know which it is."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from memory_core.errors import WellkeptError


class Dialect(Protocol):
    """One pool of connections behind `engine`, and the two kinds of transaction over it."""

    @property
    def busy(self) -> float:
        """Seconds that a writer waits for the lock."""
        ...

    @property
    def shared(self) -> bool:
        """Whether other hosts can reach it."""
        ...

    @property
    def engine(self) -> Engine:
        """The pool itself; a transaction of it is neither kind."""
        ...

    @property
    def reading(self) -> Engine:
        """Its transactions see one state and write nothing."""
        ...

    @property
    def writing(self) -> Engine:
        """Its transactions hold the write lock from their beginning."""
        ...

    @property
    def migrating(self) -> Engine:
        """As `writing`, whatever the schema is."""
        ...

    def turn(self, seconds: float) -> AbstractContextManager[None]:
        """Wait within this process for a turn to write. Raises `DatabaseBusy`."""
        ...

    def alone(self, what: str, seconds: float) -> AbstractContextManager[None]:
        """Hold the lock `what` against other hosts; raises what `named` names."""
        ...

    def named(self, error: DBAPIError, seconds: float) -> WellkeptError | None:
        """An error as one of the tree; None for what a statement did wrong.

        `seconds` is how long a lock was waited for.
        """
        ...
