"""The command tree; one module a family of commands."""

from __future__ import annotations

import typer

app = typer.Typer(
    name="wellkept",
    help="Long-term memory for AI agents that somebody tends.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

# Each module registers its commands on `app` when it is imported.
from memory_core.cli import server, status  # noqa: E402, F401
