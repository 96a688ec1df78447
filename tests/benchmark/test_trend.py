"""Both sets rising is an improvement, the working set alone a warning, noise neither."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.benchmark import change, questions, sets, subject, trend
from memory_core.benchmark.asking import asker
from memory_core.benchmark.change import Change
from memory_core.benchmark.questions import Question
from memory_core.benchmark.score import Result
from memory_core.benchmark.sets import Scored
from memory_core.benchmark.trend import Trend
from memory_core.recall.recall import Models
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.text import terms
from memory_core.vault.question import line_of

DEMO = Path(__file__).parents[2] / "demo" / "vault"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """The demo's notes; every other of its working questions is held out."""
    root = tmp_path / "vault"
    root.mkdir()
    for note in DEMO.glob("*.md"):
        shutil.copy(note, root)
    folder = root / questions.FOLDER
    folder.mkdir(parents=True)
    asked = questions.load(DEMO).questions
    for name, own in (("working", asked[::2]), ("heldout", asked[1::2])):
        lines = [line_of(question, name) for question in own]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
    return root


def _score(database: Database, root: Path) -> Scored:
    """Both sets by words alone, with the real recall."""
    under = subject.load(Settings(vault=root), models=Models(None, None, "no models"))
    about = under.about(None)
    return sets.score_sets(database, root, about, asker(under.recall, None))


def _missed(database: Database, root: Path) -> list[Question]:
    scored = _score(database, root)
    assert scored.working and scored.heldout and scored.trend.verdict == "unknown"
    return [q for q in scored.working.questions if scored.working.by_id[q.id].lost]


def _write(root: Path, asked: Iterable[Question], told: Callable[[Question], str]) -> None:
    for question in asked:
        assert question.note
        with (root / question.note).open("a", encoding="utf-8") as file:
            file.write(f"\n- {told(question)}\n")


def test_working_questions_copied_into_notes_warn(database: Database, vault: Path) -> None:
    missed = _missed(database, vault)
    _write(vault, missed, lambda question: question.query)
    found = _score(database, vault).trend
    assert found.verdict == "warning" and found.warns
    assert found.working is not None and found.working.rose
    assert "the working set rose and the held-out set did not" in found.said


def test_a_plain_improvement_does_not_warn(database: Database, vault: Path) -> None:
    _missed(database, vault)
    told = {question.id: question for question in questions.load(DEMO).questions}
    also = [question for question in told.values() if question.kind == "paraphrase"]
    _write(vault, also, lambda question: "Also: " + " ".join(sorted(set(terms(question.query)))))
    found = _score(database, vault).trend
    assert (found.verdict, found.warns) == ("improvement", False)


def test_a_change_that_reaches_no_question_is_noise(database: Database, vault: Path) -> None:
    _missed(database, vault)
    (vault / "aardvark.md").write_text("- Aardvarks dig.\n")
    assert _score(database, vault).trend.verdict == "steady"


def test_what_creeps_in_over_many_changes_is_found(database: Database, vault: Path) -> None:
    missed = _missed(database, vault)
    verdicts = []
    for few in (missed[:2], missed[2:5], missed[5:]):
        _write(vault, few, lambda question: question.query)
        verdicts.append(_score(database, vault).trend.verdict)
    assert verdicts[0] == "steady"
    assert verdicts[-1] == "warning"


def test_one_set_asked_later_over_other_notes_is_no_moment(database: Database, vault: Path) -> None:
    _missed(database, vault)
    (vault / "aardvark.md").write_text("- Aardvarks dig.\n")
    under = subject.load(Settings(vault=vault), models=Models(None, None, "no models"))
    ask = asker(under.recall, None)
    sets.score_working(database, vault, under.about(None), ask)
    found = trend.of_history(database, under.name)
    assert "was not asked over the notes as they are now" in found.said


def _change(questions: int, won: int, lost: int = 0) -> Change:
    def results(hits: Iterable[bool]) -> dict[str, Result]:
        return {
            str(n): Result(str(n), "direct", True, 1 if hit else None, 1.0, 1.0, hit, 1, None, 9, 1)
            for n, hit in enumerate(hits)
        }

    before = [n >= won for n in range(won + lost)] + [True] * (questions - won - lost)
    after = [n < won for n in range(won + lost)] + [True] * (questions - won - lost)
    found = change.between(results(before), results(after))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("working", "heldout", "verdict"),
    [
        (_change(250, 20), _change(60, 10), "improvement"),
        (_change(250, 20), _change(60, 0), "warning"),
        (_change(250, 20), _change(60, 0, 10), "warning"),
        (_change(250, 12), _change(60, 3, 1), "unsure"),
        (_change(250, 2, 1), _change(60, 0), "steady"),
        (_change(250, 5, 5), _change(60, 10), "steady"),
        (_change(250, 0, 20), _change(60, 0), "fall"),
        (_change(250, 0), _change(60, 0, 10), "fall"),
    ],
)
def test_two_changes_make_one_verdict(working: Change, heldout: Change, verdict: str) -> None:
    assert trend.judged(working, heldout)[0] == verdict


@settings(max_examples=40, deadline=None)
@given(st.integers(100, 300), st.integers(0, 40), st.integers(0, 40))
def test_an_interval_holds_its_change_and_turns_with_it(total: int, won: int, lost: int) -> None:
    forth, back = _change(total, won, lost), _change(total, lost, won)
    points = (won - lost) / total
    assert forth.low - 1e-4 <= points <= forth.high + 1e-4
    assert forth == _change(total, won, lost)
    assert abs(forth.low + back.high) < 0.05 and abs(forth.high + back.low) < 0.05
    assert not (forth.rose and forth.fell)
    if won <= lost:
        assert not forth.rose


def test_a_trend_is_a_document(database: Database, vault: Path) -> None:
    _missed(database, vault)
    (vault / "aardvark.md").write_text("- Aardvarks dig.\n")
    found: Trend = _score(database, vault).trend
    document = json.loads(json.dumps(found.as_json()))
    assert document["verdict"] == "steady"
    assert document["runs"] == [[1, 2], [3, 4]]
    assert document["working"]["questions"] == 125


def test_a_small_set_in_which_nothing_differed_is_not_taken_for_certain() -> None:
    def changed(won: int, of: int) -> Change:
        ids = [f"q{number}" for number in range(of)]
        before = {id: _outcome(id, False) for id in ids}
        found = change.between(before, {id: _outcome(id, ids.index(id) < won) for id in ids})
        assert found
        return found

    assert not changed(1, 1).rose
    assert trend.judged(changed(30, 100), changed(0, 1))[0] == "unsure"
    assert trend.judged(changed(30, 100), changed(0, 60))[0] == "warning"


def test_more_looks_ask_for_more() -> None:
    before = {f"q{number}": _outcome(f"q{number}", False) for number in range(40)}
    after = {id: _outcome(id, int(id[1:]) < 8) for id in before}
    one, twelve = change.between(before, after), change.between(before, after, 12)
    assert one and twelve and one.rose
    assert twelve.low < one.low and twelve.high > one.high


def _outcome(id: str, hit: bool) -> Result:
    return Result(id, "direct", True, 1 if hit else None, None, None, hit, 1, None, 0, 0.0)
