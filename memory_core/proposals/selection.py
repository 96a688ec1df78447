"""Which findings of a run get a number: screened, compared with earlier ones, ranked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlmodel import Session

from memory_core.banks.rules import configured_rules
from memory_core.proposals import consolidated, leftovers, screening
from memory_core.proposals import proposal as states
from memory_core.proposals.desk import Desk
from memory_core.proposals.item import Item
from memory_core.proposals.sameness import same
from memory_core.proposals.standing import already, bases, trouble
from memory_core.settings import Settings
from memory_core.store.tables import ItemRow, ProposalRow, now

CONSOLIDATION = consolidated.ROUTINE
IMPORT = "import"
WHOLE = (CONSOLIDATION, IMPORT)
AFRESH = (*WHOLE, "optimize")  # what such a run does not find, it does not want
WHOLE_ITEMS = 30  # it is one piece of work
_TEXT = 500  # characters of a summary or a notice


@dataclass(slots=True)
class Candidate:
    """An item that may get a number; `carried` is the stored one it continues."""

    item: Item
    carried: int | None = None
    stored: bool = True  # whether it is kept without a number too
    fresh: bool = False  # whether this run found it


@dataclass(slots=True)
class Chosen:
    """What a run's offer stores; `overtaken`: a newer run has offered already."""

    rows: list[ItemRow] = field(default_factory=list)
    notices: tuple[str, ...] = ()
    superseded: Sequence[ProposalRow] = ()
    overtaken: bool = False

    @property
    def numbers(self) -> int:
        """How many items a person is shown."""
        return sum(row.number > 0 for row in self.rows)


def choose(
    session: Session, row: ProposalRow, items: Sequence[Item], root: Path, settings: Settings
) -> Chosen:
    """The rows of an offer; nothing is written.

    Raises `BadInput` for a malformed item, `VaultError` where the vault is not there.
    """
    fresh, notices = screening.screened(items, configured_rules(settings), settings)
    fresh, gone = leftovers.remembered(session, fresh)
    others = leftovers.undecided(session, row)
    superseded = [other for other in others if (other.id or 0) < (row.id or 0)]
    overtaken = len(superseded) < len(others)
    candidates: list[Candidate] = []
    if not overtaken:
        candidates = _earlier(session, row, superseded)
    fresh.sort(key=lambda item: -item.value)
    candidates = _merged(candidates, fresh, exact=row.routine == IMPORT)
    if row.routine in AFRESH:
        candidates = [one for one in candidates if one.fresh]
    candidates, unwanted = _wanted(session, row, candidates, superseded)
    desk = Desk(root, settings)
    if any(one.item.kind != "memory" for one in candidates):
        desk.require_vault()
    candidates = [one for one in candidates if not already(session, desk, one.item)]
    rows = [_row(session, desk, row, candidate) for candidate in candidates]
    limit = WHOLE_ITEMS if row.routine in WHOLE else settings.items_a_run
    _number([] if overtaken else rows, limit)
    kept = [row for row, of in zip(rows, candidates, strict=True) if row.number or of.stored]
    return Chosen(kept, (*notices, *gone, *unwanted), superseded, overtaken)


def text(said: str) -> str:
    """A summary or a notice: one line without secrets."""
    return screening.line(said, _TEXT)


def _earlier(
    session: Session, row: ProposalRow, superseded: Iterable[ProposalRow]
) -> list[Candidate]:
    """The open items of what is superseded, then what was left before."""
    found: list[ItemRow] = []
    for older in superseded:
        rows = states.items_of(session, older.id or 0)
        found += [item for item in rows if item.number and item.state in ("open", "stale")]
        found += [item for item in rows if not item.number and item.state == states.SKIPPED]
    taken = {item.id for item in found}
    left = leftovers.left(session, row.routine, row.user)
    found += [item for item in left if item.id not in taken]
    found.sort(key=lambda item: -item.value)
    return [Candidate(leftovers.item_of(item), item.id, item.id in taken) for item in found]


def _merged(earlier: list[Candidate], fresh: Iterable[Item], *, exact: bool) -> list[Candidate]:
    """Each thing once: a fresh finding renews the text of an earlier one and adds evidence.

    With `exact` two that differ in a word are two, as lines of a file are.
    """
    kept: list[Candidate] = []
    marks: dict[tuple[str, str], Candidate] = {}
    for candidate in (*earlier, *(Candidate(item, fresh=True) for item in fresh)):
        mark = (candidate.item.target, candidate.item.fingerprint)
        twin = marks.get(mark)
        if twin is None and not exact:
            twin = next((other for other in kept if same(other.item, candidate.item)), None)
        if twin is None:
            kept.append(candidate)
            marks[mark] = candidate
        elif candidate.carried is None:
            twin.item, twin.stored = _united(candidate.item, twin.item), True
            twin.fresh = True
    return kept


def _united(newer: Item, older: Item) -> Item:
    pieces = tuple(dict.fromkeys((*newer.evidence, *older.evidence)))[: screening.PIECES]
    return replace(newer, evidence=pieces, value=max(newer.value, older.value))


def _wanted(
    session: Session,
    row: ProposalRow,
    candidates: list[Candidate],
    superseded: Iterable[ProposalRow],
) -> tuple[list[Candidate], tuple[str, ...]]:
    """The candidates that are neither rejected for good nor waiting elsewhere already."""
    over = {older.id for older in superseded}
    elsewhere = [
        item for item in leftovers.waiting_elsewhere(session, row) if item.proposal not in over
    ]
    if row.routine == CONSOLIDATION:
        elsewhere = []  # a plan with holes would say FULL too early
    never = leftovers.rejected(session, row.user)
    kept, twice, unwanted = [], 0, 0
    for candidate in candidates:
        item = candidate.item
        refused = [when for old, when in never if same(old, item)]
        if refused and not leftovers.newer(session, item.evidence, max(refused)):
            unwanted += candidate.carried is None
        elif any(same(other, item) for other in elsewhere):
            twice += candidate.carried is None
        else:
            kept.append(candidate)
    said = []
    if unwanted:
        said.append(f"{unwanted} finding(s) not offered: never wanted again, no new evidence")
    if twice:
        said.append(f"{twice} finding(s) not offered: they wait in another proposal already")
    return kept, tuple(said)


def _row(session: Session, desk: Desk, row: ProposalRow, candidate: Candidate) -> ItemRow:
    item = candidate.item
    base, detail = bases(session, desk, item)
    assert row.id is not None
    stored = ItemRow(
        proposal=row.id, number=0, action=item.action, kind=item.kind, target=item.target,
        base=base, title=item.title, before=item.before, after=item.after, detail=detail,
        evidence=[piece.as_json() for piece in item.evidence], provenance=item.provenance,
        value=item.value, fingerprint=item.fingerprint, state=states.SKIPPED,
        carried=candidate.carried, at=now(),
    )  # fmt: skip
    stored.reason = trouble(session, desk, stored)
    if stored.reason:
        stored.state = states.STALE
    return stored


def _number(rows: list[ItemRow], limit: int) -> None:
    """Numbers for the first that fit, then for stale new ones as long as there is room."""
    stands = [row for row in rows if row.state != states.STALE]
    stale = [row for row in rows if row.state == states.STALE and not row.carried]
    for number, row in enumerate((*stands, *stale)[:limit], start=1):
        row.number = number
        if row.state != states.STALE:
            row.state = states.OPEN
