"""The operating system's own supervision: a systemd user unit or a launchd agent.

Both run `wellkept up` in the foreground at login and start it anew when it dies. A
state folder other than the default gets a unit of its own.
"""

from __future__ import annotations

import hashlib
import os
import plistlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from deployments.children import PROGRAM
from memory_core import paths

_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Unit:
    """A generated file and the commands that switch it on and off."""

    file: Path
    text: str
    on: tuple[tuple[str, ...], ...]
    off: tuple[tuple[str, ...], ...]
    halt: tuple[str, ...]


def unit(platform: str = sys.platform) -> Unit:
    """The unit for this user, interpreter and state folder."""
    return _launchd() if platform == "darwin" else _systemd()


def install(made: Unit) -> list[str]:
    """Write the unit and switch it on; returns what happened, a line each.

    Where the operating system's command is missing or refuses, the lines say what to
    run. Installing twice changes nothing.
    """
    if made.file.exists() and made.file.read_text("utf-8") == made.text:
        said = [f"{made.file} is there already"]
    else:
        made.file.parent.mkdir(parents=True, exist_ok=True)
        temporary = made.file.with_name(f".{made.file.name}.tmp")
        temporary.write_text(made.text, "utf-8")
        temporary.replace(made.file)
        said = [f"wrote {made.file}"]
    return said + _commands(made.on)


def uninstall(made: Unit) -> list[str]:
    """Switch the unit off and remove it; returns what happened, a line each."""
    if not made.file.exists():
        return [f"{made.file} is not there"]
    said = _commands(made.off)
    made.file.unlink()
    return [*said, f"removed {made.file}"]


def pause(made: Unit) -> str:
    """Stop an installed unit until the next login; a line when it was running.

    Without this the operating system would start at once what `down` ends.
    """
    if not made.file.exists() or _refusal(made.halt):
        return ""
    return f"stopped {made.file.stem} until the next login"


def _commands(commands: tuple[tuple[str, ...], ...]) -> list[str]:
    for at, command in enumerate(commands):
        reason = _refusal(command)
        if reason:
            left = " && ".join(" ".join(each) for each in commands[at:])
            return [f"{command[0]}: {reason}", f"run yourself: {left}"]
    return ["done: " + ", ".join(" ".join(each) for each in commands)]


def _refusal(command: tuple[str, ...]) -> str:
    """Why the command did not work; empty when it did."""
    if not shutil.which(command[0]):
        return "not found on this system"
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    lines = (done.stderr or done.stdout).strip().splitlines()
    return (lines[-1] if lines else f"exit {done.returncode}") if done.returncode else ""


def _suffix() -> str:
    """Empty for the default state folder."""
    home = paths.home().absolute()
    if home == Path.home() / ".wellkept":
        return ""
    return "-" + hashlib.sha256(os.fsencode(home)).hexdigest()[:8]


def _systemd() -> Unit:
    base = os.environ.get("XDG_CONFIG_HOME")
    folder = (Path(base) if base else Path.home() / ".config") / "systemd" / "user"
    name = f"wellkept{_suffix()}.service"
    home = str(paths.home().absolute())
    command = " ".join(map(_quoted, [*PROGRAM, "up"]))
    text = f"""\
[Unit]
Description=Wellkept, memory for AI agents
StartLimitIntervalSec=0

[Service]
ExecStart={command}
Environment={_quoted(f"WELLKEPT_HOME={home}", command=False)}
Restart=always
RestartSec=5

[Install]
WantedBy=default.target
"""
    control = ("systemctl", "--user")
    return Unit(
        folder / name,
        text,
        on=((*control, "daemon-reload"), (*control, "enable", "--now", name)),
        off=((*control, "disable", "--now", name),),
        halt=(*control, "stop", name),
    )


def _quoted(word: str, *, command: bool = True) -> str:
    """One word of a unit file: quotes, backslashes and specifiers escaped, `$` in commands too."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    escaped = escaped.replace("\n", "\\n").replace("\t", "\\t")
    return '"' + (escaped.replace("$", "$$") if command else escaped) + '"'


def _launchd() -> Unit:
    label = f"org.wellkept.agent{_suffix()}"
    file = Path.home() / "Library" / "LaunchAgents" / f"{label}.plist"
    log = str((paths.log_folder() / "launchd.log").absolute())
    text = plistlib.dumps(
        {
            "Label": label,
            "ProgramArguments": [*PROGRAM, "up"],
            "EnvironmentVariables": {"WELLKEPT_HOME": str(paths.home().absolute())},
            "RunAtLoad": True,
            "KeepAlive": True,
            "ThrottleInterval": 5,
            "StandardOutPath": log,
            "StandardErrorPath": log,
        }
    ).decode()
    domain = f"gui/{os.getuid()}"
    return Unit(
        file,
        text,
        on=(("launchctl", "bootstrap", domain, str(file)),),
        off=(("launchctl", "bootout", f"{domain}/{label}"),),
        halt=("launchctl", "bootout", f"{domain}/{label}"),
    )
