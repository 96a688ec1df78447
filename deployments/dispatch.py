"""Carries work between our database and Prefect: runs asked for, decisions taken, runs replaced.

Every call is safe to repeat: runs are created under the key of what asked for them.
"""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlmodel import col, select

from deployments import sweep
from memory_core.banks.rules import configured_rules
from memory_core.errors import WellkeptError
from memory_core.proposals import apply, queue
from memory_core.routines import consolidation_window, window
from memory_core.settings import Settings
from memory_core.store import outbox
from memory_core.store.database import Database
from memory_core.store.tables import ProposalRow

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient
    from prefect.client.schemas.objects import FlowRun, State

log = logging.getLogger("wellkept.dispatch")
TICK_S = 1.0
MEND_S = 60.0  # seconds between two looks for what could not be written, and for lost runs
LOOK_S = 86_400.0  # seconds between two looks for banks that are too full and have no run
SETTLED = ("decided", "applied", "rejected", "superseded", "empty", "failed")


class Dispatcher:
    """One tick does all that is due; `run` ticks until it is told to end."""

    def __init__(
        self,
        client: SyncPrefectClient,
        database: Database,
        settings: Settings,
        deployments: Mapping[str, UUID],
    ) -> None:
        self._client, self._database = client, database
        self._settings, self._deployments = settings, deployments
        self._mended = time.monotonic()
        self._looked = self._mended - LOOK_S

    def run(self, ending: threading.Event) -> None:
        """Tick once a second; what fails is logged and tried again."""
        while not ending.wait(TICK_S):
            with _tried():
                self.tick()

    def tick(self) -> None:
        """Start the runs that are asked for, and end the waits that are over.

        One that fails is logged and stays for the next tick; it holds up nothing else.
        """
        if time.monotonic() - self._looked >= LOOK_S:
            self._looked = time.monotonic()
            caps = configured_rules(self._settings).caps
            with _tried():
                consolidation_window.owe_again(self._database, caps)
            with _tried():
                for payload, key in window.owed(self._database):
                    self.start_anew("wrap", _wrapped(payload), key)
        self._each(outbox.WRAP, self._wrap)
        self._each(outbox.CONSOLIDATION, self._consolidate)
        self._each(outbox.FORGET, self._hide)
        with self._database.read() as session:
            over = list(session.exec(_waiting_in_vain()).all())
        for proposal in over:
            with _tried():
                self._end_wait(proposal)
        if time.monotonic() - self._mended > MEND_S:
            self._mended = time.monotonic()
            self._mend()

    def _mend(self) -> None:
        """Finish what could not be written, and give new runs to proposals that lost theirs."""
        with _tried():
            if self._settings.vault:
                apply.drain(self._database, self._settings.vault, self._settings)
        with _tried():
            sweep.reopen(self._client, self._database, self)

    def start(self, routine: str, values: dict[str, Any], key: str) -> UUID:
        """Create the routine's run of that key, once."""
        return self._run(routine, values, key).id

    def start_anew(self, routine: str, values: dict[str, Any], key: str) -> UUID:
        """As `start`; in place of a run that is over, the next of the same key."""
        for attempt in itertools.count(1):
            run = self._run(routine, values, key if attempt == 1 else f"{key}:{attempt}")
            if run.state is None or not run.state.is_final():
                break
        return run.id

    def _run(self, routine: str, values: dict[str, Any], key: str) -> FlowRun:
        run = self._client.create_flow_run_from_deployment(
            self._deployments[routine], parameters=values, idempotency_key=key
        )
        log.info("%s is run %s", key, run.name)
        return run

    def _each(self, kind: str, work: Callable[[dict[str, Any], str], None]) -> None:
        """Do the work of each row of a kind: its payload and key; the row is done then."""
        with self._database.read() as session:
            rows = list(outbox.pending(session, kind))
        for row in rows:
            with _tried():
                work(row.payload, row.key)
                with self._database.write() as session:
                    outbox.done(session, row.key)

    def _wrap(self, payload: dict[str, Any], key: str) -> None:
        self.start("wrap", _wrapped(payload), key)

    def _consolidate(self, payload: dict[str, Any], key: str) -> None:
        values = {"bank": payload["bank"], "generation": payload["generation"]}
        self.start_anew("consolidation", values, key)

    def _hide(self, payload: dict[str, Any], _key: str) -> None:
        """Delete what quotes a forgotten session; the rest of the proposal is shown anew."""
        from prefect.client.schemas.filters import ArtifactFilter
        from prefect.exceptions import ObjectNotFound

        number = payload["proposal"]
        wanted = ArtifactFilter.model_validate({"key": {"any_": [f"proposal-{number}"]}})
        for artifact in self._client.read_artifacts(artifact_filter=wanted):
            self._client.delete_artifact(artifact.id)
        with self._database.read() as session:
            row = session.get(ProposalRow, number)
        if row is None or not row.flow_run:
            return
        with suppress(ObjectNotFound):
            self._client.delete_flow_run(UUID(row.flow_run))
        queue.wait_at(self._database, number, "")
        if row.state == "open":
            self.start(row.routine, sweep.parameters(row), f"{row.run}:after:{row.flow_run}")

    def _end_wait(self, proposal: ProposalRow) -> None:
        """Wake the run whose proposal is decided, or cancel the one that was replaced."""
        from prefect.exceptions import ObjectNotFound
        from prefect.states import Cancelled

        number, name = proposal.id or 0, UUID(proposal.flow_run)
        try:
            state = self._client.read_flow_run(name).state
        except ObjectNotFound:
            state = None
        if state is not None and state.is_paused():
            if proposal.state == "superseded":
                told: State[Any] = Cancelled(
                    message="a newer run of the same subject offers its items"
                )
                self._client.set_flow_run_state(name, told, force=True)
            else:
                self._client.resume_flow_run(name, run_input=_answer(proposal))
        elif state is None or state.is_final():
            queue.wait_at(self._database, number, "")


def told(error: Exception) -> str:
    """An error in a line of the log; one of ours says what it is itself."""
    return str(error) if isinstance(error, WellkeptError) else f"{type(error).__name__}: {error}"


@contextmanager
def _tried() -> Iterator[None]:
    """Log what fails and go on."""
    try:
        yield
    except Exception as error:  # Prefect's client raises of many libraries
        log.warning("%s", told(error))


def _wrapped(payload: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the wrap that was asked for."""
    return {"session": payload["session"], "until": payload["sequence"]}


def _waiting_in_vain() -> Any:
    """Proposals that need no decision any more and still name a run."""
    waits = col(ProposalRow.flow_run) != ""
    return select(ProposalRow).where(waits, col(ProposalRow.state).in_(SETTLED))


def _answer(proposal: ProposalRow) -> dict[str, Any]:
    """The decision as the run's form wants it; the run itself reads ours."""
    told = proposal.decision or {}
    return {
        "decision": told.get("choice", "apply none"),
        "chosen": list(told.get("chosen", ())),
        "never": list(told.get("never", ())),
        "comment": str(told.get("comment", "")),
    }
