"""Where a command stands: the options that name user, scope, references and tags."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from memory_core.errors import BadInput

if TYPE_CHECKING:
    from memory_core.banks.context import Context
    from memory_core.banks.toolbox import Toolbox

User = Annotated[str | None, typer.Option(help="Whose memory (default: the setting).")]
Scope = Annotated[str | None, typer.Option(help="Which project (default: this folder's).")]
Refs = Annotated[list[str] | None, typer.Option("--ref", help="type:id, repeatable.")]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="kind:id, repeatable.")]

AGENT_MARKS = (
    "CLAUDECODE", "CLAUDE_CODE_CHILD_SESSION", "AI_AGENT", "WELLKEPT_CHILD",
    "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_CI", "CODEX_THREAD_ID",
    "GEMINI_CLI", "GEMINI_SESSION_ID", "OPENCODE", "OPENCODE_CLIENT",
    "CURSOR_AGENT", "COPILOT_CLI", "CLINE_ACTIVE", "AUGMENT_AGENT", "ANTIGRAVITY_AGENT",
)  # fmt: skip  # names that clients set in the shells they open; people's shells have none


@dataclass(frozen=True, slots=True)
class Here:
    """The four options as given."""

    user: str | None = None
    scope: str | None = None
    refs: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def here(
    user: str | None, scope: str | None, refs: list[str] | None, tags: list[str] | None
) -> Here:
    """The options of a command as one value."""
    return Here(user, scope, tuple(refs or ()), tuple(tags or ()))


def toolbox(place: Here) -> Toolbox:
    """The tools in the context that the options and the current folder give."""
    from memory_core import settings
    from memory_core.banks.banks import open_banks
    from memory_core.banks.project import context_at
    from memory_core.banks.toolbox import Toolbox

    try:
        folder = Path.cwd()
    except FileNotFoundError:
        raise BadInput("the current folder is gone", remedy="change to another one") from None
    chosen = settings.load()
    banks = open_banks(chosen)
    context: Context = context_at(
        banks.rules, chosen.user if place.user is None else place.user, folder,
        scope=place.scope, refs=place.refs, tags=place.tags,
    )  # fmt: skip
    return Toolbox(banks, context, actor=actor(), source="command line")


def actor() -> str:
    """Who runs the command: an agent's shell is not the user."""
    return "agent" if any(mark in os.environ for mark in AGENT_MARKS) else "user"
