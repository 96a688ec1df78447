"""Every question to a language model as a task of its own: seen in the UI, tried again alone.

A routine gets `asked` in place of a plain `Complete` and knows nothing of tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from prefect import task
from prefect.cache_policies import NO_CACHE
from pydantic import BaseModel

from flows.retries import JITTER, MODEL_WAITS, transient
from memory_core.llm import Complete
from memory_core.prompts import Prompt

R = TypeVar("R", bound=BaseModel)
TIME_LIMIT_S = 3600  # the model's own time limit is a setting; this ends what hangs for good


def asked(complete: Complete, model: str) -> Complete:
    """The same language model, each call a task that says which model reads which prompt."""

    def ask(*, prompt: Prompt, values: Mapping[str, str | int], schema: type[R]) -> R:
        found: Any = ask_language_model(model, prompt, values, schema, complete)
        return cast(R, found)

    return ask


@task(
    name="ask-language-model",
    task_run_name="ask {model}: {prompt.name}",
    retries=len(MODEL_WAITS),
    retry_delay_seconds=MODEL_WAITS,
    retry_jitter_factor=JITTER,
    retry_condition_fn=transient,
    timeout_seconds=TIME_LIMIT_S,
    cache_policy=NO_CACHE,
    persist_result=False,  # a reply is kept with the proposal, or not at all
    log_prints=False,
)
def ask_language_model(
    model: str,  # noqa: ARG001  it stands in the task's name
    prompt: Prompt,
    values: Mapping[str, str | int],
    schema: type[BaseModel],
    complete: Any,
) -> Any:
    """One reply, checked; raises what `llm.complete` raises."""
    return complete(prompt=prompt, values=values, schema=schema)
