"""One question to the model, until its reply fits the schema or is refused.

Every try is a row of its own. A reply that does not fit is sent back with the fault, at
most `AGAIN` times; then the run fails with the raw reply kept, redacted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeVar

from pydantic import BaseModel

from memory_core.errors import ModelRefused, ReplyRefused, SettingsError, WellkeptError
from memory_core.llm import budget, command, frame, provider, reply
from memory_core.llm.answer import Answer
from memory_core.llm.frame import Message
from memory_core.prompts import Prompt
from memory_core.redaction import redacted
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.tables import LlmCallRow, now

AGAIN = 2
R = TypeVar("R", bound=BaseModel)


class Complete(Protocol):
    """What a routine is given: `complete` with settings, database and run filled in."""

    def __call__(
        self, *, prompt: Prompt, values: Mapping[str, str | int], schema: type[R]
    ) -> R: ...


def ready(settings: Settings) -> bool:
    """Whether a language model is configured."""
    return bool(settings.llm_model)


def room(settings: Settings) -> int:
    """Input tokens that one request may hold, its rules included; loads litellm to ask."""
    context = _context(settings)
    return context - min(settings.llm_reply_tokens, context // 4)


def complete(
    settings: Settings,
    database: Database,
    *,
    routine: str,
    run: str,
    prompt: Prompt,
    values: Mapping[str, str | int],
    schema: type[R],
) -> R:
    """Fill the prompt, ask the configured model and return its reply as an object.

    Texts of `values` are data and framed as such. Raises `SettingsError` without a model,
    `OverBudget`, `ModelUnavailable` (a retry may help), `ModelRefused`, and
    `ReplyRefused` with the raw reply.
    """
    if not ready(settings):
        raise SettingsError("no language model is configured", remedy="set llm_model")
    first = frame.messages(prompt, values, schema)
    messages, said, fault = first, "", ""
    for _ in range(1 + AGAIN):
        row = LlmCallRow(
            at=now(), routine=routine, run=run, model=_name(settings), prompt=prompt.id
        )
        said = _said(settings, database, row, messages, schema)
        try:
            found = reply.parse(said, schema)
        except reply.Unusable as error:
            fault = f"it was cut at {row.tokens_out} tokens; be brief" if row.error else str(error)
            row.error, row.reply = f"reply refused: {fault}", redacted(said)
        else:
            row.error = ""
        budget.settle(database, row)
        if not row.error:
            return found
        messages = first + frame.again(row.reply, fault)
    raise ReplyRefused(
        f"{_name(settings)} gave no usable reply to {prompt.name}: {fault}",
        remedy="the raw reply is kept; try again or choose another llm_model",
        reply=redacted(said),
    )


def _said(
    settings: Settings,
    database: Database,
    row: LlmCallRow,
    messages: list[Message],
    schema: type[BaseModel],
) -> str:
    """The reply's text, its cost in `row`; what failed is written down and raised."""
    asked = provider.tokens(settings.llm_model, [message["content"] for message in messages])
    most = room(settings)
    if asked > most:
        raise ModelRefused(
            f"the request is {asked:,} tokens, {_name(settings)} holds {most:,} besides a reply",
            remedy="set llm_context_tokens to what it can hold, or choose a larger model",
        )
    reply_tokens = budget.reserve(database, settings, row, asked, _context(settings) - asked)
    try:
        answer = _answer(settings, messages, schema, reply_tokens)
    except WellkeptError as error:
        row.tokens_in, row.tokens_out, row.error = 0, 0, error.message
        budget.settle(database, row)
        raise
    said = provider.tokens(settings.llm_model, [answer.text])
    row.tokens_in = answer.tokens_in if answer.tokens_in > 0 else asked
    row.tokens_out = answer.tokens_out if answer.tokens_out > 0 else said
    row.usd = answer.usd
    row.error = "cut" if answer.cut else ""
    return answer.text


def _answer(
    settings: Settings, messages: list[Message], schema: type[BaseModel], reply_tokens: int
) -> Answer:
    if command.is_command(settings.llm_model):
        return command.ask(settings, messages)
    return provider.ask(settings, messages, schema, reply_tokens)


def _context(settings: Settings) -> int:
    """Tokens that a request and its reply may have together."""
    context = settings.llm_context_tokens
    if not context and not command.is_command(settings.llm_model):
        context = provider.known(settings.llm_model, "max_input_tokens")
    return context or provider.CONTEXT


def _name(settings: Settings) -> str:
    """The model's name; of a command the program alone, since arguments may say more."""
    return " ".join(settings.llm_model.split()[:1])
