"""The command tree; one module a family of commands."""

from __future__ import annotations

import typer

from memory_core.cli import recall, server, setup, status

app = typer.Typer(
    name="wellkept",
    help="Long-term memory for AI agents that somebody tends.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (
    setup.init,
    server.up,
    server.down,
    status.status,
    recall.recall,
    setup.demo,
    server.serve,
):
    app.command()(command)
app.add_typer(server.service)
