"""One optimize run: score, audit, measure, offer; and once it is applied, score again.

Nothing here sees a held-out question: `benchmark` scores that set and gives numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from memory_core import llm, paths
from memory_core.benchmark import questions
from memory_core.benchmark.bench import Bench
from memory_core.benchmark.questions import WORKING
from memory_core.benchmark.scratch import Scratch
from memory_core.errors import (
    ModelRefused,
    ModelUnavailable,
    NotFound,
    OverBudget,
    ReplyRefused,
)
from memory_core.llm import Complete
from memory_core.proposals import queue, windows
from memory_core.proposals.desk import Desk
from memory_core.proposals.item import Item
from memory_core.proposals.proposal import Proposal
from memory_core.record.exchange import Exchange
from memory_core.routines.dream import reading
from memory_core.routines.optimize import audit, drafting, judged, left, scoring, verdict
from memory_core.routines.optimize.audited import Audited, legs_of, question_lines
from memory_core.routines.optimize.effects import Base
from memory_core.routines.optimize.judged import Judged, Tell
from memory_core.routines.place import Ask, Place
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.shown import Shown
from memory_core.vault.vault import Scan, Vault

ROUTINE = "optimize"
NO_MODEL = "No language model is configured: notes without a question are named, none is drafted."
NO_FLOOR = "No floor is calibrated: answered and quiet cannot be told. Run: wellkept calibrate"
MOVED = "The vault was changed while it was measured; effects are of what it was at the start."
_EVER = 2**62  # a sequence number that no record reaches
_SCORED, _AUDITED = 0.6, 0.7  # shares of the draft that are done then


@dataclass(frozen=True, slots=True)
class Drafted:
    """What a run found with what it measured, over so many notes and questions."""

    found: tuple[Judged, ...]
    notices: tuple[str, ...]
    notes: int
    questions: int

    @property
    def items(self) -> tuple[Item, ...]:
        """What may be offered."""
        return tuple(item for one in self.found if (item := one.item))

    @property
    def summary(self) -> str:
        """One line for the proposal."""
        worse = sum(bool(one.effect and one.effect.lowers) for one in self.found)
        told = f", {worse} would lower the score" if worse else ""
        return (
            f"{self.notes} notes, {self.questions} questions: {len(self.found)} findings,"
            f" {len(self.items)} changes to choose from{told}"
        )


def subject(root: Path, user: str) -> str:
    """The vault, and whose it is: what a newer run takes over."""
    return f"{root.resolve()} ({user})"


def scored(
    settings: Settings, database: Database, root: Path, proposal: Proposal, ask: Ask, tell: Tell
) -> Proposal:
    """Score both sets before anything is changed, and note it with the proposal.

    Raises as `scoring.scores`.
    """
    made = scoring.scores(settings, database, root, ask, tell)
    return windows.keep(database, proposal.id, scores=made)


def draft(
    settings: Settings,
    database: Database,
    root: Path,
    proposal: Proposal,
    ask: Ask,
    complete: Complete | None = None,
    tell: Tell = lambda _share, _what: None,
) -> Drafted:
    """Audit the vault as it is and measure every change; `complete` drafts questions.

    A model that does not answer leaves the rest as it is, and is named. Raises `VaultError`,
    and what the server's client raises.
    """
    vault = Vault(root, settings.always_loaded)
    scan = vault.scan()
    working = _working(root)
    base = Base.of(
        Scratch(Bench.of(settings, ask, paths.cache_file()), scan.notes), working.questions,
        lambda done, of: tell(_SCORED * done / of, f"{done} of {of} questions scored"),
    )  # fmt: skip
    audited = _audited(settings, database, vault, scan, base)
    tell(_SCORED, "auditing")
    found = list(audit.findings(audited))
    tell(_SCORED, "drafting questions")
    asked = _questions(settings, audited, complete)
    found += asked.findings
    found += left.findings(database, proposal, found)
    made = judged.judged(
        found, base, Desk(root, settings),
        lambda share, what: tell(_AUDITED + share * (1 - _AUDITED), what),
    )  # fmt: skip
    notices = [*proposal.window.get("scores", {}).get("notices", ()), *working.problems]
    notices += asked.notices
    notices += [NO_FLOOR] if base.scratch.bench.floor is None else []
    notices += [MOVED] if vault.scan().hashes != scan.hashes else []
    return Drafted(made, tuple(notices), len(scan.notes), len(working.questions))


def offer(
    settings: Settings, database: Database, root: Path, proposal: Proposal, drafted: Drafted
) -> Proposal:
    """Store what was found and number what may be chosen; the proposal as it is then."""
    size = len(_text(Vault(root, settings.always_loaded)))
    windows.keep(
        database, proposal.id, carried=size, findings=[one.as_json() for one in drafted.found]
    )
    queue.offer(
        database, root, settings, proposal.id, drafted.items, summary=drafted.summary,
        notices=drafted.notices, cost=llm.cost(database, proposal.run),
    )  # fmt: skip
    return numbered(database, proposal.id)


def numbered(database: Database, id: int) -> Proposal:
    """Give the findings of a proposal the numbers of their items; the same again is harmless."""
    proposal = queue.get(database, id)
    numbers = {(item.target, item.fingerprint): item.number or None for item in proposal.items}
    findings = [
        {**one, "number": numbers.get((one["target"], one["fingerprint"]))}
        for one in proposal.window.get("findings", ())
    ]
    return windows.keep(database, id, findings=findings)


def measured_again(
    settings: Settings, database: Database, root: Path, proposal: Proposal, ask: Ask, tell: Tell
) -> Proposal:
    """Score what was applied and note whether the expected effect came; once.

    Raises as `scoring.scores`; called again it tries again.
    """
    if "after" in proposal.window:
        return proposal
    after: dict[str, Any] = {"said": []}
    if verdict.applied(proposal):
        now = scoring.scores(settings, database, root, ask, tell)
        size = len(_text(Vault(root, settings.always_loaded)))
        after = verdict.after(database, proposal, now, size)
    return windows.keep(database, proposal.id, after=after)


def _working(root: Path) -> questions.QuestionSet:
    """The working set; without one, no question."""
    try:
        return questions.load(root)
    except NotFound:
        return questions.QuestionSet(WORKING, ())


def _audited(
    settings: Settings, database: Database, vault: Vault, scan: Scan, base: Base
) -> Audited:
    texts = {note.file: vault.read(note.file) for note in scan.notes}
    bench = base.scratch.bench
    return Audited(
        place=Place.of(
            vault, user=settings.user, scope="", session="", cap=settings.always_loaded_cap
        ),
        ask=bench.ask,
        today=date.today(),
        read=vault.read,
        questions=base.questions,
        lines=question_lines(vault.root),
        problems=tuple(questions.check(base.questions, texts)),
        results=base.results,
        legs={one.id: legs_of(one, base.scratch.answer(one).pool) for one in base.questions},
        shown=_shown(),
        exchanges=partial(_exchanges, database, settings.user),
        floor=bench.floor,
        clearance=bench.clearance,
    )


def _questions(settings: Settings, audited: Audited, complete: Complete | None) -> drafting.Drafted:
    """Questions for notes that have none; without a model none, and a line that says why."""
    if complete is None:
        return drafting.Drafted(notices=(NO_MODEL,))
    try:
        return drafting.drafted(audited, complete, room=llm.room(settings))
    except (ModelUnavailable, ModelRefused, ReplyRefused, OverBudget) as error:
        return drafting.Drafted(notices=(f"No question was drafted: {error}",))


def _shown() -> dict[str, int] | None:
    """In how many sessions each note was shown; None where nothing was recorded."""
    shown = Shown()
    try:
        return shown.counts() or None
    finally:
        shown.close()


def _exchanges(database: Database, user: str) -> Iterable[Exchange]:
    return reading.read(database, {"user": user, "since": 0, "until": _EVER})


def _text(vault: Vault) -> str:
    try:
        return vault.read(vault.always_loaded)
    except NotFound:
        return ""
