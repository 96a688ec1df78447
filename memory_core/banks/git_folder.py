"""A repository's files as git lays them out: which folder, which origin, which branch.

Read directly: no process is started, so nothing can hang and an owner mismatch that
makes git refuse does not matter.
"""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

ID_FILE = "wellkept-id"
_REMOTE = re.compile(r'^\[\s*remote\s+"origin"\s*\]', re.IGNORECASE)
_URL = re.compile(r"^url\s*=\s*(.*)$", re.IGNORECASE)
_BRANCH = re.compile(r"^ref: refs/heads/(?!\.invalid$)(.+)$")


@dataclass(frozen=True, slots=True)
class GitFolder:
    """`own` belongs to one worktree; `common` is shared by all of a repository's."""

    own: Path
    common: Path

    @property
    def name(self) -> str:
        """What the repository's folder is called."""
        return self._top.name.removesuffix(".git")

    @property
    def branch(self) -> str:
        """The branch that is checked out; empty when detached."""
        found = _BRANCH.match(_read(self.own / "HEAD"))
        return found[1] if found else ""

    @property
    def origin(self) -> str:
        """The first `url` of the remote `origin`; empty without one."""
        inside = False
        for line in map(str.strip, _read(self.common / "config").splitlines()):
            if line.startswith("["):
                inside = bool(_REMOTE.match(line))
                line = line.partition("]")[2].strip()
            if inside and (found := _URL.match(line)):
                return _config_value(found[1])
        return ""

    def local_origin(self) -> GitFolder | None:
        """The repository on this machine that `origin` is a path to."""
        origin = self.origin
        path = Path(unquote(urlsplit(origin).path) if "://" in origin else origin).expanduser()
        source = Path(os.path.realpath(self._top / path))
        for place in (source / ".git", source, source.with_name(f"{source.name}.git")):
            if _is_git_folder(place) and (found := _opened(place)).common != self.common:
                return found
        return None

    def kept_id(self, label: str) -> str:
        """The repository's random id, made once as `<label>-<16 hex>`.

        Empty where it cannot be written.
        """
        file = self.common / ID_FILE
        if kept := _read(file):
            return kept
        fresh = file.with_name(f"{ID_FILE}.{secrets.token_hex(4)}")
        try:
            fresh.write_text(f"{label}-{secrets.token_hex(8)}\n", "utf-8")
            _link(fresh, file)
        except OSError:
            pass
        return _read(file)

    @property
    def _top(self) -> Path:
        return self.common.parent if self.common.name == ".git" else self.common


def git_folder(folder: Path) -> GitFolder | None:
    """The repository around a folder; None outside git."""
    for place in (folder, *folder.parents):
        found = place / ".git"
        if _is_git_folder(place):
            return _opened(place)
        if _is_git_folder(found):
            return _opened(found)
        if (target := _pointed(found)) is not None:
            return _opened(target)
    return None


def _opened(own: Path) -> GitFolder:
    shared = _read(own / "commondir")
    return GitFolder(own, Path(os.path.realpath(own / shared)) if shared else own)


def _is_git_folder(folder: Path) -> bool:
    try:
        return (folder / "HEAD").is_file() and (
            (folder / "commondir").is_file()
            or ((folder / "objects").is_dir() and (folder / "refs").is_dir())
        )
    except OSError:
        return False


def _pointed(file: Path) -> Path | None:
    """Where a `.git` file of a worktree or a submodule points."""
    text = _read(file)
    if not text.startswith("gitdir:"):
        return None
    target = Path(os.path.realpath(file.parent / text.removeprefix("gitdir:").strip()))
    return target if target.is_dir() else None


def _config_value(text: str) -> str:
    if text.startswith('"'):
        return text[1:].partition('"')[0]
    return re.split(r"\s[#;]", text, maxsplit=1)[0].strip()


def _link(fresh: Path, file: Path) -> None:
    """Give the finished file its name, unless another process was first."""
    try:
        os.link(fresh, file)
    except FileExistsError:
        pass
    finally:
        fresh.unlink()


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8").strip()
    except (OSError, ValueError):
        return ""
