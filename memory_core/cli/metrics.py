"""`metrics`: what the server tells Prometheus, for a look or for a file that is scraped."""

from __future__ import annotations

import typer


def metrics() -> None:
    """Print the readings in Prometheus's text format."""
    from memory_core.server import protocol
    from memory_core.server.client import Client

    typer.echo(Client(10.0).text(protocol.METRICS), nl=False)
