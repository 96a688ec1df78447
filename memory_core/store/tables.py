"""Every table of the truth; a column changes only through a migration."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, DateTime, Table
from sqlmodel import Field, SQLModel


def now() -> datetime:
    """The present moment in UTC, with its zone."""
    return datetime.now(UTC)


def moment(**options: Any) -> Any:
    """A column for a moment with its zone."""
    return Field(sa_column=Column(DateTime(timezone=True), nullable=False, **options))


class Calibration(SQLModel, table=True):
    """A floor and what it was measured on; the newest row of a model and vault is in force."""

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = moment(index=True)
    judge: str = Field(index=True)  # name and revision of everything that makes a score
    vault: str
    floor: float
    clearance: float
    answered: float
    quiet: float
    separated: bool
    questions: str  # which questions: "general", or "benchmark"
    detail: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class BenchmarkRun(SQLModel, table=True):
    """One run over a set of questions, kept for good."""

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = moment(index=True)
    name: str = Field(index=True)  # "working" or "heldout"
    judge: str
    vault_commit: str
    floor: float | None
    scores: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    results: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))


class ClearanceRow(SQLModel, table=True):
    """The clearance of one day: what nonsense reaches in the vault as it was then, kept for good.

    `clearance` is the floor in force minus `best`, the score of the nonsense question `worst`.
    """

    __tablename__ = "clearance"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = moment(index=True)
    judge: str = Field(index=True)
    vault: str
    floor: float
    clearance: float
    best: float
    worst: str  # the question's id
    questions: int  # how many were asked


def utc(moment: datetime) -> datetime:
    """A stored moment in UTC; SQLite keeps no zone."""
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def table(model: type[SQLModel]) -> Table:
    """The table behind a model, for queries of bare columns."""
    found: Table = model.metadata.tables[str(model.__tablename__)]
    return found


class MemoryRow(SQLModel, table=True):
    """One memory; `version` is the number of the ledger row that wrote it."""

    __tablename__ = "memory"
    bank: str = Field(primary_key=True)
    key: str = Field(primary_key=True)
    description: str
    content: str
    refs: list[list[str]] = Field(sa_column=Column(JSON, nullable=False))  # [type, id], sorted
    tags: list[list[str]] = Field(sa_column=Column(JSON, nullable=False))  # [kind, id], sorted
    version: int
    created_at: datetime = moment()
    updated_at: datetime = moment()


class BankRow(SQLModel, table=True):
    """What a bank is besides its memories; the row a writer locks."""

    __tablename__ = "bank"
    id: str = Field(primary_key=True)
    user: str | None = Field(default=None, index=True)  # escaped as in the id
    scope: str | None = Field(default=None, index=True)
    latched: bool = False  # FULL: no new keys until a removal brings it under the soft limit
    generation: int = 0  # rises at every end of a consolidation run


class LedgerRow(SQLModel, table=True):
    """One change to memory, whatever its target; never updated, never deleted."""

    __tablename__ = "ledger"
    __table_args__ = {"sqlite_autoincrement": True}
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = moment()
    kind: str  # what was changed: "memory", "note", ...
    target: str = Field(index=True)  # a memory's id, a note's file
    action: str  # add, revise, forget, move
    actor: str  # who
    reason: str  # why
    before: dict[str, Any] | None = Field(sa_column=Column(JSON(none_as_null=True)))
    after: dict[str, Any] | None = Field(sa_column=Column(JSON(none_as_null=True)))
    undoes: int | None = Field(default=None)
    proposal: str | None = Field(default=None, index=True)


class OutboxRow(SQLModel, table=True):
    """Work that a committed change owes; `key` is unique, so repeats coalesce."""

    __tablename__ = "outbox"
    key: str = Field(primary_key=True)
    kind: str = Field(index=True)
    at: datetime = moment()
    payload: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    done_at: datetime | None = Field(
        default=None, sa_column=Column(DateTime(timezone=True), nullable=True, index=True)
    )


def perhaps() -> Any:
    """A column for a moment that need not have come."""
    return Field(default=None, sa_column=Column(DateTime(timezone=True), nullable=True, index=True))


def many() -> Any:
    """A column for a count of bytes or the like, 0 unless said."""
    return Field(default=0, sa_column=Column(BigInteger, nullable=False))


class SessionRow(SQLModel, table=True):
    """One session of an agent's client, from its first recorded exchange on."""

    __tablename__ = "record_session"
    id: str = Field(primary_key=True)
    client: str
    user: str
    scope: str = Field(index=True)  # the project's identity
    cwd: str
    transcript: str
    turns: int = 0  # exchanges recorded, forgotten ones included
    started_at: datetime = moment()
    seen_at: datetime = moment()  # when something new was recorded, by this machine's clock
    ended_at: datetime | None = perhaps()
    reason: str = ""  # why it ended: the client's word, or "idle"


