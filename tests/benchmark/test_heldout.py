"""The demo's held-out set is whole and its own. A failure names ids, never a question: the set is
no argument of a test or of a call inside an assertion, since pytest prints those."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

from memory_core.benchmark import questions
from memory_core.benchmark.questions import Question
from memory_core.vault.vault import Vault

DEMO = Path(__file__).parents[2] / "demo" / "vault"
STALE = {
    "pg-nightly-dump.md", "k8s-cluster-spring.md", "py-poetry-setup.md",
    "pay-refund-window.md", "home-nas-two-disks.md", "ops-freeze-dates.md",
}  # fmt: skip
KINDS = {
    "direct": 12, "prompt": 14, "rare-term": 10, "paraphrase": 12,
    "typo": 5, "long": 4, "multilingual": 3, "nonsense": 15,
}  # fmt: skip
STOP = """
    a an the of to in on for and or is are was were be been being do does did i me my we us our you
    your it its this that these those they them their he him his she her what which who whose whom
    when where why how if then than so as at by from with without into out up down over under not
    no nor never can could may might must shall should will would have has had get gets got just
    also too very any some all each every one once there here about after before while still only
    own same other such more most off again further but because until between both few s t don re
    ve ll d m"""
ENDINGS = "ations ation ings ing edly ies ied ers er ed es ly s e"


def test_it_is_whole_and_every_line_says_what_it_tests() -> None:
    found = questions.load(DEMO, questions.HELDOUT)
    problems, ids = found.problems, [question.id for question in found.questions]
    kinds = Counter(question.kind for question in found.questions)
    assert problems == ()
    assert kinds == KINDS
    assert ids == [f"h{number:03d}" for number in range(1, 76)]
    lines = questions.file_of(DEMO, questions.HELDOUT).read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    fields = {"id", "query", "note", "answer_point", "kind", "set", "tests"}
    wrong = [row["id"] for row in rows if set(row) != fields or not row["tests"].strip()]
    assert wrong == []
    assert [row["id"] for row in rows if row["set"] != "heldout"] == []


def test_each_answer_stands_once_in_the_vault_in_one_line_of_a_note_of_its_own() -> None:
    texts = _texts()
    asked = [question for question in _heldout() if question.answerable]
    wrong = [id for id, _ in questions.check(asked, texts)]
    assert wrong == []
    for question in asked:
        point = question.answer_point or ""
        lines = texts[question.note or ""].split("\n---\n", 1)[1].splitlines()
        times = sum(text.count(point) for text in texts.values())
        if not any(point in line for line in lines) or times != 1 or not 0 < len(point) <= 200:
            wrong.append(question.id)
    assert wrong == []
    notes = {question.note for question in asked}
    assert len(notes) == 60
    assert notes & STALE == set()


def test_it_repeats_no_question_that_anything_was_tuned_on() -> None:
    known = (*questions.load(DEMO, questions.WORKING).questions, *questions.general().questions)
    others = [(_words(other.query), other.id) for other in known]
    near = []
    for question in _heldout():
        own = _words(question.query)
        for words, other in others:
            if _fours(own) & _fours(words) or _jaccard(own, words) > 0.5:
                near.append((question.id, other))
    assert near == []


def test_it_asks_for_no_point_of_the_working_set() -> None:
    working = questions.load(DEMO, questions.WORKING).questions
    known = [other.answer_point for other in working if other.answer_point]
    own = {q.id: q.answer_point for q in _heldout() if q.answer_point}
    repeated = [id for id, point in own.items() if any(p in point or point in p for p in known)]
    assert repeated == []


def test_kinds_are_what_they_say() -> None:
    texts = _texts()
    wrong = [question.id for question in _heldout() if not _is_of_its_kind(question, texts)]
    assert wrong == []


def test_trying_the_demo_copies_both_sets(home: Path) -> None:
    from memory_core.cli.setup import _demo_vault

    copied = _demo_vault() / questions.FOLDER
    own = DEMO / questions.FOLDER
    for name in (f"{questions.WORKING}.jsonl", f"{questions.HELDOUT}.jsonl", "accept.json"):
        assert (copied / name).stat().st_size == (own / name).stat().st_size, name


def _heldout() -> tuple[Question, ...]:
    return questions.load(DEMO, questions.HELDOUT).questions


def _texts() -> dict[str, str]:
    vault = Vault(DEMO)
    return {note.file: vault.read(note.file) for note in vault.scan().notes}


def _is_of_its_kind(question: Question, texts: dict[str, str]) -> bool:
    query, note = question.query, question.note or ""
    if question.kind == "paraphrase":
        return not set(_words(query)) & set(_words(texts.get(note, query)))
    if question.kind == "rare-term":
        return [file for file, text in texts.items() if query in text] == [note]
    return (100 <= len(query.split()) <= 300) == (question.kind == "long")


def _words(text: str) -> list[str]:
    stop = STOP.split()
    found = re.findall(r"[a-zæøåäöü0-9]+|[^\W\d_a-zæøåäöü]+", text.lower())
    return [_stem(word) for word in found if word not in stop and len(word) > 1]


def _stem(word: str) -> str:
    for ending in ENDINGS.split():
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _fours(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + 4]) for start in range(len(words) - 3)}


def _jaccard(one: list[str], other: list[str]) -> float:
    return len(set(one) & set(other)) / max(1, len(set(one) | set(other)))
