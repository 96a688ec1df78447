"""Is every link of the chain well: state, server, and a round trip through each client's own lines.

`examine` does what a client does and says of each link what is wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memory_core.installers.client import CLIENTS
from memory_core.installers.doctor import at_client, ground
from memory_core.installers.doctor.link import Link


def examine(sources: Path, folder: Path) -> Iterator[Link]:
    """Every link as it is found; `folder` is where the person stands."""
    hindrance = None
    for link in ground.links():
        if link.name == "server" and (link.state == "broken" or link.passes):
            hindrance = link
        yield link
    for client in CLIENTS.values():
        yield from at_client.links(client, sources, folder, hindrance)
