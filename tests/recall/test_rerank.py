"""The re-ranker reads what it is given: too long, empty, many; and always alike."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest

from memory_core.recall.recall import NO_FLOOR, Models, Recall
from memory_core.recall.rerank import Reranker
from memory_core.recall.source import Source
from memory_core.settings import Settings
from memory_core.vault.note import Point
from memory_core.vault.passages import Passage

ASKED = "what does the cat eat?"
ANSWER = "The cat gets 40 g of dry food at seven in the morning."
ANOTHER_RUN = """
import json, sys
from memory_core.recall.recall import Models
from memory_core.settings import Settings
models = Models.load(Settings())
asked, passages = json.loads(sys.argv[1])
logits = models.reranker.score(asked, passages)
vectors = models.embedder.embed(passages).astype(float).tolist()
print(json.dumps([[x.hex() for x in logits], vectors]))
"""


@pytest.fixture(scope="module")
def reranker(recall_models: Models) -> Reranker:
    assert recall_models.reranker
    return recall_models.reranker


def test_a_pair_longer_than_the_window_is_read_as_far_as_it_goes(reranker: Reranker) -> None:
    filler = " The shelf holds jars of plum jam." * 400
    first, last = reranker.score(ASKED, [ANSWER + filler, filler + ANSWER])
    assert math.isfinite(first)
    assert first > last
    assert all(map(math.isfinite, reranker.score(ASKED * 300, [ANSWER, filler])))


def test_an_empty_passage_and_an_empty_request_have_scores(reranker: Reranker) -> None:
    empty, answer = reranker.score(ASKED, ["", ANSWER])
    assert answer > empty
    assert math.isfinite(reranker.score("", [ANSWER])[0])
    assert reranker.score(ASKED, []) == []


def test_scores_come_in_the_order_of_the_passages(reranker: Reranker) -> None:
    passages = ["x", ANSWER, "Backups run on Sunday.", ANSWER + " It sleeps after that, as a rule."]
    scores = reranker.score(ASKED, passages)
    assert max(scores) in (scores[1], scores[3])
    assert scores == reranker.score(ASKED, passages)


@pytest.mark.timeout(450)
def test_another_run_gives_the_same_scores_to_the_bit(recall_models: Models) -> None:
    assert recall_models.reranker and recall_models.embedder
    passages = [ANSWER, "Backups run on Sunday.", "", "Rollouts pause on Friday afternoon."]
    command = [sys.executable, "-c", ANOTHER_RUN, json.dumps([ASKED, passages])]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=400).stdout
    logits, vectors = json.loads(said.splitlines()[-1])
    assert logits == [x.hex() for x in recall_models.reranker.score(ASKED, passages)]
    assert vectors == recall_models.embedder.embed(passages).astype(float).tolist()


def test_a_passage_far_down_one_leg_is_read_before_any_cut_to_three(
    recall_models: Models,
) -> None:
    """Forty notes hold the request's words more often than the one that answers it."""
    texts = {
        f"{at}.md": f"Cat, eat, cat, eat, does what: page {at} of the index of the cat's diary."
        for at in range(40)
    }
    texts["food.md"] = (
        "At seven in the morning Minka is served 40 g of kibble, the pet's only meal."
    )
    index = Recall(Settings(), recall_models)
    index.update(
        Source(name, name, (Passage(name, "", text),), (Point(text, 1),))
        for name, text in texts.items()
    )
    index.embed_all()
    found = index.recall("what does the cat eat for breakfast?", floor=NO_FLOOR, limit=24)
    candidate = next(row for row in found.pool if row.source == "food.md")
    assert candidate.words_rank is None or candidate.words_rank > 3
    assert len(found.pool) == Settings().pool
