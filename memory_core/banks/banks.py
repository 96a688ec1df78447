"""The banks behind a database: reads by key, and writes that all pass the `Writer`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import select
from sqlmodel import Session

from memory_core.banks import latch
from memory_core.banks.bank import BankId, escaped, parse_bank_id
from memory_core.banks.caps import Caps
from memory_core.banks.context import Context, applicable, in_scope, shadowed
from memory_core.banks.memory import Draft, Memory, clean_key
from memory_core.banks.row import from_row
from memory_core.banks.rules import Rules, configured_rules
from memory_core.banks.writer import By, Writer, Written
from memory_core.errors import NotFound
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import BankRow, MemoryRow, table


@dataclass(frozen=True, slots=True)
class BankState:
    """How full a bank is; `latched` is FULL, `generation` counts ended consolidations."""

    bank: BankId
    count: int
    latched: bool
    generation: int


class Banks:
    """Memories of every bank; safe to share between threads and between processes."""

    def __init__(self, database: Database, rules: Rules | None = None) -> None:
        self.database = database
        self.rules = rules or Rules()

    @property
    def caps(self) -> Caps:
        """The caps in force."""
        return self.rules.caps

    @contextmanager
    def writing(self) -> Iterator[Writer]:
        """A writer in a transaction of its own: all of its changes, or none."""
        with self.database.write() as session:
            yield self.writer(session)

    def writer(self, session: Session) -> Writer:
        """A writer inside the caller's transaction."""
        return Writer(session, self.rules)

    def remember(
        self, bank: BankId, draft: Draft, by: By, *, if_version: int | None = None
    ) -> Written:
        """`Writer.remember` in one transaction."""
        with self.writing() as writer:
            return writer.remember(bank, draft, by, if_version=if_version)

    def forget(self, bank: BankId, key: str, by: By, *, if_version: int | None = None) -> Written:
        """`Writer.forget` in one transaction."""
        with self.writing() as writer:
            return writer.forget(bank, key, by, if_version=if_version)

    def undo(self, number: int, by: By) -> Written:
        """`Writer.undo` in one transaction."""
        with self.writing() as writer:
            return writer.undo(number, by)

    def held(self, banks: Sequence[BankId]) -> list[Memory]:
        """Every memory of the named banks, by bank and key."""
        held = table(MemoryRow)
        query = select(held).where(held.c.bank.in_(map(str, banks)))
        with self.database.read() as session:
            rows = session.connection().execute(query.order_by(held.c.bank, held.c.key)).all()
            return [from_row(row) for row in rows]

    def get(self, bank: BankId, key: str) -> Memory:
        """One memory.

        Raises `NotFound` or `BadInput`.
        """
        key = clean_key(key, self.caps.key)
        with self.database.read() as session:
            row = session.get(MemoryRow, (str(bank), key))
            if row is None:
                raise NotFound(f"{bank} holds no {key}", remedy="see what is there first")
            return from_row(row)

    def findable(self, context: Context, held: Sequence[Memory] | None = None) -> list[Memory]:
        """What an explicit search may return: the concrete scope is a wall, tags are not.

        `held` are the memories of the context's banks where the caller has them already.
        """
        self.rules.check_context(context)
        memories = self.held(context.banks) if held is None else held
        return shadowed(context, [memory for memory in memories if in_scope(context, memory)])

    def find(self, context: Context, key: str) -> Memory:
        """The memory that `key` means here: the narrowest that applies, else that is in scope.

        Raises `NotFound` or `BadInput`.
        """
        self.rules.check_context(context)
        key = clean_key(key, self.caps.key)
        same = [memory for memory in self.held(context.banks) if memory.key == key]
        found = shadowed(context, applicable(context, same, self.rules.ontology))
        found += shadowed(context, [memory for memory in same if in_scope(context, memory)])
        if not found:
            raise NotFound(f"no memory has the key {key}", remedy="search for it by its subject")
        return found[0]

    def state(self, bank: BankId) -> BankState:
        """Count, latch and generation of a bank, also of one that nobody wrote to yet."""
        with self.database.read() as session:
            row = session.get(BankRow, str(bank)) or BankRow(id=str(bank))
            held = latch.count(session, str(bank))
            return BankState(bank, held, row.latched, row.generation)

    def full(self, user: str) -> list[BankState]:
        """The latched banks of a user, shared ones included, by id."""
        bank = table(BankRow)
        owned = bank.c.user.is_(None) | (bank.c.user == escaped(user))
        query = select(bank.c.id).where(bank.c.latched, owned).order_by(bank.c.id)
        with self.database.read() as session:
            names = [name for (name,) in session.connection().execute(query).all()]
        return [self.state(parse_bank_id(name)) for name in names]

    def end_run(self, bank: BankId, *, latched: bool, session: Session | None = None) -> None:
        """Close a consolidation run: the generation rises; `latched` sets FULL if still over."""
        if session is None:
            with self.database.write() as own:
                return self.end_run(bank, latched=latched, session=own)
        row = latch.locked_bank(session, bank)
        return latch.end_run(session, row, self.caps, latch=latched)


def open_banks(settings: Settings, database: Database | None = None) -> Banks:
    """The banks of the configured database.

    Raises `SettingsError` for rules that do not hold.
    """
    rules = configured_rules(settings)
    return Banks(database or Database(settings.resolved_database_url), rules)
