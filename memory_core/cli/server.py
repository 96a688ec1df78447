"""`up`, `down`, `serve`, `service`: the background processes."""

from __future__ import annotations

from typing import Annotated

import typer

service = typer.Typer(
    name="service", help="Let the operating system keep wellkept up.", no_args_is_help=True
)


def up(
    detach: Annotated[bool, typer.Option("--detach", help="Leave it in the background.")] = False,
) -> None:
    """Start the memory server, Prefect and the routines, and keep them alive."""
    from deployments import supervisor
    from memory_core.errors import Conflict

    if detach:
        supervisor.run_detached(typer.echo)
        return
    try:
        supervisor.run(typer.echo)
    except Conflict as error:
        typer.echo(error.message)


def down() -> None:
    """End what `up` started."""
    from deployments import service as units
    from deployments import supervisor

    if line := units.pause(units.unit()):
        typer.echo(line)
    supervisor.stop(typer.echo)


def serve() -> None:
    """Run the memory server alone, in the foreground."""
    from memory_core import settings
    from memory_core.server.serve import serve as run

    run(settings.load(), lambda address: typer.echo(f"listening on {address}"))


@service.command()
def install() -> None:
    """Write the unit for this user and switch it on."""
    from deployments import service as units

    for line in units.install(units.unit()):
        typer.echo(line)


@service.command()
def uninstall() -> None:
    """Switch the unit off and remove it."""
    from deployments import service as units

    for line in units.uninstall(units.unit()):
        typer.echo(line)


@service.command()
def show() -> None:
    """Print the unit and where it belongs."""
    from deployments import service as units

    unit = units.unit()
    typer.echo(f"# {unit.file}\n{unit.text}")
