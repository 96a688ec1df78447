"""Every change to a vault makes a scan due."""

from __future__ import annotations

import queue
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.vault.vault import Vault
from memory_core.vault.watch import watch


class Watched:
    """A vault watched in a thread, as the server does; `files` follows the scans."""

    def __init__(self, root: Path, polling: bool) -> None:
        self.vault, self.stop = Vault(root), threading.Event()
        self.batches: queue.Queue[frozenset[str]] = queue.Queue()
        self.thread = threading.Thread(target=self._run, args=(polling,), daemon=True)
        self.thread.start()
        self.batches.get(timeout=10)  # the watch stands

    def _run(self, polling: bool) -> None:
        for batch in watch(self.vault, self.stop, polling=polling):
            self.batches.put(batch)

    def until(self, holds: Callable[[set[str]], bool]) -> None:
        """Scan at every batch until `holds` is true of the notes' files."""
        while True:
            self.batches.get(timeout=10)
            try:
                files = {note.file for note in self.vault.scan().notes}
            except Exception:
                continue
            if holds(files):
                return

    def close(self) -> None:
        self.stop.set()
        self.thread.join(timeout=10)
        assert not self.thread.is_alive()


@pytest.fixture(params=[False, True], ids=["events", "polling"])
def watched(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Watched]:
    root = tmp_path / "vault"
    (root / "sub").mkdir(parents=True)
    (root / "a.md").write_text("- a")
    (root / "sub" / "b.md").write_text("- b")
    watched = Watched(root, request.param)
    yield watched
    watched.close()


def test_edits_renames_deletions_and_folders_are_noticed(watched: Watched) -> None:
    root = watched.vault.root
    (root / "c.md").write_text("- c")
    watched.until(lambda files: "c.md" in files)
    (root / "c.md").rename(root / "d.md")
    watched.until(lambda files: "d.md" in files and "c.md" not in files)
    (root / "d.md").unlink()
    watched.until(lambda files: "d.md" not in files)
    (root / "sub").rename(root / "moved")
    watched.until(lambda files: files == {"a.md", "moved/b.md"})
    (root / "new" / "deep").mkdir(parents=True)
    (root / "new" / "deep" / "e.md").write_text("- e")
    watched.until(lambda files: "new/deep/e.md" in files)
    shutil.rmtree(root / "new")
    watched.until(lambda files: files == {"a.md", "moved/b.md"})
    (root / ".gitignore").write_text("moved/\n")
    watched.until(lambda files: files == {"a.md"})


def test_a_vault_moved_away_and_back_is_watched_again(watched: Watched) -> None:
    root = watched.vault.root
    root.rename(root.with_name("away"))
    (root.with_name("away") / "f.md").write_text("- f")
    root.with_name("away").rename(root)
    watched.until(lambda files: "f.md" in files)
    shutil.rmtree(root)
    root.mkdir()
    (root / "g.md").write_text("- g")
    watched.until(lambda files: files == {"g.md"})


def test_a_checkout_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    git = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run(["git", "init", "-q", root], check=True)
    for commit in ("one", "two"):
        (root / f"{commit}.md").write_text(f"- {commit}")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-q", "-m", commit], check=True)
    watched = Watched(root, polling=False)
    subprocess.run([*git, "checkout", "-q", "HEAD~1"], check=True)
    watched.until(lambda files: files == {"one.md"})
    watched.close()


def test_without_file_events_the_vault_is_polled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import watchfiles

    events = watchfiles.watch

    def limited(*paths: Path, **options: object) -> object:
        if not options["force_polling"]:
            raise OSError(28, "OS file watch limit reached")
        return events(*paths, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(watchfiles, "watch", limited)
    watched = Watched(tmp_path, polling=False)
    (tmp_path / "a.md").write_text("- a")
    watched.until(lambda files: "a.md" in files)
    watched.close()


def test_what_a_scan_cannot_see_makes_none_due(tmp_path: Path) -> None:
    watched = Watched(tmp_path, polling=False)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "a.md").write_text("- a")
    (tmp_path / "log.txt").write_text("x")
    (tmp_path / "b.md").write_text("- b")
    assert watched.batches.get(timeout=10) == {"b.md"}
    watched.close()
