"""What optimize offers: each change through the one choke point, once, undone to the byte."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.banks.writer import By
from memory_core.errors import BadInput, Conflict
from memory_core.proposals import making, queue, records, render
from memory_core.proposals.desk import Desk
from memory_core.proposals.edited import edited
from memory_core.proposals.item import Item
from memory_core.proposals.undo import Undone, _reversed, undo
from memory_core.store.tables import LedgerRow
from memory_core.vault import front_matter
from memory_core.vault.note import parse
from memory_core.vault.question import WORKING_SET
from tests.proposals.conftest import NOTE, Git, Place, add, drop, revise

LONG = (
    "---\nkey: long\nupdated: 2024-01-31\nmine: kept # so\n---\n\n# Long\n\n- one\n"
    "- see [[gone]]\n\n## Backups\n\n- nightly  at 02:00\n  - kept 14 days\n- to [[gone]]"
).replace("\n", "\r\n")
BLOCK = "## Backups\n\n- nightly  at 02:00\n  - kept 14 days\n- to [[gone]]"
SET = "\n".join(
    json.dumps({"id": id, "query": f"{id}?", "note": "long.md", "answer_point": point, "kind": "x"})
    for id, point in (("w1", "one"), ("w2", "nightly at 02:00"), ("w3", "kept 14 days"))
)
OTHERS = [".wellkept/benchmark/heldout.jsonl", ".wellkept/benchmark/accept.json", ".wellkept/x.md"]


def undone(place: Place, number: int) -> Undone:
    return undo(place.database, place.root, place.settings, number, By("user", "no"))


def splitting(**more: Any) -> Item:
    values = {"title": "Backups", "description": "when: backups run", "tags": ["ops"], **more}
    return making.split("long.md", LONG, BLOCK, "ops/backups.md", questions=SET, **values)


def asking(query: str = "When do backups run?", **more: Any) -> Item:
    return making.add_question(query, "long.md", "nightly at 02:00", "direct", **more)


def written(place: Place) -> dict[str, bytes]:
    files = [path for path in place.root.rglob("*") if path.is_file() and ".git/" not in str(path)]
    return {path.relative_to(place.root).as_posix(): path.read_bytes() for path in files}


def test_questions_are_added_rewritten_and_retired_and_come_back_to_the_byte(
    place: Place, git: Git
) -> None:
    place.write("long.md", LONG)
    before = written(place)
    first, second = asking(), making.add_question("2+2?", None, None, "nonsense", value=-1)
    assert place.accept(first, second).applied == (1, 2)
    path = place.root / WORKING_SET
    assert path.read_text("utf-8") == f"{first.after}\n{second.after}\n"
    made = written(place)
    line = making.question_line(path.read_text("utf-8"), json.loads(first.after)["id"])
    outcome = place.accept(making.rekind_question(line, "paraphrase"))
    assert json.loads(path.read_text("utf-8").splitlines()[0])["kind"] == "paraphrase"
    assert max(map(len, git("log", "--format=%s").splitlines())) <= 72
    assert "1. revise the working set" in git("log", "-1", "--format=%b", outcome.commit)
    entry = place.entries()[0]
    assert (entry.kind, entry.target) == ("question", WORKING_SET)
    assert [line[:2] for line in records.changed_lines(entry)] == ["- ", "+ "]
    assert "(paraphrase): When do backups run? [long.md]" in records.changed_lines(entry)[1]
    back = undone(place, entry.id or 0)
    assert (back.back, back.gone, written(place)) == (1, 1, made)
    place.accept(making.retire_question(second.after))
    assert path.read_text("utf-8") == f"{first.after}\n"
    undone(place, place.entries()[0].id or 0)
    assert written(place) == made
    adds = [one.id or 0 for one in place.entries() if one.action == "add" and not one.undoes]
    again = undone(place, adds[-1]).number
    assert path.read_text("utf-8") == f"{second.after}\n"
    undone(place, again)
    for number in adds:
        undone(place, number)
    assert written(place) == before
    with place.database.read() as session:
        assert records.undone(session, adds) == set(adds)
        assert records.undone(session, [back.number]) == set()


def test_a_question_stands_on_its_line_and_its_note_whatever_else_the_set_holds(
    place: Place,
) -> None:
    place.write("long.md", LONG)
    place.write(WORKING_SET, SET)
    line = making.question_line(SET, "w1")
    taken, kept = asking(id="w9"), making.rekind_question(line, "y", value=-1)
    gone = making.add_question("Who?", "alpha.md", "two", "direct", value=-2)
    proposal = place.offer(taken, kept, gone)
    assert [item.state for item in proposal.items] == ["open"] * 3
    place.write(WORKING_SET, SET + "\n" + asking("Another?", id="w9").after + "\n")
    place.write("alpha.md", "- one\n")
    assert queue.refresh(place.database, place.root, place.settings) == 2
    reasons = [item.reason for item in place.get(proposal.id).items]
    assert "w9 is taken" in reasons[0] and not reasons[1] and "alpha.md" in reasons[2]
    place.decide(proposal.id)
    assert place.apply(proposal.id).applied == (2,)
    assert place.offer(asking("Another?", id="w9")).state == "empty"  # it is asked already


@pytest.mark.parametrize("file", OTHERS)
def test_nothing_else_of_wellkept_s_own_is_a_target_by_any_name(place: Place, file: str) -> None:
    path = place.write(file, SET + "\n")
    (place.root / "link.md").symlink_to(path)
    (place.root / "folder").symlink_to(path.parent)
    names = [file, f"./{file}", f"x/../{file}", file.upper(), file.replace("/", "//"), "link.md"]
    names += [f"folder/{path.name}", str(path)]
    line = SET.splitlines()[0]
    for name in names:
        items = [
            Item("drop", "question", name, "t", before=line),
            Item("add", "question", name, "t", after=asking().after),
            drop(name, line), add(name, "more"), revise(name, line, "x"),
            Item("move", "note", "alpha.md", "t", before="- one", detail={"to": name}),
        ]  # fmt: skip
        for item in items:
            with pytest.raises((BadInput, Conflict)):
                Desk(place.root, place.settings).lay(item)
            try:
                assert place.offer(item).state == "empty"
            except BadInput as refused:
                assert refused.message
    loaded = place.settings.model_copy(update={"always_loaded": "link.md"})
    with pytest.raises(BadInput, match="own"):
        Desk(place.root, loaded).lay(add("link.md", "more"))
    assert path.read_text("utf-8") == SET + "\n"
    assert place.read("alpha.md") == NOTE


def test_the_working_set_takes_questions_alone_and_only_as_itself(place: Place) -> None:
    other = place.write(".wellkept/benchmark/heldout.jsonl", SET + "\n")
    with pytest.raises(BadInput):
        place.offer(drop(WORKING_SET, SET.splitlines()[0]))
    with pytest.raises(BadInput):
        place.offer(Item("add", "question", WORKING_SET, "t", after='{"id": "a"}'))
    (place.root / WORKING_SET).symlink_to(other.name)
    proposal = place.offer(making.add_question("2+2?", None, None, "nonsense"))
    assert proposal.state == "empty" and "is a link" in proposal.items[0].reason
    assert other.read_text("utf-8") == SET + "\n"


def test_front_matter_is_set_and_comes_back_to_the_byte(place: Place) -> None:
    place.write("long.md", LONG)
    place.write("bare.md", b"\xef\xbb\xbf# Bare\r\n\r\n- caf\xe9\r\n")
    before = written(place)
    bare = (place.root / "bare.md").read_bytes().decode("utf-8", "surrogateescape")
    told = 'what: "x" # på 🙂'
    items = [
        making.describe("long.md", LONG, told, why="it has none"),
        making.tag("long.md", LONG, ["no", "ops"], value=-1),
        making.describe("bare.md", bare, told, value=-2),
        making.relink("long.md", LONG, "gone", "there", value=-3),
    ]
    assert place.accept(*items).applied == (1, 2, 3, 4)
    text = place.read("long.md")
    values = front_matter.read(text).values
    assert (values["description"], values["tags"]) == (told, ["no", "ops"])
    assert "updated: 2024-01-31\r\nmine: kept # so\r\n" in text
    assert text.partition("# Long")[2] == LONG.partition("# Long")[2].replace("[gone]", "[there]")
    data = (place.root / "bare.md").read_bytes()
    assert data.endswith(before["bare.md"][3:]) and data.startswith(b"\xef\xbb\xbf---\r\ndescr")
    for entry in place.entries():
        undone(place, entry.id or 0)
    assert written(place) == before


def test_a_note_is_split_by_whole_points_and_its_questions_follow(place: Place) -> None:
    place.write("long.md", LONG)
    place.write(WORKING_SET, SET)
    before = written(place)
    item = splitting()
    assert item.detail["follow"] == ["w2", "w3"]
    assert place.accept(item).files == (WORKING_SET, "long.md", "ops/backups.md")
    fresh, left = place.read("ops/backups.md"), place.read("long.md")
    note = parse(fresh, "ops/backups.md")
    assert note.description == "when: backups run" and note.tags == ("ops",)
    assert fresh.endswith("---\r\n\r\n" + LONG[LONG.index("## Backups") :] + "\r\n")
    assert "updated: 2024-01-31" in fresh and fresh.count("\n") == fresh.count("\r\n")
    assert left == LONG[: LONG.index("\r\n\r\n## Backups")] + "\r\n"
    notes = [json.loads(line)["note"] for line in place.read(WORKING_SET).splitlines()]
    assert notes == ["long.md", "ops/backups.md", "ops/backups.md"]
    assert len(place.entries()) == 1
    undone(place, place.entries()[0].id or 0)
    assert written(place) == before


@pytest.mark.parametrize("file", ["long.md", WORKING_SET, "ops/backups.md"])
def test_a_split_is_never_half_applied(
    place: Place, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.write("long.md", LONG)
    place.write(WORKING_SET, SET)
    proposal = place.offer(splitting())
    place.decide(proposal.id)

    def dead(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("memory_core.proposals.owing.finish", dead)
        with pytest.raises(KeyboardInterrupt):
            place.apply(proposal.id)
    place.write(file, "- somebody else's\n")
    there = written(place)
    assert place.apply(proposal.id).conflicted == (1,)
    there = {name: data for name, data in there.items() if not name.endswith(".tmp")}
    assert written(place) == there


def test_a_split_into_a_note_that_is_there_or_of_half_a_point_is_stale(place: Place) -> None:
    place.write("long.md", LONG)
    place.write("ops/Backups.md", "- mine\n")
    half = making.split("long.md", LONG, "  - kept 14 days\n- to [[gone]]", "half.md",
                        title="Half", description="half")  # fmt: skip
    proposal = place.offer(splitting(), half)
    assert [item.state for item in proposal.items] == ["stale", "stale"]
    assert "upper and lower case" in proposal.items[0].reason
    assert "no whole of points" in proposal.items[1].reason


def test_a_line_of_the_always_loaded_file_goes_or_moves_to_a_note(place: Place) -> None:
    place.write("MEMORY.md", "# Always\r\n\r\n- keep\r\n- twice\r\n- a  story\r\n")
    before = written(place)
    place.accept(
        making.drop_line("MEMORY.md", "- twice", effect="-8 characters"),
        making.move_line("MEMORY.md", "- a  story", "./alpha.md", value=-1),
    )
    assert place.read("MEMORY.md") == "# Always\r\n\r\n- keep\r\n"
    assert place.read("alpha.md").endswith("- two\n- a  story\n")
    for entry in place.entries():
        undone(place, entry.id or 0)
    assert written(place) == before


def test_one_file_has_one_name(place: Place) -> None:
    proposal = place.offer(add("./alpha.md", "three"), add("alpha.md", "three"))
    assert [item.target for item in proposal.items] == ["alpha.md"]
    place.decide(proposal.id)
    assert place.apply(proposal.id).files == ("alpha.md",)


def test_an_open_fence_is_closed_and_a_summary_counts_what_is_offered(place: Place) -> None:
    place.write("alpha.md", "# A\n\n- one\n\n## B\n\n- two\n")
    items = [add("alpha.md", "```sh\nmake", detail={"heading": "A"}), add("alpha.md", "two")]
    number = place.open()
    proposal = place.fill(number, items, summary=lambda count: f"{count} of {len(items)}")
    assert (proposal.summary, len(proposal.numbered)) == ("1 of 2", 1)
    place.decide(number)
    place.apply(number)
    assert place.read("alpha.md") == "# A\n\n- one\n```sh\nmake\n```\n\n## B\n\n- two\n"


def test_each_kind_is_shown_as_a_person_reads_it(place: Place) -> None:
    place.write("long.md", LONG)
    place.write(WORKING_SET, SET)
    line = making.question_line(SET, "w1")
    items = [making.rekind_question(line, "y"), splitting(value=-1, why="two topics"),
             making.relink("long.md", LONG, "gone", "there", value=-2)]  # fmt: skip
    proposal = place.offer(*items)
    one, two, three = proposal.items
    assert render.one_line(one).startswith("1. revise the working set: w1 is of the kind y")
    assert render.diff(one)[-2:] == ["- kind: x", "+ kind: y"]
    assert render.diff(two)[0] == "  to the new note ops/backups.md:"
    assert render.diff(three) == ["- - see [[gone]]", "+ - see [[there]]", "- - to [[gone]]",
                                  "+ - to [[there]]"]  # fmt: skip
    told = render.markdown(proposal)
    assert "## 1. revise the working set" in told and "Reason: two topics" in told
    fresh = edited(one, making.rekind_question(line, "z").after)
    assert json.loads(fresh)["kind"] == "z"
    for text in ("{", making.rekind_question(making.question_line(SET, "w2"), "z").after):
        with pytest.raises(BadInput):
            edited(one, text)
    with pytest.raises(BadInput, match="everywhere alike"):
        edited(three, "- see [[elsewhere]]")


def test_questions_that_differ_in_their_words_are_two_and_the_same_words_are_one(
    place: Place,
) -> None:
    place.write("long.md", LONG)
    place.write(WORKING_SET, SET)
    w1, w2 = (making.question_line(SET, id) for id in ("w1", "w2"))
    proposal = place.offer(
        asking("When do backups run at night?"), asking("Where are they kept?", value=-1),
        asking("At night, when do backups run?", value=-2),
        making.retire_question(w1, value=-3), making.retire_question(w2, value=-4),
    )  # fmt: skip
    assert [item.title[:9] for item in proposal.items] == [
        "ask “At n", "ask “Wher", "retire w1", "retire w2",
    ]  # fmt: skip


pieces = st.sampled_from(["- one", "- see [[gone]]", "text", "", "## H", "* æ", "\udcff", "```"])


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_whatever_was_laid_on_is_taken_back_to_the_byte(place: Place, data: st.DataObject) -> None:
    newline = data.draw(st.sampled_from(["\n", "\r\n"]))
    head = data.draw(st.sampled_from(["", "\ufeff", "---\nkey: a # c\nupdated: 2024-01-02\n---\n"]))
    body = [*data.draw(st.lists(pieces, max_size=6)), "- moved", *data.draw(st.lists(pieces))]
    end = data.draw(st.sampled_from(["", newline]))
    texts = {
        "odd.md": head.replace("\n", newline) + newline.join(body) + end,
        "MEMORY.md": data.draw(st.sampled_from(["- a\n- moved", "- moved\r\n"])),
        WORKING_SET: data.draw(st.sampled_from(["", "broken", SET, SET + "\r\n"])),
    }
    for file, text in texts.items():
        place.write(file, text.encode("utf-8", "surrogateescape"))
    (place.root / "new.md").unlink(missing_ok=True)
    before, odd = written(place), texts["odd.md"]
    makers = [
        lambda: making.describe("odd.md", odd, "what: it is"),
        lambda: making.tag("odd.md", odd, ["x"]),
        lambda: making.relink("odd.md", odd, "gone", "there"),
        lambda: making.split("odd.md", odd, "- moved", "new.md", title="New", description="new"),
        lambda: making.drop_line("MEMORY.md", "- moved"),
        lambda: making.move_line("MEMORY.md", "- moved", "odd.md"),
        lambda: making.add_question("ask?", None, None, "nonsense"),
        lambda: making.retire_question(making.question_line(texts[WORKING_SET], "w1")),
        lambda: making.rekind_question(making.question_line(texts[WORKING_SET], "w2"), "y"),
    ]
    desk = Desk(place.root, place.settings)
    entries = []
    for make in data.draw(st.permutations(makers)):
        try:
            entries.append(desk.lay(make()))
        except (BadInput, Conflict):
            continue
    for file, made in desk.texts.items():
        place.write(file, made.data or b"")
    assert written(place) != before
    row = LedgerRow(id=1, kind="note", target="odd.md", action="x", actor="", reason="")
    for edits in reversed(entries):
        for edit in edits:
            back = _reversed(Desk(place.root, place.settings), row, edit).after
            if back.data is None:
                (place.root / edit.file).unlink()
            else:
                (place.root / edit.file).write_bytes(back.data)
    assert written(place) == before
