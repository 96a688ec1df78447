"""What a model named in the settings is called: its name and a revision of its weights.

Vectors, scores and floors belong to one such name, so that a folder whose weights were
exchanged is another model.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

_WEIGHTS = ("*.safetensors", "*.bin")


def identity(named: str, network: Any) -> str:
    """`NAME@REVISION`: of a folder a hash of its weights, of a hub model the commit.

    `network` is the loaded model. Where neither is known the name stands alone.
    """
    folder = Path(named)
    revision = _hash(folder) if folder.is_dir() else _commit(network)
    return f"{named}@{revision[:12]}" if revision else named


def _commit(network: Any) -> str:
    inner = getattr(network, "auto_model", None) or getattr(network, "model", None)
    return str(getattr(getattr(inner, "config", None), "_commit_hash", None) or "")


def _hash(folder: Path) -> str:
    """One hash over all weights of a folder, below it too; empty without any."""
    files = sorted(file for pattern in _WEIGHTS for file in folder.rglob(pattern))
    hashed = hashlib.sha256()
    for file in files:
        hashed.update(file.relative_to(folder).as_posix().encode())
        with file.open("rb") as stream:
            hashed.update(hashlib.file_digest(stream, "sha256").digest())
    return hashed.hexdigest() if files else ""
