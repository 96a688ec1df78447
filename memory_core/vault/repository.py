"""The git repository around a vault, where there is one."""

from __future__ import annotations

import subprocess
from pathlib import Path

_SECONDS = 10


def head_commit(root: Path) -> str:
    """The vault's commit, with `+` where files below `root` differ from it; "" without git."""
    head = _git(root, "rev-parse", "HEAD")
    if not head:
        return ""
    return f"{head}+" if _git(root, "status", "--porcelain", "--", ".") else head


def _git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), "--no-optional-locks", *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
