"""The warm server that tests share, and two requests on its vault."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_core.server.client import Client

ASKED = "How does the checkout HPA scale: how many replicas at least and at most?"
NONSENSE = "xylophone quokka marmalade PHRASE_8842_QQQQ"


@dataclass(frozen=True)
class Warm:
    """A real server with real models on a small vault; `pid` is its process."""

    home: Path
    vault: Path
    process: subprocess.Popen[bytes]

    def call(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Ask it with plenty of time."""
        return Client(60).call(path, body)
