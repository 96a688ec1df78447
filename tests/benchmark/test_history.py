"""Runs are kept for good, and two of them compared with what changed in between."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_core.benchmark import comparison, history
from memory_core.benchmark.history import About
from memory_core.benchmark.questions import Question, QuestionSet
from memory_core.benchmark.score import Result
from memory_core.errors import NotFound
from memory_core.store.database import Database
from memory_core.store.tables import BenchmarkRun, now

HERE = About("judge-a", 1.0, "/v", "c1", "n1")


def _result(own: str, rank: int | None, answerable: bool = True, digest: str = "") -> Result:
    return Result(own, "direct" if answerable else "nonsense", answerable, rank, 1.0, 1.0,
                  rank == 1, 1, None, 100, 10.0, digest=digest)  # fmt: skip


def _keep(
    database: Database, results: Sequence[Result], about: About = HERE, name: str = "working"
) -> BenchmarkRun:
    asked = tuple(Question(r.id, f"{r.id}?", "a.md", kind="direct") for r in results)
    return history.keep(database, QuestionSet(name, asked), results, about)


def test_runs_are_compared_on_the_questions_they_share(database: Database) -> None:
    _keep(database, [_result("q1", 1), _result("q2", 5), _result("q3", 2)])
    later = About("judge-a", 2.0, "/v", "c1", "n1")
    _keep(database, [_result("q1", 4), _result("q2", 1), _result("q3", 2), _result("q4", None)],
          later)  # fmt: skip
    _keep(database, [_result("h1", 1)], name="heldout")
    found = comparison.compare(*history.pair(database, "working", None, None))
    assert found.scores["hit@3"] == (0.6667, 0.5)
    assert found.shared["hit@3"] == (0.6667, 0.6667)
    assert (found.lost, found.won, found.common) == (("q1",), ("q2",), 3)
    assert found.changed == {"questions_added": ["q4"], "floor": (1.0, 2.0)}
    assert found.said[0].endswith("no more than noise")
    assert "fell from 0.667 to 0.500 because the test grew by 1" in found.said[1]
    assert "the floor is another" in found.said[2]
    assert [run.name for run in history.runs(database)] == ["heldout", "working", "working"]
    assert len(history.runs(database, "working", 1)) == 1


def test_a_fall_of_the_memory_is_not_put_down_to_a_test_that_grew(database: Database) -> None:
    _keep(database, [_result(f"q{n}", 1) for n in range(20)])
    _keep(database, [_result(f"q{n}", 9 if n < 8 else 1) for n in range(21)])
    found = comparison.compare(*history.pair(database, "working", None, None))
    assert found.change is not None and found.change.fell
    assert len(found.said) == 1 and found.said[0].endswith("a fall")


def test_a_model_exchanged_between_runs_is_said_and_nothing_is_compared(
    database: Database,
) -> None:
    _keep(database, [_result("q1", 5)])
    _keep(database, [_result("q1", 1)], About("judge-b", 1.0, "/v", "c1", "n1"))
    found = comparison.compare(*history.pair(database, "working", None, None))
    assert not found.same_models
    assert (found.shared, found.won, found.lost, found.change) == ({}, (), (), None)
    assert "the models were exchanged between the runs (judge-a -> judge-b)" in found.said[0]
    assert found.scores["hit@3"] == (0.0, 1.0)


def test_a_reworded_question_is_another_one_under_its_id(database: Database) -> None:
    _keep(database, [_result("q1", 5, digest="aa-11"), _result("q2", 1, digest="bb-22")])
    _keep(database, [_result("q1", 1, digest="cc-11"), _result("q2", 1, digest="bb-33")])
    found = comparison.compare(*history.pair(database, "working", None, None))
    assert (found.common, found.won) == (1, ())
    assert found.changed == {"questions_reworded": ["q1"], "answers_changed": ["q2"]}
    assert "rose from 0.500 to 1.000 because the test changed" in found.said[1]


def test_runs_of_nonsense_alone_and_runs_without_a_common_question_say_so(
    database: Database,
) -> None:
    for own in ("n1", "n1", "n2"):
        _keep(database, [_result(own, None, answerable=False)])
    said = comparison.compare(*history.pair(database, "working", 1, 2)).said
    assert said == ("the runs share no question that a note answers: hit@3 is not compared",)
    said = comparison.compare(*history.pair(database, "working", 2, 3)).said
    assert said == ("the runs have no question in common: their scores are not compared",)


def test_a_run_stored_by_an_earlier_version_still_loads_and_compares(database: Database) -> None:
    row = {"id": "q1", "kind": "direct", "answerable": True, "rank": 1, "score": 1.0, "best": 1.0,
           "answered": True, "shown": 1, "point": None, "characters": 9, "ms": 1.0}  # fmt: skip
    old = BenchmarkRun(at=now(), name="working", judge="judge-a", vault_commit="c0", floor=1.0,
                       scores={"questions": 1, "hit@3": 1.0}, results=[row])  # fmt: skip
    with database.write() as session:
        session.add(old)
    _keep(database, [_result("q1", 2, digest="aa-11")])
    older, newer = history.pair(database, "working", None, None, "/v")
    assert history.results(older)["q1"].lost == ""
    found = comparison.compare(older, newer)
    assert (found.common, found.lost) == (1, ())
    assert found.changed["vault_commit"] == ("c0", "c1")


def test_runs_of_another_vault_are_told_apart(database: Database) -> None:
    _keep(database, [_result("q1", 1)])
    _keep(database, [_result("q1", 1)], About("judge-a", 1.0, "/other", "", "n9"))
    assert [run.id for run in history.runs(database, "working", 5, "/v")] == [1]
    with pytest.raises(NotFound, match="there is 1 run of working, a comparison needs two"):
        history.pair(database, "working", None, None, "/v")


def test_a_comparison_needs_two_runs_that_are_there(database: Database) -> None:
    with pytest.raises(NotFound, match="are 0 runs of working, a comparison needs two"):
        history.pair(database, "working", None, None)
    with pytest.raises(NotFound, match="no run 7"):
        history.pair(database, "working", 7, 8)
    _keep(database, [_result("q1", 1)])
    with pytest.raises(NotFound, match="no run 8"):
        history.pair(database, "working", 1, 8)
