"""One git commit for each change, and nothing else of the repository moves."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory_core.proposals.apply import drain
from tests.proposals.conftest import NOTE, Git, Place, add, drop, git_in, revise


def drained(place: Place) -> list[str]:
    return [
        note for done in drain(place.database, place.root, place.settings) for note in done.notices
    ]


def test_an_applied_proposal_is_one_commit_with_its_items_and_trailer(
    place: Place, git: Git
) -> None:
    proposal = place.offer(add("alpha.md", "three"), add("beta.md", "# B\n\n- b"))
    place.decide(proposal.id)
    outcome = place.apply(proposal.id)
    assert outcome.commit == git("rev-parse", "HEAD")
    assert place.get(proposal.id).commit == outcome.commit
    subject, _, one, two, _, trailer = git("log", "-1", "--format=%B").splitlines()[:6]
    assert subject.startswith("Apply proposal 1: ")
    assert one == "1. add alpha.md: three"
    assert two.startswith("2. add beta.md: ")
    assert trailer.startswith("Proposal-Id: 1-")
    assert git("log", "-1", "--format=%(trailers:key=Proposal-Id,valueonly)").startswith("1-")
    assert git("log", "-1", "--format=%an <%ae>") == "Ada <ada@example.org>"
    assert git("status", "--porcelain") == ""


def test_what_the_user_staged_and_modified_elsewhere_stays(place: Place, git: Git) -> None:
    for name in ("one.md", "two.md"):
        place.write(name, "- as committed\n")
    git("add", "-A")
    git("commit", "-qm", "more")
    place.write("one.md", "- staged\n")
    git("add", "one.md")
    place.write("one.md", "- modified after staging\n")
    place.write("two.md", "- modified\n")
    place.write("three.md", "- untracked\n")
    before = git("status", "--porcelain"), git("diff"), git("diff", "--cached")
    place.accept(add("alpha.md", "three"))
    assert (git("status", "--porcelain"), git("diff"), git("diff", "--cached")) == before
    assert git("show", "--name-only", "--format=", "HEAD") == "alpha.md"


def test_changes_of_the_user_in_the_same_file_stay_uncommitted(place: Place, git: Git) -> None:
    place.write("alpha.md", NOTE.replace("# Alpha\n", "# Alpha, my title\n"))
    outcome = place.accept(add("alpha.md", "three"))
    assert outcome.notices == ()
    assert "+- three" in git("show", "HEAD") and "my title" not in git("show", "HEAD")
    assert "+# Alpha, my title" in git("diff") and "three" not in git("diff").replace(
        " - three", ""
    )
    assert git("status", "--porcelain") == " M alpha.md"


def test_what_the_user_staged_in_the_same_file_stays_staged(place: Place, git: Git) -> None:
    place.write("alpha.md", NOTE.replace("# Alpha\n", "# Alpha, my title\n"))
    git("add", "alpha.md")
    place.accept(add("alpha.md", "three"))
    assert git("status", "--porcelain") == "M  alpha.md"
    assert "+# Alpha, my title" in git("diff", "--cached")
    assert "-- three" not in git("diff", "--cached")


def test_a_file_whose_same_lines_the_user_changed_is_left_uncommitted_and_named(
    place: Place, git: Git
) -> None:
    place.write("alpha.md", NOTE.replace("- two", "- two, mine"))
    place.write("beta.md", "# B\n")
    git("add", "beta.md")
    git("commit", "-qm", "beta")
    outcome = place.accept(revise("alpha.md", "- two, mine", "- two, ours"), add("beta.md", "b"))
    assert outcome.files == ("alpha.md", "beta.md")
    assert "alpha.md is not committed" in outcome.notices[0]
    assert git("show", "--name-only", "--format=", "HEAD") == "beta.md"
    assert git("status", "--porcelain") == " M alpha.md"


def test_an_untracked_or_ignored_note_is_not_put_under_git(place: Place, git: Git) -> None:
    place.write(".gitignore", "private/\n")
    place.write("loose.md", "- l\n")
    head = git("rev-parse", "HEAD")
    outcome = place.accept(add("loose.md", "m"), add("private/p.md", "- p"))
    assert outcome.applied == (1, 2)
    assert outcome.commit == ""
    assert len(outcome.notices) == 2
    assert git("rev-parse", "HEAD") == head


@pytest.mark.parametrize("state", ["MERGE_HEAD", "rebase-merge", "CHERRY_PICK_HEAD"])
def test_during_a_merge_or_rebase_the_commit_waits(place: Place, git: Git, state: str) -> None:
    mark = place.root / ".git" / state
    mark.mkdir() if "rebase" in state else mark.write_text(git("rev-parse", "HEAD"))
    outcome = place.accept(add("alpha.md", "three"))
    assert outcome.applied == (1,)
    assert "in progress" in outcome.notices[0]
    assert place.get(1).state == "applied"
    assert "in progress" in drained(place)[0]
    assert git("log", "--format=%s") == "begin"
    mark.rmdir() if mark.is_dir() else mark.unlink()
    assert drained(place) == []
    assert git("log", "--format=%s", "-1").startswith("Apply proposal 1")
    assert place.get(1).commit == git("rev-parse", "HEAD")
    assert git("status", "--porcelain") == ""


def test_a_held_index_lock_lets_the_commit_wait(
    place: Place, git: Git, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.proposals.commits._PAUSE", 0.01)
    lock = place.root / ".git" / "index.lock"
    lock.touch()
    outcome = place.accept(add("alpha.md", "three"))
    assert "index.lock" in outcome.notices[-1]
    assert git("log", "--format=%s") == "begin"
    lock.unlink()
    assert drained(place) == []
    assert git("log", "-1", "--format=%s").startswith("Apply")


def test_a_commit_made_before_is_found_by_its_trailer_and_not_made_again(
    place: Place, git: Git
) -> None:
    place.accept(add("alpha.md", "three"))
    commit = git("rev-parse", "HEAD")
    with place.database.write() as session:
        from memory_core.store.tables import OutboxRow

        row = session.get_one(OutboxRow, "commit:proposal-1")
        row.done_at = None
        session.add(row)
    git("commit", "-q", "--allow-empty", "-m", "later")
    assert drained(place) == []
    assert place.get(1).commit == commit
    assert git("log", "--format=%s").splitlines()[0] == "later"


def test_a_commit_that_the_user_made_of_our_change_is_not_repeated(place: Place, git: Git) -> None:
    mark = place.root / ".git" / "MERGE_HEAD"
    mark.write_text(git("rev-parse", "HEAD"))
    place.accept(add("alpha.md", "three"))
    mark.unlink()
    git("commit", "-qam", "mine")
    assert drained(place) == []
    assert git("log", "--format=%s") == "mine\nbegin"


def test_a_vault_in_a_folder_of_a_repository(place: Place, tmp_path: Path) -> None:
    run = git_in(tmp_path)
    run("init", "-q")
    run("add", "vault")
    run("-c", "user.name=A", "-c", "user.email=a@x", "commit", "-qm", "begin")
    outcome = place.accept(add("alpha.md", "three"), add("sub folder/ø.md", "- ø"))
    assert outcome.commit == run("rev-parse", "HEAD")
    shown = run("-c", "core.quotePath=false", "show", "--name-only", "--format=", "HEAD")
    assert shown.splitlines() == ["vault/alpha.md", "vault/sub folder/ø.md"]
    assert run("log", "-1", "--format=%cn <%ce> %an") == "Wellkept <wellkept@localhost> Wellkept"


def test_a_vault_that_the_repository_around_it_does_not_track_stays_out_of_it(
    place: Place, tmp_path: Path
) -> None:
    run = git_in(tmp_path)
    run("init", "-q")
    outcome = place.accept(add("beta.md", "- b"))
    assert (outcome.commit, outcome.notices) == ("", ())
    assert run("ls-files") == ""


def test_the_first_commit_of_a_repository(place: Place) -> None:
    run = git_in(place.root)
    run("init", "-q")
    outcome = place.accept(add("beta.md", "- b"))
    assert outcome.commit == run("rev-parse", "HEAD")
    assert run("ls-files") == "beta.md"
    assert run("status", "--porcelain") == "?? alpha.md"


def test_a_vault_without_git_has_no_commit_and_no_notice(place: Place) -> None:
    outcome = place.accept(add("alpha.md", "three"))
    assert (outcome.applied, outcome.commit, outcome.notices) == ((1,), "", ())
    assert drained(place) == []


def test_without_git_on_the_machine_the_commit_waits(
    place: Place, git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = os.environ["PATH"]
    monkeypatch.setattr("memory_core.proposals.commits._PAUSE", 0.0)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not installed" in place.accept(add("alpha.md", "three")).notices[0]
    monkeypatch.setenv("PATH", path)
    assert drained(place) == []
    assert git("log", "-1", "--format=%s").startswith("Apply")


def test_git_variables_of_the_caller_lead_nowhere_else(
    place: Place, git: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    outcome = place.accept(add("alpha.md", "three"))
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_INDEX_FILE")
    assert outcome.commit == git("rev-parse", "HEAD")


def test_line_ends_that_git_converts_are_committed_as_git_keeps_them(
    place: Place, git: Git
) -> None:
    place.write(".gitattributes", "*.md text eol=crlf\n")
    place.write("crlf.md", "- one\r\n- two\r\n")
    git("add", "-A")
    git("commit", "-qm", "attributes")
    place.accept(add("crlf.md", "three"))
    assert place.read("crlf.md") == "- one\r\n- two\r\n- three\r\n"
    assert git("show", "HEAD:crlf.md") == "- one\n- two\n- three"
    assert git("status", "--porcelain") == ""


def test_hooks_of_the_repository_do_not_run(place: Place, git: Git) -> None:
    hook = place.root / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    assert place.accept(add("alpha.md", "three")).commit


def test_memories_alone_make_no_commit(place: Place, git: Git) -> None:
    tea = add("user:ada:tea", "likes tea", detail={"description": "tea"})
    assert place.accept(tea).commit == ""
    assert git("log", "--format=%s") == "begin"


def test_a_detached_head_and_other_branches_stay_where_they_are(place: Place, git: Git) -> None:
    main = git("rev-parse", "main")
    git("checkout", "-q", "--detach")
    outcome = place.accept(drop("alpha.md", "- one"))
    assert git("rev-parse", "HEAD") == outcome.commit
    assert git("rev-parse", "main") == main
