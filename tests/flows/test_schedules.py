"""A schedule that a person edits, pauses or removes stays so when the flows are served again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest

from deployments.routines import Routine


@dataclass(frozen=True, slots=True)
class Weekly(Routine):
    """A routine around a small flow of the tests."""

    def flow(self) -> Any:
        from tests.flows.handwritten import handwritten

        return handwritten.with_options(name=self.name)


async def registered(routine: Routine) -> UUID:
    from prefect.client.orchestration import get_client
    from prefect.runner import Runner

    from deployments.routines import register

    async with get_client() as client:
        return await register(Runner(name="t", pause_on_shutdown=False), client, routine)


async def schedules(deployment: UUID) -> tuple[list[tuple[str, bool]], bool]:
    """Cron and activity of each schedule, and whether the deployment is paused."""
    from prefect.client.orchestration import get_client

    async with get_client() as client:
        found = await client.read_deployment(deployment)
        return [(each.schedule.cron, each.active) for each in found.schedules], found.paused


async def changed(name: str, change: Any) -> tuple[list[tuple[str, bool]], bool]:
    from prefect.client.orchestration import get_client

    routine = Weekly(name, cron="0 4 * * 0")
    deployment = await registered(routine)
    assert await schedules(deployment) == ([("0 4 * * 0", True)], False)
    async with get_client() as client:
        found = await client.read_deployment(deployment)
        await change(client, deployment, found.schedules[0].id)
    assert await registered(routine) == deployment
    return await schedules(deployment)


def test_an_edited_schedule_stays_edited(prefect_environment: dict[str, str]) -> None:
    async def edit(client: Any, deployment: UUID, schedule: UUID) -> None:
        from prefect.client.schemas.schedules import CronSchedule

        await client.update_deployment_schedule(
            deployment, schedule, schedule=CronSchedule(cron="5 5 * * *"), active=False
        )

    assert run(changed("edited", edit)) == ([("5 5 * * *", False)], False)


def test_a_paused_routine_stays_paused(prefect_environment: dict[str, str]) -> None:
    async def pause(client: Any, deployment: UUID, _schedule: UUID) -> None:
        await client.pause_deployment(deployment)

    assert run(changed("paused", pause))[1] is True


def test_a_removed_schedule_stays_removed(prefect_environment: dict[str, str]) -> None:
    async def remove(client: Any, deployment: UUID, schedule: UUID) -> None:
        await client.delete_deployment_schedule(deployment, schedule)

    assert run(changed("removed", remove)) == ([], False)


def run(work: Any) -> Any:
    import asyncio

    return asyncio.run(work)


@pytest.mark.parametrize(("name", "cron"), [("dream", "0 4 * * 0"), ("optimize", "0 5 1 * *")])
def test_a_routine_is_made_with_its_schedule(
    prefect_environment: dict[str, str], name: str, cron: str
) -> None:
    from deployments.routines import ROUTINES

    (routine,) = [each for each in ROUTINES if each.name == name]
    deployment = run(registered(routine))
    assert run(schedules(deployment)) == ([(cron, True)], False)
    assert run(registered(routine)) == deployment
    assert run(schedules(deployment)) == ([(cron, True)], False)
