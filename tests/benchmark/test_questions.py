"""Question sets are read line by line, checked against the vault and added to."""

from __future__ import annotations

import errno
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.benchmark import questions
from memory_core.benchmark.questions import Question
from memory_core.errors import BadInput, NotFound, VaultError
from memory_core.vault.vault import Vault

DEMO = Path(__file__).parents[2] / "demo" / "vault"
GOOD = {
    "id": "w1",
    "query": "Which port?",
    "note": "a.md",
    "answer_point": "5433",
    "kind": "direct",
}
TEXTS = {"a.md": "- Postgres is on  5433.\n- Redis is on 6380.", "b.md": "- Nothing."}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / questions.FOLDER
    folder.mkdir(parents=True)
    return folder


def _write(folder: Path, *lines: object) -> Path:
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    (folder / "working.jsonl").write_text("\n".join(texts), "utf-8")
    return folder.parents[1]


def test_the_demo_set_is_whole_and_fits_its_vault() -> None:
    asked = questions.load(DEMO, "working")
    assert len(asked.questions) == 300
    assert sum(question.answerable for question in asked.questions) == 250
    assert (asked.problems, asked.skipped) == ((), 0)
    by_id = {question.id: question for question in asked.questions}
    assert by_id["w019"].right == {"ci-release-tagging.md", "release-tag-howto.md"}
    vault = Vault(DEMO)
    texts = {note.file: vault.read(note.file) for note in vault.scan().notes}
    assert list(questions.check(asked.questions, texts)) == []


def test_a_hundred_general_nonsense_questions_ship() -> None:
    found = questions.general()
    assert (len(found.questions), found.problems) == (100, ())
    assert not any(question.answerable for question in found.questions)
    queries = {question.query for question in found.questions}
    assert len(queries) == 100
    assert {"PHRASE_8842_QQQQ", "continue", "thanks"} <= queries
    working = {question.query for question in questions.load(DEMO, "working").questions}
    assert not queries & working


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ('{"id": "w2", "query"', "not a JSON object in UTF-8"),
        ("[1]", "not a JSON object"),
        ({**GOOD, "id": ""}, "`id` is missing"),
        ({**GOOD, "query": "  "}, "`query` is missing"),
        ({**GOOD, "note": ["a.md"]}, "`note` is not text"),
        ({**GOOD, "note": ""}, "`note` is empty"),
        ({**GOOD, "note": None}, "`answer_point` without a `note`"),
        ({**GOOD, "kind": "nonsense"}, "does not fit"),
        ({**GOOD, "query": "x" * 20_001}, "the cap is 20000"),
        ({**GOOD, "tests": "x" * 201}, "`tests` is 201 characters, the cap is 200"),
        ("[" * 100_000, "not a JSON object"),
        (GOOD, "stands there twice"),
    ],
)
def test_a_corrupted_line_is_named_counted_and_skipped(
    folder: Path, line: object, names: str
) -> None:
    asked = questions.load(_write(folder, GOOD, "", line, {**GOOD, "id": "w9"}), "working")
    assert [question.id for question in asked.questions] == ["w1", "w9"]
    assert asked.skipped == 1
    assert asked.problems[0].startswith("working.jsonl line 3: ")
    assert names in asked.problems[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=5))
def test_no_content_makes_loading_fail(folder: Path, lines: list[bytes]) -> None:
    (folder / "working.jsonl").write_bytes(b"\n".join([json.dumps(GOOD).encode(), *lines]))
    assert questions.load(folder.parents[1], "working").questions[0].id == "w1"


def test_a_broken_accept_file_is_named(folder: Path) -> None:
    root = _write(folder, GOOD)
    (folder / "accept.json").write_text("[1")
    assert "accept.json cannot be read" in questions.load(root, "working").problems[0]
    (folder / "accept.json").write_text('{"w1": ["b.md"], "w2": 3}')
    assert questions.load(root, "working").questions[0].right == {"a.md", "b.md"}


