"""A person's own words: a text in an editor, or line by line where none is set."""

from __future__ import annotations

import contextlib
import os
import shlex
import subprocess
import tempfile
from pathlib import Path

from memory_core.errors import BadInput
from memory_core.text import clean


def written(text: str, name: str) -> str:
    """The text as the person leaves it.

    Raises `BadInput` when the editor fails or is no command.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(
            f"EDITOR is no command: {error}", remedy="set it to a program that is there"
        ) from None
    return _in_editor(words, text, name) if words else _by_line(text)


def _in_editor(command: list[str], text: str, name: str) -> str:
    with tempfile.TemporaryDirectory(prefix="wellkept-") as folder:
        file = Path(folder) / name
        file.write_text(text + "\n", "utf-8", "surrogateescape")
        try:
            done = subprocess.run([*command, str(file)], check=False)
            if done.returncode:
                raise BadInput(
                    f"the editor ended with {done.returncode}", remedy="the text is as it was"
                )
            return file.read_text("utf-8")
        except OSError as error:
            raise BadInput(
                f"the editor {command[0]} cannot be run: {error.strerror}",
                remedy="set EDITOR to a program that is there",
            ) from None
        except UnicodeDecodeError:
            raise BadInput("the edited text is no UTF-8", remedy="save it as UTF-8") from None


def _by_line(text: str) -> str:
    """Each line offered for change, then new ones until an empty one."""
    print("EDITOR is not set. Change each line and press Enter; an empty line ends the text.")
    lines: list[str] = []
    offered = clean(text).splitlines()
    for number in range(1, 10_000):
        line = _line(f"{number:>3}  ", offered[number - 1] if number <= len(offered) else "")
        if not line and number > len(offered):
            break
        lines.append(line)
    return "\n".join(lines)


def _line(prompt: str, offered: str) -> str:
    """One line, with the offered text to begin with where readline is there."""
    with contextlib.suppress(ImportError):
        import readline

        readline.set_startup_hook(lambda: readline.insert_text(offered))
        try:
            return input(prompt)
        finally:
            readline.set_startup_hook(None)
    print(f"     {offered}")
    return input(prompt) or offered
