"""A flow around a proposal that a test wrote itself."""

from __future__ import annotations

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State

from flows.approval import publish, settle
from flows.store import opened
from memory_core.proposals import queue


@flow(name="handwritten", retries=0, persist_result=True)
def handwritten(number: int) -> State[Any]:
    """Publish, wait, apply."""
    with opened() as store:
        publish(queue.get(store.database, number))
    return settle(number)
