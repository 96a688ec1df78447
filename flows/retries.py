"""When a step is tried again: only where its error says that this may help."""

from __future__ import annotations

from typing import Any

from prefect import task
from prefect.cache_policies import INPUTS, RUN_ID

MODEL_WAITS = [2.0, 10.0, 30.0]  # seconds; a language model that is asked too often
SERVER_WAITS = [1.0, 2.0, 4.0, 8.0, 15.0, 30.0]  # the warm server is back within a minute
JITTER = 0.3  # share of a wait


def transient(_task: Any, _run: Any, state: Any) -> bool:
    """Whether the failed state's error is `Transient` or a time limit that ran out."""
    from memory_core.errors import Transient

    error = state.result(raise_on_failure=False)
    return isinstance(error, Transient | TimeoutError)


proposing = task(
    name="propose",
    retries=len(MODEL_WAITS),
    retry_delay_seconds=MODEL_WAITS,
    retry_jitter_factor=JITTER,
    retry_condition_fn=transient,
    timeout_seconds=1800,
    persist_result=True,
    cache_policy=INPUTS + RUN_ID,  # an upgrade while a person thinks must not draft anew
)
"""Decorates the task that drafts over a frozen window and stores what it offers."""
