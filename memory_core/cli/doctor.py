"""`wellkept doctor`: every link of the chain, with a round trip through each client's own lines."""

from __future__ import annotations

from pathlib import Path

import typer

from memory_core.cli.output import Json, print_json

_SIGNS = {"ok": "ok", "broken": "BROKEN", "notice": "note", "absent": "-"}


def doctor(json: Json = False) -> None:
    """Check every link from a client to memory and back; exit 1 when one is broken."""
    from deployments.clients import folder
    from memory_core.installers.doctor import examine

    found = []
    for link in examine(folder(), Path.cwd()):
        found.append(link)
        if json:
            continue
        typer.echo(f"{_SIGNS[link.state]:<7} {link.part:<12} {link.name:<11} {link.said}")
        if link.remedy and link.state != "absent":
            typer.echo(f"{'':<33}-> {link.remedy}")
    healthy = all(link.state != "broken" for link in found)
    if json:
        print_json({"healthy": healthy, "links": [link.as_json() for link in found]})
    raise typer.Exit(0 if healthy else 1)
