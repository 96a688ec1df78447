"""The proposals and the memory that a review reads and writes, as one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from memory_core.cli.review.told import age, counted, line
from memory_core.errors import SettingsError, Transient, WellkeptError
from memory_core.proposals import apply, queue, records, render
from memory_core.proposals.apply import Outcome
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.proposal import Proposal
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.vault import Vault

UNDONE = "undone"  # shown in place of applied
Notify = Callable[[Proposal], None]


_LATER = "the next wellkept review or wellkept up finishes what is left"


def nobody(_proposal: Proposal) -> None:
    """Tell nobody: there is no orchestrator whose run waits."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """`notify` hears of each decided proposal, so that the run that waits for it goes on.

    It raises an error of the tree when it cannot tell the run.
    """

    settings: Settings
    database: Database
    root: Path
    notify: Notify = nobody

    @classmethod
    def of(cls, settings: Settings, notify: Notify = nobody) -> Reviewer:
        """The database and the vault that the settings name.

        Raises `SettingsError` when no vault is set and `VaultError` when it is not there:
        the proposals' targets could not be looked at.
        """
        if settings.vault is None:
            raise SettingsError("no vault is set", remedy="run: wellkept init FOLDER")
        root = Vault(settings.vault, settings.always_loaded).root
        return cls(settings, Database(settings.resolved_database_url), root, notify)

    def settle(self) -> list[str]:
        """Finish what an earlier decision still owes: files, commits; says what was done."""
        lines: list[str] = []
        for outcome in apply.drain(self.database, self.root, self.settings):
            if outcome.proposal:
                lines += happened(queue.get(self.database, outcome.proposal), outcome)
        return lines

    def waiting(self) -> list[Proposal]:
        """What waits for this person, the oldest first."""
        queue.refresh(self.database, self.root, self.settings)
        found = queue.waiting(self.database, user=self.settings.user)
        return sorted(found, key=lambda proposal: proposal.id)

    def now(self, number: int) -> Proposal:
        """The proposal as it is at this moment, items whose target moved marked as stale.

        Raises `NotFound`.
        """
        queue.refresh(self.database, self.root, self.settings)
        return queue.get(self.database, number)

    def looked_back(self, proposals: Sequence[Proposal]) -> list[Proposal]:
        """The proposals, their items that were taken back since marked as `undone`."""
        entries = {item.ledger for one in proposals for item in one.items if item.ledger}
        with self.database.read() as session:
            gone = records.undone(session, entries)
        return [
            replace(
                one,
                items=tuple(
                    replace(item, state=UNDONE) if item.ledger in gone else item
                    for item in one.items
                ),
            )
            for one in proposals
        ]

    def carry_out(self, number: int, decision: Decision) -> list[str]:
        """Store the decision, apply it, and say what happened, a line each.

        Raises `Conflict` when somebody else decided first, `BadInput` for a decision that
        the proposal does not take. What cannot be written now stays owed and is said.
        """
        decide(self.database, number, decision, root=self.root, settings=self.settings)
        try:
            outcome = apply.apply(self.database, self.root, self.settings, number)
            lines = happened(queue.get(self.database, number), outcome)
        except WellkeptError as error:
            lines = [f"Proposal {number}: the decision is stored, not applied: {error}; {_LATER}"]
        except KeyboardInterrupt:
            raise Transient(f"the decision about proposal {number} is stored; {_LATER}") from None
        return lines + self._notified(number)

    def _notified(self, number: int) -> list[str]:
        try:
            self.notify(queue.get(self.database, number))
        except WellkeptError as error:
            return [f"  the run that waits for it was not told: {error}"]
        return []


def happened(proposal: Proposal, outcome: Outcome) -> list[str]:
    """What a decision did, and how to take it back."""
    counts = (
        ("applied", outcome.applied), ("conflicted", outcome.conflicted),
        ("not now", outcome.skipped), ("never again", outcome.rejected),
    )  # fmt: skip
    told = ", ".join(f"{word} {len(numbers)}" for word, numbers in counts if numbers)
    if proposal.state == "rejected":
        told = "run rejected: the same is read again next time"
    commit = f"; commit {outcome.commit[:7]}" if outcome.commit else ""
    lines = [f"Proposal {proposal.id}: {told or 'nothing to apply'}{commit}"]
    for item in proposal.numbered:
        where = f"{item.number}  {line(render.place_of(item))}"
        if item.number in outcome.conflicted:
            lines.append(f"  conflicted  {where}: {line(item.reason)}")
        elif item.ledger and item.number in outcome.applied:
            lines.append(f"  applied  {where}   back: wellkept undo {item.ledger}")
    return lines + [f"  {line(notice)}" for notice in outcome.notices]


def over(proposal: Proposal) -> str:
    """Why a proposal that was open is not any more."""
    if proposal.state == "superseded":
        return f"Proposal {proposal.id} was replaced by a newer run, which carries its open items"
    decision = proposal.decision or {}
    surface, choice = decision.get("surface", "?"), decision.get("choice", "?")
    when = f" {age(proposal.decided_at)}" if proposal.decided_at else ""
    numbers = ", ".join(str(number) for number in decision.get("chosen") or ())
    return (
        f"Proposal {proposal.id} was decided by somebody else{when} ({surface}): "
        f"{choice}{f' {numbers}' if numbers else ''}"
    )


def left_open(count: int) -> str:
    """What remains."""
    return f"{counted(count, 'proposal')} still open" if count else "Nothing else waits."
