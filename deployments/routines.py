"""The routines as deployments: their flows, and the schedules that they start out with.

A schedule is set when a deployment is first made and never again, so what a person edits,
pauses or removes in the UI stays so.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    from prefect.client.orchestration import PrefectClient
    from prefect.runner import Runner

TAG = "wellkept"


@dataclass(frozen=True, slots=True)
class Routine:
    """One flow: its module's and function's name is also its own and its deployment's."""

    name: str
    cron: str = ""  # the schedule it starts out with; empty = started by an event

    @property
    def full_name(self) -> str:
        """As Prefect names the deployment."""
        return f"{self.name}/{self.name}"

    def flow(self) -> Any:
        """The flow itself."""
        return getattr(import_module(f"flows.{self.name}"), self.name)


ROUTINES = (
    Routine("wrap"),
    Routine("dream", cron="0 4 * * 0"),  # Sundays at four
    Routine("optimize", cron="0 5 1 * *"),  # the first of a month at five
    Routine("consolidation"),
)


async def register(runner: Runner, client: PrefectClient, routine: Routine) -> UUID:
    """Make or renew a routine's deployment, and let the runner look for its runs."""
    from prefect.types.entrypoint import EntrypointType

    flow = routine.flow()
    made = await flow.ato_deployment(
        routine.name,
        cron=routine.cron or None,
        description=(flow.description or "").strip(),
        tags=[TAG],
        entrypoint_type=EntrypointType.MODULE_PATH,
    )
    if await _known(client, routine):
        made.schedules = made.paused = None
        made.model_fields_set.difference_update({"schedules", "paused"})  # what is unset, stays
    return await runner.aadd_deployment(made)


async def _known(client: PrefectClient, routine: Routine) -> bool:
    from prefect.exceptions import ObjectNotFound

    try:
        await client.read_deployment_by_name(routine.full_name)
    except ObjectNotFound:
        return False
    return True
