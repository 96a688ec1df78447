"""What earlier runs left: found and not applied, rejected for good, waiting elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from sqlmodel import Session, col, select

from memory_core.proposals import proposal as states
from memory_core.proposals.item import Evidence, Item
from memory_core.store.tables import ExchangeRow, ItemRow, ProposalRow, utc

_OVER = (
    states.APPLIED,
    states.DECIDED,
    states.SUPERSEDED,
    states.EMPTY,
    states.REJECTED,
    states.FAILED,
)
_DERIVED = ("to_base", "versions", "proposed")  # made when the item was stored
_LEFT = (states.SKIPPED, states.CONFLICTED, states.STALE)


def left(session: Session, routine: str, user: str) -> Sequence[ItemRow]:
    """Skipped, conflicted and unfit items that no later item continues, the best first."""
    carried = select(ItemRow.carried).where(col(ItemRow.carried).is_not(None))
    query = (
        select(ItemRow)
        .join(ProposalRow, col(ProposalRow.id) == col(ItemRow.proposal))
        .where(ProposalRow.routine == routine, ProposalRow.user == user)
        .where(col(ProposalRow.state).in_(_OVER), col(ItemRow.state).in_(_LEFT))
        .where(col(ItemRow.id).not_in(carried))
    )
    return session.exec(query.order_by(col(ItemRow.value).desc(), col(ItemRow.id))).all()


def undecided(session: Session, row: ProposalRow) -> Sequence[ProposalRow]:
    """Proposals of the same routine and subject that wait, oldest first."""
    query = select(ProposalRow).where(
        ProposalRow.routine == row.routine,
        ProposalRow.subject == row.subject,
        ProposalRow.state == states.OPEN,
        col(ProposalRow.id) != row.id,
    )
    return session.exec(query.order_by(col(ProposalRow.id))).all()


def waiting_elsewhere(session: Session, row: ProposalRow) -> Sequence[ItemRow]:
    """Open items of other proposals of this user, undecided or decided a moment ago."""
    query = (
        select(ItemRow)
        .join(ProposalRow, col(ProposalRow.id) == col(ItemRow.proposal))
        .where(ProposalRow.user == row.user)
        .where(col(ProposalRow.state).in_((states.OPEN, states.DECIDED)))
        .where(ItemRow.state == states.OPEN, ItemRow.proposal != row.id)
    )
    return session.exec(query.order_by(col(ItemRow.id))).all()


def rejected(session: Session, user: str) -> Sequence[tuple[ItemRow, datetime]]:
    """Items that are never wanted again, and when that was said."""
    query = (
        select(ItemRow, ProposalRow.decided_at)
        .join(ProposalRow, col(ProposalRow.id) == col(ItemRow.proposal))
        .where(ProposalRow.user == user, ItemRow.state == states.REJECTED)
    )
    return [(row, utc(when)) for row, when in session.exec(query).all() if when is not None]


def remembered(session: Session, items: Sequence[Item]) -> tuple[list[Item], tuple[str, ...]]:
    """The items that quote nothing forgotten since it was read, and how many do in words."""
    names = {piece.session for item in items for piece in item.evidence}
    query = select(ExchangeRow.session, ExchangeRow.turn).where(
        col(ExchangeRow.session).in_(names), col(ExchangeRow.forgotten)
    )
    gone = set(session.exec(query).all()) if names else set()
    kept = [
        item for item in items
        if not any((piece.session, piece.turn) in gone for piece in item.evidence)
    ]  # fmt: skip
    left_out = len(items) - len(kept)
    said = f"{left_out} finding(s) left out: their session was forgotten meanwhile"
    return kept, (said,) if left_out else ()


def newer(session: Session, evidence: Iterable[Evidence], moment: datetime) -> bool:
    """Whether something of the evidence was said after the moment."""
    return any((when := _said(session, piece)) and when > moment for piece in evidence)


def item_of(row: ItemRow) -> Item:
    """The value that a stored item was made from."""
    return Item(
        action=row.action,  # type: ignore[arg-type]
        kind=row.kind,  # type: ignore[arg-type]
        target=row.target,
        title=row.title,
        before=row.before,
        after=row.after,
        evidence=tuple(Evidence(**piece) for piece in row.evidence),
        value=row.value,
        detail={name: value for name, value in row.detail.items() if name not in _DERIVED},
    )


def _said(session: Session, piece: Evidence) -> datetime | None:
    """When a piece of evidence was said; None where nobody knows."""
    try:
        when = datetime.fromisoformat(piece.at)
        return when if when.tzinfo else when.replace(tzinfo=UTC)
    except ValueError:
        pass
    query = select(ExchangeRow.at).where(
        ExchangeRow.session == piece.session, ExchangeRow.turn == piece.turn
    )
    at = session.exec(query).first()
    return utc(at) if at else None
