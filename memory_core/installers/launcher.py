"""Two small programs at a place that no version changes: `wellkept-hook` and `wellkept`.

Clients name them; they start the interpreter of the version installed last. A client
that trusts a command by its text need not be asked again after an upgrade.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from memory_core import paths
from memory_core.installers.change import Change, read

HOOK, COMMAND = "wellkept-hook", "wellkept"
_GONE = "Memory unavailable: wellkept is no longer where it was (install it again)."


def folder() -> Path:
    """Where they lie."""
    return paths.home().absolute() / "bin"


def hook() -> Path:
    """What clients start at their events."""
    return folder() / HOOK


def command() -> Path:
    """What clients start as an MCP server."""
    return folder() / COMMAND


def changes() -> list[Change]:
    """What has to be written for both to start this interpreter."""
    texts = {hook(): _hook_text(), command(): _command_text()}
    return [
        Change(file, read(file), text.encode("utf-8", "surrogateescape"), mode=0o700)
        for file, text in texts.items()
    ]


def removals() -> list[Change]:
    """Both gone."""
    return [Change(file, read(file), None) for file in (hook(), command())]


def _hook_text() -> str:
    """Says in the client's format that nothing is there, when nothing is."""
    said = f'"additionalContext":"{_GONE}"'
    return f"""{_head("the hooks")}
if [ ! -x "$python" ]; then
  case "$*" in
    front*gemini*) event=BeforeAgent ;;
    front*) event=UserPromptSubmit ;;
    session-start*) event=SessionStart ;;
    *) exit 0 ;;
  esac
  printf '{{"hookSpecificOutput":{{"hookEventName":"%s",{said}}}}}' "$event"
  exit 0
fi
exec "$python" -I -m memory_core.hooks.main "$@"
"""


def _command_text() -> str:
    return f"""{_head("the memory tools")}
exec "$python" -I -m memory_core "$@"
"""


def _head(what: str) -> str:
    lines = [
        "#!/bin/sh",
        f"# Starts {what} of the Wellkept that was installed last. Written by wellkept install.",
        f"python={shlex.quote(sys.executable)}",
        f"export WELLKEPT_HOME={shlex.quote(os.fspath(paths.home().absolute()))}",
    ]
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and paths.socket_file().parent != paths.home():  # some clients leave it out
        lines.append(f'[ -n "$XDG_RUNTIME_DIR" ] || export XDG_RUNTIME_DIR={shlex.quote(runtime)}')
    return "\n".join(lines)
