"""The command tree; one module a family of commands."""

from __future__ import annotations

import typer

from memory_core.cli import (
    bench,
    calibrate,
    demo,
    doctor,
    export,
    history,
    import_,
    install,
    memories,
    metrics,
    migrate,
    recall,
    record,
    server,
    setup,
    status,
)
from memory_core.cli.report.command import report
from memory_core.cli.review.commands import review

app = typer.Typer(
    name="wellkept",
    help="Long-term memory for AI agents that somebody tends.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help needs half the time of a framed one
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (
    setup.init,
    server.up,
    server.down,
    status.status,
    recall.recall,
    calibrate.calibrate,
    demo.demo,
    server.serve,
    memories.remember,
    memories.recall_memories,
    memories.forget,
    memories.memories,
    memories.digest,
    history.history,
    history.undo,
    memories.remap,
    memories.mcp,
    install.install,
    install.uninstall,
    doctor.doctor,
    report,
    metrics.metrics,
    export.export,
):
    app.command()(command)
app.command("import")(import_.import_)
app.add_typer(bench.bench)
app.add_typer(migrate.migrate)
app.add_typer(record.record)
app.add_typer(review)
app.add_typer(server.service)
