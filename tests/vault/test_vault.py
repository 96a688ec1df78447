"""A vault is scanned whole, whatever lies in it, and every oddity is named."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.errors import BadInput, NotFound, VaultError
from memory_core.vault.vault import READ_CAP, Scan, Vault

DEMO = Path(__file__).parents[2] / "demo" / "vault"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def _write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        (root / f"{name}.md").write_text(text, "utf-8")


def _files(scan: Scan) -> list[str]:
    return [note.file for note in scan.notes]


def _said(scan: Scan, file: str) -> str:
    return "; ".join(problem.message for problem in scan.problems if problem.file == file)


def test_the_demo_vault_has_120_notes_and_no_problem() -> None:
    scan = Vault(DEMO).scan()
    assert len(scan.notes) == 120
    assert scan.problems == ()
    assert "MEMORY.md" not in _files(scan)


def test_only_visible_markdown_files_are_notes(root: Path) -> None:
    _write(root, a="- a", MEMORY="- m")
    for name in ("b.txt", ".c.md", "d.md~", "E.MD"):
        (root / name).write_text("- x")
    (root / ".obsidian").mkdir()
    (root / ".obsidian" / "f.md").write_text("- x")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "deep" / "er" / "g.md").write_text("- x")
    assert _files(Vault(root).scan()) == ["E.MD", "a.md", "deep/er/g.md"]
    assert _files(Vault(root, always_loaded="a.md").scan()) == ["E.MD", "MEMORY.md", "deep/er/g.md"]


def test_git_ignored_files_are_left_out_as_git_does(root: Path) -> None:
    subprocess.run(["git", "init", "-q", root], check=True)
    vault = root / "docs" / "notes"
    (vault / "drafts").mkdir(parents=True)
    (vault / "old").mkdir()
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("secret.md\n")
    (root / ".gitignore").write_text("*.draft.md\n/docs/notes/old/\n/top.md\n")
    (vault / ".gitignore").write_text("drafts/*\n!drafts/kept.md\n\\\n")
    (vault / "drafts" / ".gitignore").write_text("kept2.md\n")
    for name in ("a", "x.draft", "secret", "top", "drafts/b", "drafts/kept", "old/c"):
        (vault / f"{name}.md").write_text("- x")
    seen = _files(Vault(vault).scan())
    assert seen == ["a.md", "drafts/kept.md", "top.md"]
    listed = subprocess.run(
        ["git", "-C", vault, "ls-files", "--others", "--exclude-standard", "*.md"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert seen == sorted(listed)


def test_a_worktree_shares_the_exclude_file_of_its_repository(root: Path) -> None:
    git = ["git", "-C", str(root), "-c", "user.name=n", "-c", "user.email=e@x"]
    subprocess.run(["git", "init", "-q", root], check=True)
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Begin"], check=True)
    subprocess.run([*git, "worktree", "add", "-q", str(root / "tree")], check=True)
    (root / ".git" / "info").mkdir(exist_ok=True)
    (root / ".git" / "info" / "exclude").write_text("hidden.md\n")
    _write(root / "tree", hidden="- x", shown="- x")
    assert _files(Vault(root / "tree").scan()) == ["shown.md"]


def test_a_vault_that_its_repository_ignores_is_read_all_the_same(root: Path) -> None:
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / ".gitignore").write_text("/notes/\n")
    (root / "notes").mkdir()
    _write(root / "notes", a="- a")
    assert _files(Vault(root / "notes").scan()) == ["a.md"]


def test_broken_utf8_is_read_and_named(root: Path) -> None:
    (root / "latin.md").write_bytes("- Blåbærsyltetøy koster 40 kr.".encode("latin-1"))
    scan = Vault(root).scan()
    assert scan.notes[0].points[0].text.startswith("- Bl\ufffdb")
    assert "not valid UTF-8" in _said(scan, "latin.md")


def test_a_file_of_ten_megabytes_is_indexed_in_part_and_named(root: Path) -> None:
    (root / "big.md").write_text("- Første punkt æøå.\n" * 500_000, "utf-8")
    scan = Vault(root).scan()
    assert f"only the first {READ_CAP:,} are indexed" in _said(scan, "big.md")
    assert 1000 < len(scan.notes[0].points) < 20_000
    assert "UTF-8" not in _said(scan, "big.md")


def test_an_endless_line_is_read_and_named(root: Path) -> None:
    (root / "line.md").write_text("æ" * 3_000_000, "utf-8")
    scan = Vault(root).scan()
    assert "a line of 128,000 characters" in _said(scan, "line.md")
    assert "UTF-8" not in _said(scan, "line.md")


def test_links_are_named_and_never_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("- secret")
    (root / "sub").mkdir()
    _write(root, a="- a")
    (root / "sub" / "loop").symlink_to(root)
    (root / "self.md").symlink_to("self.md")
    (root / "gone.md").symlink_to("nowhere.md")
    (root / "out.md").symlink_to(tmp_path / "outside.md")
    (root / "twin.md").symlink_to("a.md")
    scan = Vault(root).scan()
    assert _files(scan) == ["a.md"]
    assert "above itself" in _said(scan, "sub/loop")
    assert "in a circle" in _said(scan, "self.md")
    assert "leads nowhere" in _said(scan, "gone.md")
    assert "leaves the vault" in _said(scan, "out.md")
    assert "leads to a.md" in _said(scan, "twin.md")


def test_two_files_with_one_key_are_both_read_and_named(root: Path) -> None:
    _write(root, a="---\nkey: same\n---\n- a", b="---\nkey: Same\n---\n- b")
    scan = Vault(root).scan()
    assert _files(scan) == ["a.md", "b.md"]
    assert _said(scan, "b.md") == "has the key 'Same' of a.md; both are read"


def test_names_that_differ_in_case_alone_are_named(root: Path) -> None:
    _write(root, Ports="- a", ports="- b")
    if len(list(root.iterdir())) < 2:
        pytest.skip("this file system does not tell case apart")
    assert "upper and lower case alone" in _said(Vault(root).scan(), "ports.md")


def test_odd_names_are_read_unless_they_cannot_be_printed(root: Path) -> None:
    for name in ("a b.md", "æøå.md", "契約.md", "👩‍💻.md", "x;rm -rf.md", "'\".md"):
        (root / name).write_text("- x", "utf-8")
    (root / "two\nlines.md").write_text("- x")
    (root / "ab\u202edm.md").write_text("- x")
    os.close(os.open(os.fsencode(root) + b"/\xff.md", os.O_CREAT | os.O_WRONLY))
    scan = Vault(root).scan()
    assert len(scan.notes) == 6
    assert [problem.file for problem in scan.problems] == [
        "\\udcff.md", "ab\\u202edm.md", "two\\nlines.md",
    ]  # fmt: skip
    assert all("rename it" in problem.message for problem in scan.problems)


def test_what_is_not_a_regular_file_is_named_and_not_opened(root: Path) -> None:
    os.mkfifo(root / "pipe.md")
    assert "not a regular file" in _said(Vault(root).scan(), "pipe.md")


def test_an_unreadable_file_or_folder_is_named(root: Path) -> None:
    _write(root, a="- a", b="- b")
    (root / "sub").mkdir()
    for path, mode in ((root / "b.md", 0), (root / "sub", 0)):
        path.chmod(mode)
    said: list[str] = []
    reader = os.fork() if os.geteuid() == 0 else -1
    if reader < 0:
        said = [problem.message for problem in Vault(root).scan().problems]
        assert len(said) == 2
        return
    if reader == 0:  # root reads everything, so a child looks as nobody
        try:
            for folder in (root, *root.parents):
                if folder.stat().st_uid == 0 and folder != Path("/"):
                    folder.chmod(folder.stat().st_mode | 0o055)
            os.seteuid(65534)
            scan = Vault(root).scan()
            ok = _files(scan) == ["a.md"] and "cannot be read" in _said(scan, "b.md")
            os._exit(0 if ok and "cannot be listed" in _said(scan, "sub/") else 1)
        except BaseException:
            os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(reader, 0)[1]) == 0


def test_a_missing_root_and_a_file_as_root_are_refused(root: Path) -> None:
    with pytest.raises(VaultError, match="does not exist"):
        Vault(root / "nowhere")
    _write(root, a="- a")
    with pytest.raises(VaultError, match="is a file"):
        Vault(root / "a.md")
    vault = Vault(root)
    (root / "a.md").unlink()
    root.rmdir()
    with pytest.raises(VaultError):
        vault.scan()


def test_a_second_scan_returns_the_very_same_notes_and_opens_nothing(root: Path) -> None:
    _write(root, a="- a", b="- b")
    for name in ("a.md", "b.md"):
        os.utime(root / name, (1, 1))
    vault = Vault(root)
    first = vault.scan()
    os.utime(root / "a.md", (2, 2))  # touched: hashed again, the same content
    second = vault.scan()
    assert all(one is two for one, two in zip(first.notes, second.notes, strict=True))
    assert first.hashes == second.hashes


def test_an_edit_that_keeps_size_and_time_is_seen(root: Path) -> None:
    _write(root, a="- one")
    vault = Vault(root)
    vault.scan()
    status = (root / "a.md").stat()
    _write(root, a="- two")
    os.utime(root / "a.md", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert vault.scan().notes[0].points[0].text == "- two"


def test_deleted_and_renamed_files_leave_no_trace(root: Path) -> None:
    _write(root, a="- a", b="- b")
    vault = Vault(root)
    vault.scan()
    (root / "a.md").unlink()
    (root / "b.md").rename(root / "c.md")
    assert _files(vault.scan()) == ["c.md"]


def test_read_gives_a_note_and_the_always_loaded_file(root: Path) -> None:
    _write(root, a="- a", MEMORY="- m")
    (root / "b.md").write_bytes(b"- \xff")
    vault = Vault(root)
    assert (vault.read("a.md"), vault.read("MEMORY.md"), vault.read("b.md")) == (
        "- a", "- m", "- \ufffd",
    )  # fmt: skip
    with pytest.raises(NotFound):
        vault.read("nowhere.md")


@pytest.mark.parametrize(
    "file",
    ["../outside.md", "/etc/hosts.md", "a/../../outside.md", ".hidden.md", ".wellkept/x.md",
     "a.txt", "", ".", "a\x00.md", "out.md", "held.md", "self.md", "x" * 5000 + ".md"],
)  # fmt: skip
def test_read_refuses_what_is_hidden_or_leaves_the_vault(
    root: Path, tmp_path: Path, file: str
) -> None:
    (tmp_path / "outside.md").write_text("secret")
    (root / ".wellkept").mkdir()
    (root / ".wellkept" / "x.md").write_text("held out")
    (root / "out.md").symlink_to(tmp_path / "outside.md")
    (root / "held.md").symlink_to(root / ".wellkept" / "x.md")
    (root / "self.md").symlink_to(root / "self.md")
    with pytest.raises(BadInput):
        Vault(root).read(file)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_no_content_makes_a_scan_fail(root: Path, data: bytes) -> None:
    (root / "a.md").write_bytes(data)
    assert _files(Vault(root).scan()) == ["a.md"]
