"""What git ignores around and inside a vault, by pathspec.

Rules are layers from `.git/info/exclude` over the `.gitignore` files above the vault
down to nested ones; the deepest layer that speaks decides, as in git.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from pathspec import GitIgnoreSpec

IGNORE_FILE = ".gitignore"
_CAP = 1_000_000  # bytes of one rule file


@dataclass(frozen=True, slots=True)
class Layer:
    """The rules of one file; they speak about paths below `prefix` (ends with "/" or is "")."""

    prefix: str
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Ignore:
    """Layers in rising precedence. Paths are relative to `top`, folders end with "/"."""

    top: Path
    layers: tuple[Layer, ...] = ()

    def ignores(self, path: str) -> bool:
        """Whether the deepest rule about `path` leaves it out."""
        for layer in reversed(self.layers):
            if path.startswith(layer.prefix) and len(path) > len(layer.prefix):
                said = layer.spec.check_file(path[len(layer.prefix) :]).include
                if said is not None:
                    return said
        return False

    def inside(self, folder: str) -> Ignore:
        """These rules and those of `folder`'s own `.gitignore`, if it has one."""
        spec = _rules(self.top / folder / IGNORE_FILE)
        return Ignore(self.top, (*self.layers, Layer(folder, spec))) if spec else self


def around(root: Path) -> tuple[Ignore, str]:
    """The rules in force at a vault's root and the root's path below their top.

    A vault that the repository around it ignores is the user's wish all the same: the
    rules above it then do not count. The root's own `.gitignore` is not read here.
    """
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    exclude = _rules(_git_folder(top / ".git") / "info" / "exclude")
    rules = Ignore(top, (Layer("", exclude),) if exclude else ())
    path = ""
    for name in root.relative_to(top).parts:
        rules = rules.inside(path)
        path += f"{name}/"
        if rules.ignores(path):
            return Ignore(root), ""
    return rules, path


def _git_folder(git: Path) -> Path:
    """The folder that all worktrees of a repository share."""
    if not git.is_file():
        return git
    try:
        told = git.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
        own = (git.parent / told).resolve()
        common = own / "commondir"
        return (own / common.read_text("utf-8").strip()).resolve() if common.exists() else own
    except (OSError, ValueError):
        return git


def _rules(file: Path) -> GitIgnoreSpec | None:
    try:
        if not stat.S_ISREG(os.lstat(file).st_mode):
            return None
        with file.open("rb") as stream:
            lines = stream.read(_CAP).decode("utf-8", "replace").splitlines()
    except (OSError, ValueError):
        return None
    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:  # git passes over a pattern that says nothing
        return GitIgnoreSpec.from_lines(line for line in lines if _holds(line))


def _holds(line: str) -> bool:
    try:
        return bool(GitIgnoreSpec.from_lines([line]))
    except ValueError:
        return False
