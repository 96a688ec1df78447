"""Every table of the truth; a column changes only through a migration."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Column, DateTime
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