def test_an_absent_set_and_an_unknown_name_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="bench add"):
        questions.load(tmp_path)
    with pytest.raises(BadInput, match="working or heldout"):
        questions.load(tmp_path, "../../secret")


def test_check_names_what_the_vault_no_longer_holds() -> None:
    asked = [
        Question("q1", "1?", "a.md", "Postgres is on 5433.", "direct"),
        Question("q2", "2?", "gone.md", "x", "direct"),
        Question("q3", "3?", "b.md", "gone", "direct"),
        Question("q4", "4?", "a.md", "is on", "direct"),
        Question("q5", "5?", "b.md", "Nothing.", "direct", accepted=("also-gone.md",)),
        Question("q6", "how many  whales?"),
        Question("q7", "How many whales?"),
    ]
    texts = {**TEXTS, "c.md": "Postgres is on 5433."}
    assert list(questions.check(asked, texts)) == [
        ("q1", "its answering point stands in c.md too"),
        ("q2", "the note gone.md is gone"),
        ("q3", "its answering point no longer stands in b.md"),
        ("q4", "its answering point stands 2 times in a.md"),
        ("q4", "its answering point stands in c.md too"),
        ("q5", "the note also-gone.md is gone"),
        ("q7", "asks the same as q6"),
    ]


def test_questions_are_added_with_the_next_id(tmp_path: Path) -> None:
    first = Question("", "Which port?", "a.md", "Postgres is on 5433.", "direct")
    assert questions.add(tmp_path, "working", first, TEXTS).id == "w001"
    file = questions.file_of(tmp_path, "working")
    file.write_text(file.read_text().rstrip("\n"))
    assert questions.add(tmp_path, "working", Question("", "Whales?"), TEXTS).id == "w002"
    asked = questions.load(tmp_path, "working")
    assert [question.query for question in asked.questions] == ["Which port?", "Whales?"]
    assert asked.skipped == 0


@pytest.mark.parametrize(
    ("question", "names"),
    [
        (Question("", " "), "`query` is missing"),
        (Question("", "x", "gone.md", kind="direct"), "no note 'gone.md'"),
        (Question("", "x", "a.md", "is not there", "direct"), "does not stand in a.md"),
        (Question("w001", "x"), "is taken"),
        (Question("", "x", "a.md", kind="nonsense"), "does not fit"),
    ],
)
def test_a_refused_question_leaves_the_set_as_it_was(
    tmp_path: Path, question: Question, names: str
) -> None:
    questions.add(tmp_path, "working", Question("", "Whales?"), TEXTS)
    before = questions.file_of(tmp_path, "working").read_bytes()
    with pytest.raises(BadInput, match=names):
        questions.add(tmp_path, "working", question, TEXTS)
    assert questions.file_of(tmp_path, "working").read_bytes() == before


def test_half_a_character_skips_its_line_alone(folder: Path) -> None:
    root = _write(folder, '{"id": "\\ud800x", "query": "Half?", "note": null}', GOOD)
    found = questions.load(root)
    assert found.skipped == 1 and "half a character" in found.problems[0]
    assert len(found.questions) == 1 and found.digest


def test_a_set_that_is_a_link_is_refused(folder: Path) -> None:
    root = _write(folder, GOOD)
    (folder / "working.jsonl").rename(folder / "other.jsonl")
    (folder / "working.jsonl").symlink_to("other.jsonl")
    with pytest.raises(NotFound, match="is a link"):
        questions.load(root)


def test_those_who_add_at_once_get_ids_of_their_own(folder: Path) -> None:
    root = folder.parents[1]

    def added(number: int) -> str:
        return questions.add(root, "working", Question("", f"Question {number}?"), {}).id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(added, range(40)))
    assert len(set(ids)) == 40 and len(questions.load(root).questions) == 40


def test_a_line_that_does_not_fit_on_the_disk_is_not_half_written(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    root = _write(folder, GOOD)
    before = (folder / "working.jsonl").read_bytes()
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(VaultError, match="No space left"):
        questions.add(root, "working", Question("", "More?"), {})
    assert (folder / "working.jsonl").read_bytes() == before
