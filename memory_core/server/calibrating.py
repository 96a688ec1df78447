"""The first floor: a vault without one is measured by the server itself, in the background.

The questions go through the same queue as everything else, behind people's requests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from memory_core.benchmark import calibrate, questions
from memory_core.errors import NotFound
from memory_core.recall.answer import Answer
from memory_core.recall.recall import Recall
from memory_core.server.jobs import Urgency, Worker
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.note import Note

Say = Callable[[str], None]
TOLD = 20  # questions between two lines of progress


class Queued:
    """A recall whose questions wait their turn behind people's requests; nothing is cut."""

    def __init__(self, recall: Recall, worker: Worker) -> None:
        self._recall, self._worker = recall, worker

    @property
    def judge_id(self) -> str:
        """Names everything that makes a score."""
        return self._recall.judge_id

    def recall(self, query: str, *, floor: float | None, limit: int | None = None) -> Answer:
        """One answer; raises `RecallUnavailable` when the server stops."""
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
