"""How often a panel's objections foretold what the person decided, over all that it read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from sqlmodel import col, select

from memory_core.proposals import proposal as states
from memory_core.store.database import Database
from memory_core.store.tables import ItemRow, ProposalRow

DECIDED = (states.APPLIED, states.SKIPPED, states.REJECTED)


def counted(database: Database, user: str) -> dict[str, dict[str, int]]:
    """`{objected, plain}`: of items with an objection and of those without, `{state: count}`.

    Only items that a panel read and a person decided.
    """
    query = (
        select(ItemRow.detail, ItemRow.state)
        .join(ProposalRow, col(ProposalRow.id) == col(ItemRow.proposal))
        .where(ProposalRow.routine == "dream", ProposalRow.user == user, ItemRow.number > 0)
        .where(col(ProposalRow.state).in_((states.DECIDED, states.APPLIED)))
        .where(col(ItemRow.state).in_(DECIDED))
    )
    found: dict[str, Counter[str]] = {"objected": Counter(), "plain": Counter()}
    with database.read() as session:
        for detail, state in session.exec(query).all():
            if detail.get("panel"):
                found["objected" if detail.get("objections") else "plain"][state] += 1
    return {name: dict(counts) for name, counts in found.items()}


def told(counts: Mapping[str, Mapping[str, int]]) -> str:
    """The same in words; empty before anything was decided."""
    said = [
        f"{sum(own.values())} {name} ({', '.join(f'{n} {s}' for s, n in sorted(own.items()))})"
        for name, own in (
            ("items with an objection", counts["objected"]), ("without", counts["plain"]),
        )
        if own
    ]  # fmt: skip
    return ", ".join(said)
