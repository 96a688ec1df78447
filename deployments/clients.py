"""Where the plugins and extensions for clients lie: folders beside this file."""

from __future__ import annotations

from pathlib import Path


def folder() -> Path:
    """The folder that holds `claude-code`, `gemini` and `opencode`."""
    return Path(__file__).parent
