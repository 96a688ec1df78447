"""What the server measures of a vault in the background: its first floor, its clearance daily.

The questions go through the same queue as everything else, behind people's requests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial

from memory_core.benchmark import calibrate, questions
from memory_core.errors import NotFound
from memory_core.recall.answer import Answer
from memory_core.recall.clearance import keep, newest
from memory_core.recall.recall import Recall
from memory_core.server.jobs import Urgency, Worker
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import ClearanceRow, now
from memory_core.vault.note import Note

Say = Callable[[str], None]
DAY = timedelta(hours=24)
TOLD = 20  # questions between two lines of progress


class Queued:
    """A recall whose questions wait their turn behind people's requests; nothing is cut.

    `before` is called before each question and may let it wait.
    """

    def __init__(
        self, recall: Recall, worker: Worker, before: Callable[[], None] = lambda: None
    ) -> None:
        self._recall, self._worker, self._before = recall, worker, before

    @property
    def judge_id(self) -> str:
        """Names everything that makes a score."""
        return self._recall.judge_id

    def recall(self, query: str, *, floor: float | None, limit: int | None = None) -> Answer:
        """One answer; raises `RecallUnavailable` when the server stops."""
        self._before()
        ask = partial(self._recall.recall, query, floor=floor, limit=limit, trimmed=False)
        answer: Answer = self._worker.submit(Urgency.BULK, ask).result()
        return answer


def first_floor(
    recall: Queued, settings: Settings, database: Database, notes: Sequence[Note], say: Say
) -> bool:
    """Measure a floor on the general questions and keep it; false for a vault without notes.

    `say` tells how far it is. A working set of the vault's own is left to
    `wellkept calibrate`, which takes minutes.
    """

    def progress(done: int, total: int) -> None:
        if done % TOLD == 0:
            say(f"measuring the floor, {done} of {total} questions")

    try:
        measured = calibrate.measure(
            recall, (), questions.general().questions, notes,
            margin=settings.floor_margin, quiet=settings.quiet, progress=progress,
        )  # fmt: skip
    except NotFound:
        return False
    calibrate.keep(database, measured, judge=recall.judge_id, vault=str(settings.vault))
    return True


def daily_clearance(
    recall: Queued, settings: Settings, database: Database, after: timedelta = DAY
) -> ClearanceRow | None:
    """Measure the clearance of the floor in force and keep it; None while the last one is fresh.

    Also None without a vault or a floor. Raises `RecallUnavailable` when the server stops.
    """
    vault, root = str(settings.vault), settings.vault
    held = calibrate.left_out(database, recall.judge_id, vault)
    last = newest(database, recall.judge_id, vault)
    if root is None or last is None or now() - last.at < after:
        return None
    best, worst, asked = calibrate.best_nonsense(recall, root, held)
    return keep(
        database, judge=recall.judge_id, vault=vault, floor=last.floor, best=best, worst=worst,
        questions=asked,
    )  # fmt: skip
