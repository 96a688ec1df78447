"""What is wrong with the test is told; a question goes only where its answer is gone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memory_core.benchmark import questions
from memory_core.benchmark.score import Result
from memory_core.recall.answer import Candidate
from memory_core.routines.optimize import working_set
from memory_core.routines.optimize.audited import legs_of
from memory_core.routines.optimize.finding import Finding
from memory_core.vault.vault import Vault
from tests.routines.optimize.auditing import audited, laid, no_vectors, of, vault

SET = ".wellkept/benchmark/working.jsonl"


def given(folder: Path, *rows: dict[str, Any], **notes: str) -> Path:
    root = vault(folder, **(notes or {"kiln": "- The kiln is fired at 1240 degrees."}))
    file = root / SET
    file.parent.mkdir(parents=True)
    lines = [json.dumps({"id": f"w{at}", **row}) for at, row in enumerate(rows, 1)]
    file.write_text("\n".join(lines) + "\n")
    return root


def found(root: Path, **more: Any) -> list[Finding]:
    seen = audited(root, no_vectors, **more)
    scan = Vault(root).scan()
    texts = {note.file: Vault(root).read(note.file) for note in scan.notes}
    problems = tuple(questions.check(seen.questions, texts))
    return working_set.findings(audited(root, no_vectors, problems=problems, **more))


def result(id: str, *, kind: str = "direct", best: float | None = None, lost: str = "") -> Result:
    return Result(id, kind, kind != "nonsense", 1, best, best, True, 1, True, 10, 1.0, lost)


ASK = {"query": "how hot", "note": "kiln.md", "answer_point": "fired at 1240 degrees"}
GONE = {"query": "how cold", "note": "kiln.md", "answer_point": "fired at 900 degrees"}
NOTE_GONE = {"query": "which glaze", "note": "glaze.md", "answer_point": "celadon"}


def test_a_question_whose_note_or_point_is_gone_can_be_retired(tmp_path: Path) -> None:
    root = given(tmp_path / "v", ASK, GONE, NOTE_GONE)
    gone = of(found(root), "vanished")
    assert [one.where for one in gone] == ["w2", "w3"]
    text = laid(root, tmp_path / "copy", *(one.item for one in gone if one.item))[SET]
    assert [json.loads(line)["id"] for line in text.splitlines()] == ["w1"]


def test_a_point_that_stands_twice_is_told_and_its_question_stays(tmp_path: Path) -> None:
    root = given(
        tmp_path / "v", ASK, kiln="- It is fired at 1240 degrees.", raku="- fired at 1240 degrees"
    )
    (one,) = of(found(root), "ambiguous", "vanished")
    assert one.code == "ambiguous" and one.item is None


def test_nonsense_that_a_note_answers_now_becomes_a_question_of_it(tmp_path: Path) -> None:
    root = given(
        tmp_path / "v", {"query": "What temperature is the raku kiln fired at?"},
        kiln="- The raku kiln is fired at a temperature of 980 degrees.",
    )  # fmt: skip
    scored = {"w1": result("w1", kind="nonsense", best=2.0)}
    (one,) = of(found(root, results=scored, floor=1.0), "answered-nonsense", "loud-nonsense")
    assert one.item and one.also == ("kiln.md",)
    (line,) = laid(root, tmp_path / "copy", one.item)[SET].splitlines()
    row = json.loads(line)
    assert row["note"] == "kiln.md" and row["kind"] == "direct" and "980" in row["answer_point"]


def test_nonsense_that_is_merely_shown_something_is_the_best_question_and_stays(
    tmp_path: Path,
) -> None:
    root = given(tmp_path / "v", {"query": "Who won the chess final?"})
    scored = {"w1": result("w1", kind="nonsense", best=2.0)}
    (one,) = of(found(root, results=scored, floor=1.0), "answered-nonsense", "loud-nonsense")
    assert one.code == "loud-nonsense" and one.item is None
    quiet = found(root, results={"w1": result("w1", kind="nonsense", best=0.5)}, floor=1.0)
    assert not of(quiet, "answered-nonsense", "loud-nonsense")


def test_a_question_is_easy_when_its_note_is_first_in_both_legs(tmp_path: Path) -> None:
    question = questions.Question("w1", "q", "kiln.md", kind="direct")
    pool = [
        Candidate("raku.md", "p", 1, 9.0, 2, 0.5, 0.0, 0.0),
        Candidate("kiln.md", "p", 3, 4.0, None, 0.4, 0.0, 0.0),
        Candidate("kiln.md", "p", 2, 5.0, 1, 0.6, 0.0, 0.0),
    ]
    assert legs_of(question, pool) == (2, 1)
    root = given(tmp_path / "v", ASK, {**ASK, "query": "the heat of the oven"})
    (easy,) = of(found(root, legs={"w1": (1, 1), "w2": (None, 1)}), "easy")
    assert easy.numbers["easy"] == 1 and easy.numbers["of"] == 2 and easy.where == "w1"


def test_where_missed_questions_were_lost_is_counted(tmp_path: Path) -> None:
    root = given(tmp_path / "v", ASK)
    scored = {"a": result("a", lost="in no leg"), "b": result("b", lost="under the floor"),
              "c": result("c", lost="in no leg")}  # fmt: skip
    (one,) = of(found(root, results=scored), "missed")
    assert one.said == "3 questions were missed: 2 in no leg, 1 under the floor"


def test_kinds_out_of_balance_are_told_where_there_are_enough_questions(tmp_path: Path) -> None:
    many = [{**ASK, "query": f"question {at}", "kind": "direct"} for at in range(24)]
    codes = {one.code for one in found(given(tmp_path / "v", *many))}
    assert {"one-sided", "little-nonsense"} <= codes
    few = {one.code for one in found(given(tmp_path / "w", *many[:10]))}
    assert not {"one-sided", "little-nonsense"} & few


def test_notes_without_a_question_are_named_those_shown_most_first(tmp_path: Path) -> None:
    root = given(tmp_path / "v", ASK, kiln="- fired at 1240 degrees", a="- x y", b="- z")
    (one,) = of(found(root, shown={"b.md": 3}), "no-question")
    assert one.where == "b.md" and one.also == ("a.md",) and one.item is None


@pytest.mark.parametrize(("clearance", "words"), [(-0.1, "calibrate"), (0.01, "wake"), (0.4, "")])
def test_the_clearance_is_told_with_what_follows_from_it(
    tmp_path: Path, clearance: float, words: str
) -> None:
    (one,) = of(found(given(tmp_path / "v", ASK), clearance=clearance, floor=1.0), "clearance")
    assert words in one.said and one.numbers == {"clearance": clearance, "floor": 1.0}


def test_without_questions_the_notes_that_need_one_are_named(tmp_path: Path) -> None:
    seen = working_set.findings(audited(vault(tmp_path / "v", a="- x"), no_vectors))
    assert [one.code for one in seen] == ["no-question", "no-test"]


def test_a_test_of_nonsense_alone_and_an_empty_vault_are_audited(tmp_path: Path) -> None:
    root = given(tmp_path / "v", {"query": "Who won the chess final?"})
    assert [one.code for one in found(root)] == ["no-question"]
    assert [
        one.code for one in working_set.findings(audited(vault(tmp_path / "w"), no_vectors))
    ] == ["no-test"]
