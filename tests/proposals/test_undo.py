"""Undo of notes: to the byte where nothing happened since, our lines alone otherwise."""

from __future__ import annotations

import contextlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.banks.writer import By
from memory_core.cli import main
from memory_core.errors import BadInput, Conflict, NotFound
from memory_core.proposals import queue
from memory_core.proposals.desk import Desk
from memory_core.proposals.undo import Undone, _reversed, undo
from memory_core.store.tables import LedgerRow
from tests.proposals.conftest import NOTE, Git, Place, add, drop, move, revise

BY = By("user", "changed my mind")


def undone(place: Place, number: int) -> Undone:
    return undo(place.database, place.root, place.settings, number, BY)


def newest(place: Place) -> int:
    return place.entries()[0].id or 0


@pytest.mark.parametrize(
    "data",
    [
        b"# A\n\n- one\n- two\n",
        b"\xef\xbb\xbf---\r\nkey: a\r\nupdated: '2024-1-2' # x\r\n---\r\n- one\r\n- two\r\n",
        b"- one\n- two",
        b"- one\n- two\xff\xfe\n\x0c\n",
        b"---\nkey: a\nupdated: 2024-01-02T03:04:05Z\n---\n* one\n* two\n\n\n",
    ],
)
@pytest.mark.parametrize("change", ["add", "revise", "drop"])
def test_an_undo_gives_back_every_byte(place: Place, data: bytes, change: str) -> None:
    path = place.write("odd.md", data)
    mark = "*" if b"* one" in data else "-"
    items = {
        "add": add("odd.md", "three"),
        "revise": revise("odd.md", f"{mark} one", f"{mark} eins"),
        "drop": drop("odd.md", f"{mark} one"),
    }
    assert place.accept(items[change]).applied == (1,)
    assert path.read_bytes() != data
    done = undone(place, newest(place))
    assert path.read_bytes() == data
    again = undone(place, done.number)
    assert path.read_bytes() != data
    undone(place, again.number)
    assert path.read_bytes() == data


