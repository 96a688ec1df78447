"""Git's plumbing around a vault, without a shell, without hooks, without the user's index.

Every call raises `VaultError` with git's own words where git refuses.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memory_core.errors import VaultError

SECONDS = 30
NOBODY = ("Wellkept", "wellkept@localhost")  # who commits where no name is configured
_BUSY = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase",
    "sequencer": "a sequence of picks",
    "BISECT_LOG": "a bisection",
}
_LOCAL = (
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_CONFIG",
    "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_QUARANTINE_PATH", "GIT_SHALLOW_FILE",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """What git holds of a path: its mode and the content's object name."""

    mode: str
    blob: str


@dataclass(frozen=True, slots=True)
class Repository:
    """`top` is the work tree's folder, `folder` this work tree's own git folder."""

    top: Path
    folder: Path

    @property
    def busy(self) -> str:
        """What is going on in the work tree that a commit would disturb; "" = nothing."""
        return next((what for name, what in _BUSY.items() if (self.folder / name).exists()), "")

    def head(self) -> str:
        """The commit that is checked out; "" before the first one."""
        return self._run("rev-parse", "--verify", "--quiet", "HEAD", fails=True).strip()

    def in_head(self, path: str) -> Entry | None:
        """The committed file."""
        told = self._run("ls-tree", "-z", "HEAD", "--", path, fails=True).split("\0")[0]
        fields = told.split("\t")[0].split()
        return Entry(fields[0], fields[2]) if len(fields) == 3 and fields[1] == "blob" else None

    def in_index(self, path: str) -> list[Entry]:
        """The staged file; several entries during a conflict."""
        told = self._run("ls-files", "-s", "-z", "--", path)
        fields = (line.split("\t")[0].split() for line in told.split("\0") if line)
        return [Entry(mode, blob) for mode, blob, _ in fields]

    def ignored(self, path: str) -> bool:
        """Whether git leaves the path out, unless it is tracked."""
        plain = {"GIT_LITERAL_PATHSPECS": "0"}  # which this command does not know
        return bool(self._run("check-ignore", "--", f"./{path}", extra=plain, fails=True))

    def tracks(self, folder: Path) -> bool:
        """Whether a folder is the repository itself, or something in it is under git."""
        return folder == self.top or bool(self._run("ls-files", "-z", "--", str(folder)))

    def store(self, path: str, data: bytes) -> str:
        """Write a content, filtered as a file of that path is, and return its object name."""
        return self._run("hash-object", "-w", f"--path={path}", "--stdin", given=data).strip()

    def store_plain(self, data: bytes) -> str:
        """Write a content as it is and return its object name."""
        return self._run("hash-object", "-w", "--no-filters", "--stdin", given=data).strip()

    def content(self, blob: str) -> bytes:
        """The content of an object."""
        return self._bytes("cat-file", "blob", blob)

    def stage(self, entries: Mapping[str, Entry | None], index: Path | None = None) -> None:
        """Put entries into an index, None takes one out; other entries stay as they are."""
        lines = [
            f"{entry.mode} {entry.blob}\t{path}" if entry else f"0 {'0' * 40}\t{path}"
            for path, entry in entries.items()
        ]
        told = "".join(f"{line}\0" for line in lines).encode("utf-8", "surrogateescape")
        self._run("update-index", "-z", "--index-info", given=told, index=index)

    def tree(self, entries: Mapping[str, Entry | None], parent: str, index: Path) -> str:
        """The tree of a commit with the entries changed, built in an index of its own."""
        self._run("read-tree", *((parent,) if parent else ("--empty",)), index=index)
        self.stage(entries, index)
        return self._run("write-tree", index=index).strip()

    def tree_of(self, commit: str) -> str:
        """The tree of a commit."""
        return self._run("rev-parse", f"{commit}^{{tree}}").strip()

    def commit(self, tree: str, parent: str, message: str) -> str:
        """Make a commit on the parent and move HEAD from there to it."""
        onto = ("-p", parent) if parent else ()
        made = self._run(
            "-c", "i18n.commitEncoding=UTF-8", "commit-tree", tree, *onto, "-F", "-",
            given=message.encode("utf-8", "replace"), extra=self._identity(),
        ).strip()  # fmt: skip
        note = f"wellkept: {message.splitlines()[0]}"
        self._run("update-ref", "-m", note, "HEAD", made, parent or "0" * 40)
        return made

    def found(self, words: str, since: str) -> str:
        """The commit of any branch whose message holds the words; "" = none."""
        return self._run(
            "log", "--all", *(("HEAD",) if self.head() else ()), "-1", "--format=%H",
            f"--since={since}", "--fixed-strings", f"--grep={words}",
        ).strip()  # fmt: skip

    def _identity(self) -> dict[str, str]:
        """Our name where the user has configured none."""
        given: dict[str, str] = {}
        for part, ours in zip(("name", "email"), NOBODY, strict=True):
            known = self._run("config", f"user.{part}", fails=True).strip()
            for role in ("author", "committer"):
                variable = f"GIT_{role}_{part}".upper()
                mine = self._run("config", f"{role}.{part}", fails=True).strip()
                if not (known or mine or os.environ.get(variable)):
                    given[variable] = ours
        return given

    def _run(
        self,
        *arguments: str,
        given: bytes = b"",
        index: Path | None = None,
        extra: Mapping[str, str] | None = None,
        fails: bool = False,
    ) -> str:
        told = self._bytes(*arguments, given=given, index=index, extra=extra, fails=fails)
        return told.decode("utf-8", "surrogateescape")

    def _bytes(
        self,
        *arguments: str,
        given: bytes = b"",
        index: Path | None = None,
        extra: Mapping[str, str] | None = None,
        fails: bool = False,
    ) -> bytes:
        environment = dict(extra or {})
        if index is not None:
            environment["GIT_INDEX_FILE"] = str(index)
        return _git(self.top, arguments, given, environment, fails)


def repository(root: Path) -> Repository | None:
    """The repository around a vault; None where there is none.

    Raises `VaultError` where there is one that git cannot or will not open.
    """
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return None
    told = _git(root, ("rev-parse", "--show-toplevel", "--absolute-git-dir"), b"", {}, False)
    top, folder = told.decode("utf-8", "surrogateescape").splitlines()[:2]
    return Repository(Path(top).resolve(), Path(folder))


def _git(
    folder: Path, arguments: Sequence[str], given: bytes, extra: Mapping[str, str], fails: bool
) -> bytes:
    environment = {name: value for name, value in os.environ.items() if name not in _LOCAL}
    environment |= {"GIT_LITERAL_PATHSPECS": "1", "LC_ALL": "C", **extra}
    command = ["git", "-C", str(folder), *arguments]
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=SECONDS, check=False,
            env=environment,
        )  # fmt: skip
    except FileNotFoundError:
        raise VaultError("git is not installed", remedy="install git") from None
    except subprocess.TimeoutExpired:
        raise VaultError(f"git {arguments[0]} took more than {SECONDS} s") from None
    if done.returncode and not fails:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise VaultError(f"git: {said[0] if said else f'{arguments[0]} failed'}")
    return done.stdout if not done.returncode else b""