class ExchangeRow(SQLModel, table=True):
    """One exchange; a forgotten one keeps its name, so that it never comes back."""

    __tablename__ = "record_exchange"
    id: int | None = Field(default=None, primary_key=True)
    uuid: str = Field(unique=True)
    session: str = Field(index=True)
    turn: int
    sequence: int = Field(sa_column=Column(BigInteger, nullable=False, index=True))
    client: str
    at: datetime = moment()
    until: datetime = moment()
    prompt: str
    state: str
    position: int = many()
    end: int = many()
    rows: int = 0
    left_out: int = 0
    size: int = many()  # characters of `spans` as JSON
    forgotten: bool = False
    spans: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))
    redactions: dict[str, int] = Field(sa_column=Column(JSON, nullable=False))


class TranscriptRow(SQLModel, table=True):
    """How far a transcript was read; positions and sizes in bytes."""

    __tablename__ = "record_transcript"
    path: str = Field(primary_key=True)
    session: str = Field(index=True)
    begin: int = many()  # of the last exchange, which may still grow
    seen: int = many()  # end of the last whole row
    size: int = many()  # of the file at that time
    mark: str = ""  # digest of the bytes before `seen`: is it still the same file
    counts: dict[str, int] = Field(sa_column=Column(JSON, nullable=False))


class CounterRow(SQLModel, table=True):
    """A number that only rises; the row is the lock of whoever raises it."""

    __tablename__ = "counter"
    name: str = Field(primary_key=True)
    value: int = many()


class ProposalRow(SQLModel, table=True):
    """What one run of a routine wants to change; `run` names the run and is unique."""

    __tablename__ = "proposal"
    __table_args__ = {"sqlite_autoincrement": True}
    id: int | None = Field(default=None, primary_key=True)
    routine: str = Field(index=True)  # wrap, dream, optimize, consolidation
    subject: str = Field(index=True)  # a session, the vault, a bank
    run: str = Field(unique=True)
    flow_run: str = ""  # the orchestrator's run that waits for the decision
    state: str = Field(index=True)  # see memory_core/proposals/proposal.py
    user: str
    scope: str
    window: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))  # the frozen input
    summary: str = ""
    notices: list[str] = Field(sa_column=Column(JSON, nullable=False))
    cost: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    created_at: datetime = moment()
    decided_at: datetime | None = perhaps()
    decision: dict[str, Any] | None = Field(sa_column=Column(JSON(none_as_null=True)))
    applied_at: datetime | None = perhaps()
    commit: str = ""


class ItemRow(SQLModel, table=True):
    """One numbered change of a proposal; number 0 = did not fit in the run."""

    __tablename__ = "proposal_item"
    id: int | None = Field(default=None, primary_key=True)
    proposal: int = Field(index=True)
    number: int
    action: str
    kind: str
    target: str = Field(index=True)
    base: str  # what the target was: a file's SHA-256, a memory's version; "" = not there
    title: str
    before: str
    after: str
    detail: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    evidence: list[dict[str, Any]] = Field(sa_column=Column(JSON, nullable=False))
    provenance: str
    value: float
    fingerprint: str = Field(index=True)
    state: str = Field(index=True)
    reason: str = ""  # why it is stale, conflicted, ...
    carried: int | None = Field(default=None)  # the earlier item that it continues
    ledger: int | None = Field(default=None)
    at: datetime = moment()


class BookmarkRow(SQLModel, table=True):
    """How far a routine has read a subject; moved by compare-and-swap."""

    __tablename__ = "bookmark"
    routine: str = Field(primary_key=True)
    subject: str = Field(primary_key=True)
    position: int = many()  # a sequence number of the record, or a generation
    moved_at: datetime = moment()


class LlmCallRow(SQLModel, table=True):
    """One call of a language model: what it cost, and the reply where it was refused."""

    __tablename__ = "llm_call"
    id: int | None = Field(default=None, primary_key=True)
    at: datetime = moment(index=True)
    routine: str
    run: str = Field(index=True)
    model: str
    prompt: str  # name and hash of the prompt file
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = None
    error: str = ""
    reply: str = ""  # kept raw, redacted, when it could not be used
