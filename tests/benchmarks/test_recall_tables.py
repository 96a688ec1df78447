"""The recall benchmark reads its sets and tells every system apart."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.recall.measure import SYSTEMS, Outcome, Ranking
from benchmarks.recall.sets import Question, locomo, working
from benchmarks.recall.tables import by_kind, gate, latency, order

CONVERSATION = {
    "session_1": [
        {"dia_id": "D1:1", "speaker": "Ada", "text": "I moved to Oslo in May."},
        {"dia_id": "D1:2", "speaker": "Bo", "text": "Nice!", "blip_caption": "a fjord"},
    ],
    "session_1_date_time": "1 pm on 3 June, 2023",
    "qa": [
        {"question": "Where did Ada move?", "evidence": ["D1:1"], "category": 4},
        {"question": "Who moved to Bergen?", "evidence": ["D1:1"], "category": 5},
        {"question": "What is lost?", "evidence": ["D9:9"], "category": 4},
    ],
}


def _outcome(right: bool, answerable: bool = True, score: float = 1.0) -> Outcome:
    question = Question("q", {"a"} if answerable else set(), "direct" if answerable else "nonsense")
    first = Ranking(["a", "b", "c", "d"] if right else ["b", "c", "d", "a"], [score] * 4)
    second = Ranking(["d", "a"], [score, score])
    by = {system: first if system == "judge" else second for system in SYSTEMS}
    return Outcome(question, by, {"a"}, {"rerank": score})


def test_a_conversation_is_its_turns_and_the_questions_with_evidence(tmp_path: Path) -> None:
    (tmp_path / "26.json").write_text(json.dumps(CONVERSATION), "utf-8")
    [corpus] = locomo(tmp_path, ["26"])
    said = {source.id: source.passages[0].text for source in corpus.sources}
    assert said["D1:1"] == "Ada (1 pm on 3 June, 2023): I moved to Oslo in May."
    assert said["D1:2"].endswith("Nice! [shares a fjord]")
    assert [(q.text, q.right) for q in corpus.questions] == [("Where did Ada move?", {"D1:1"})]


def test_a_vault_is_asked_its_own_set_and_the_nonsense_that_ships() -> None:
    corpus = working(Path(__file__).parents[2] / "demo" / "vault")
    answerable = [question for question in corpus.questions if question.right]
    assert len(answerable) >= 250
    assert len(corpus.questions) - len(answerable) >= 150
    assert {question.kind for question in answerable} >= {"paraphrase", "multilingual", "prompt"}
    known = {source.id for source in corpus.sources}
    assert all(question.right <= known for question in answerable)


def test_order_is_told_for_every_system_with_intervals_against_rank_fusion() -> None:
    table = order([_outcome(right=True), _outcome(right=False)] * 20)
    assert table["judge"]["hit@1"] == 0.5
    assert table["RRF"]["MRR"] == 0.5
    assert table["right in the pool"] == 1.0
    mean, low, high = table["judge"]["vs RRF"]["MRR"]
    assert low <= mean <= high
    assert set(table["cross-encoder"]["vs RRF"]) == {
        "hit@1", "hit@3", "recall@1", "recall@3", "recall@10", "MRR",
    }  # fmt: skip
    assert by_kind([_outcome(right=True)])["direct"]["judge"] == 1.0


def test_the_gate_is_told_for_every_system_but_fusion_whose_ranks_are_no_scores() -> None:
    asked = [_outcome(right=True, score=5 + n / 10) for n in range(20)]
    nonsense = [_outcome(right=True, answerable=False, score=n / 10) for n in range(20)]
    table = gate(asked + nonsense)
    assert set(table) == set(SYSTEMS) - {"RRF"}
    assert (table["judge"]["AUROC"], table["judge"]["answered"]) == (1.0, 1.0)


def test_latency_is_told_by_stage() -> None:
    found = latency([_outcome(right=True, score=float(n)) for n in range(101)])
    assert found == {"rerank": [pytest.approx(50.0), pytest.approx(95.0)]}
    assert np.isfinite(found["rerank"]).all()