@given(order=st.permutations([0, 1, 2]))
@settings(
    max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_changes_of_one_file_can_be_undone_in_any_order(place: Place, order: list[int]) -> None:
    text = NOTE + "- last\n- of\n- all\n"
    place.write("alpha.md", text)
    place.accept(
        revise("alpha.md", "- one", "- eins"), drop("alpha.md", "- last"), add("alpha.md", "new")
    )
    numbers = sorted(entry.id or 0 for entry in place.entries("alpha.md")[:3])
    for place_in_list in order:
        undone(place, numbers[place_in_list])
    body = place.read("alpha.md").partition("# Alpha")[2]
    assert body == text.partition("# Alpha")[2]


def test_a_new_note_goes_again_and_comes_back(place: Place) -> None:
    place.accept(add("deep/beta.md", "# B\n\n- b"))
    text = place.read("deep/beta.md")
    done = undone(place, newest(place))
    assert (done.action, done.files) == ("drop", ("deep/beta.md",))
    assert not (place.root / "deep/beta.md").exists()
    undone(place, done.number)
    assert place.read("deep/beta.md") == text


def test_a_move_is_undone_in_both_files(place: Place) -> None:
    place.write("MEMORY.md", "- keep\n- a story\n")
    place.accept(move("MEMORY.md", "- a story", "alpha.md", kind="always-loaded"))
    done = undone(place, newest(place))
    assert place.read("MEMORY.md") == "- keep\n- a story\n"
    assert place.read("alpha.md") == NOTE
    assert done.files == ("MEMORY.md", "alpha.md")


def test_what_somebody_wrote_since_stays(place: Place) -> None:
    place.accept(add("alpha.md", "three"))
    place.write("alpha.md", place.read("alpha.md").replace("# Alpha", "# Alpha!") + "- mine\n")
    undone(place, newest(place))
    assert place.read("alpha.md").endswith("# Alpha!\n\n- one\n- two\n- mine\n")


@pytest.mark.parametrize("other", ["- three, but mine", None])
def test_the_same_lines_changed_since_are_a_conflict_that_shows_the_file(
    place: Place, other: str | None
) -> None:
    place.accept(add("alpha.md", "three"))
    if other:
        place.write("alpha.md", place.read("alpha.md").replace("- three", other))
    else:
        (place.root / "alpha.md").unlink()
    before = place.read("alpha.md") if other else ""
    with pytest.raises(Conflict) as refused:
        undone(place, newest(place))
    assert refused.value.current == before
    assert len(place.entries()) == 1


def test_nothing_is_undone_twice(place: Place) -> None:
    place.accept(add("alpha.md", "three"), drop("alpha.md", "- one"))
    first = place.entries()[1].id or 0
    undone(place, first)
    with pytest.raises(Conflict, match="nothing of entry"):
        undone(place, first)


def test_an_entry_that_is_no_change_of_a_note_is_refused(place: Place) -> None:
    place.accept(add("user:ada:tea", "likes tea", detail={"description": "tea"}))
    with pytest.raises(BadInput, match="about a memory"):
        undone(place, newest(place))
    with pytest.raises(NotFound):
        undone(place, 99)


def test_a_change_that_never_reached_the_vault_cannot_be_undone(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    place.decide(proposal.id)

    def dead(*_: Any) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("memory_core.proposals.owing.finish", dead)
        with pytest.raises(KeyboardInterrupt):
            place.apply(proposal.id)
    place.write("alpha.md", "- mine\n")
    with pytest.raises(BadInput, match="never reached"):
        undone(place, newest(place))


def test_an_undo_is_a_commit_and_moves_other_proposals_along(place: Place, git: Git) -> None:
    place.accept(add("alpha.md", "three"))
    waiting = place.offer(add("alpha.md", "four"))
    done = undone(place, newest(place))
    assert done.commit == git("rev-parse", "HEAD")
    assert f"Undo-Id: {done.number}-" in git("log", "-1", "--format=%B")
    assert git("status", "--porcelain") == ""
    assert queue.refresh(place.database, place.root, place.settings) == 0
    assert place.get(waiting.id).items[0].state == "open"


def command(monkeypatch: pytest.MonkeyPatch, capsys: Any, *arguments: str) -> str:
    monkeypatch.setattr(sys, "argv", ["wellkept", *arguments])
    try:
        main()
    except SystemExit as done:
        assert not done.code, capsys.readouterr().err
    return str(capsys.readouterr().out)


def test_history_and_undo_on_the_command_line(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: Any, tmp_path: Path
) -> None:
    monkeypatch.setenv("WELLKEPT_VAULT", str(place.root))
    monkeypatch.chdir(tmp_path)
    place.accept(
        revise("alpha.md", "- two", "- zwei"),
        add("user:ada:tea", "likes tea", detail={"description": "about tea"}),
    )
    told = command(monkeypatch, capsys, "history")
    assert "revise alpha.md  (user: proposal 1 (wrap) via terminal: - zwei)" in told
    assert "    - - two\n    + - zwei\n" in told
    assert "    after: about tea\n" in told
    number = place.entries("alpha.md")[0].id
    answer = json.loads(command(monkeypatch, capsys, "undo", str(number), "--json"))
    assert answer["files"] == ["alpha.md"] and answer["undoes"] == number
    assert place.read("alpha.md") == NOTE
    assert "2 items (1 undone, 1 applied)" in command(
        monkeypatch, capsys, "review", "list", "--all"
    )
    entries = json.loads(command(monkeypatch, capsys, "history", "alpha.md", "--json"))["entries"]
    assert [entry["undoes"] for entry in entries] == [number, None]
    memory = place.entries("user:ada:tea")[0].id
    told = command(monkeypatch, capsys, "undo", str(memory))
    assert told.startswith(f"took back entry {memory} of proposal 1, ")
    assert "user:ada:tea: 1 memory is gone\n" in told
    told = command(monkeypatch, capsys, "undo", str(entries[0]["id"]))
    assert "revise alpha.md: 2 lines back, 2 lines gone\n" in told


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    newline=st.sampled_from(["\n", "\r\n"]),
    count=st.integers(3, 7),
    actions=st.lists(st.sampled_from(["add", "revise", "drop"]), min_size=1, max_size=4),
    end=st.booleans(),
    draw=st.data(),
)
def test_whatever_was_composed_can_be_taken_back_in_any_order_or_is_a_conflict(
    place: Place, newline: str, count: int, actions: list[str], end: bool, draw: st.DataObject
) -> None:
    lines = ["---", "updated: 2024-01-01", "---", "\udcff", *(f"- point {n}" for n in range(count))]
    text = newline.join(lines) + (newline if end else "")
    place.write("odd.md", text.encode("utf-8", "surrogateescape"))
    desk = Desk(place.root, place.settings)
    entries = []
    for at, action in enumerate(actions):
        item = {
            "add": add("odd.md", f"new {at}"),
            "revise": revise("odd.md", f"- point {at % count}", f"- other {at}"),
            "drop": drop("odd.md", f"- point {at % count}"),
        }[action]
        with contextlib.suppress(Conflict):
            entries.append(desk.lay(item))
    taken_back = 0
    order = draw.draw(st.permutations(entries))
    for edits in order:
        place.write("odd.md", desk.current("odd.md").data or b"")
        desk = Desk(place.root, place.settings)
        entry = LedgerRow(id=1, kind="note", target="odd.md", action="x", actor="", reason="")
        with contextlib.suppress(Conflict):
            edit = _reversed(desk, entry, edits[0])
            desk.texts["odd.md"] = edit.after
            taken_back += 1
    left = desk.current("odd.md").text
    assert left.count("\r\n") == (left.count("\n") if newline == "\r\n" else 0)
    assert left.startswith(newline.join(["---", "updated: "]))
    if taken_back == len(entries):
        was, now = (each.partition("\udcff")[2] for each in (text, left))
        assert sorted(now.splitlines()) == sorted(was.splitlines())
        assert now == was or list(order) != entries[::-1]  # neighbours may come back swapped
