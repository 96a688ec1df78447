"""The contrastive batches: what counts as right, what is asked how often."""

from __future__ import annotations

import random

from training.data import Group, Note, Request
from training.embedder import Public, note_batch

NOTE = Note(
    "a/one", "field", "Shop", ["Roll back with shopctl.", "Backups on Sunday."],
    [
        Request("how do I undo a release?", "paraphrase", frozenset({0})),
        Request("is it on?", "unanswerable", frozenset()),
    ],
)  # fmt: skip
OTHER = Note("a/two", "field", "Cat", ["Forty grams at seven."])


def test_only_the_points_that_answer_are_right() -> None:
    for seed in range(20):
        batch = note_batch([NOTE, OTHER], random.Random(seed))
        assert batch.right.shape == (len(batch.requests), len(batch.passages))
        for row, answers in enumerate(batch.right.tolist()):
            right = [p for p, yes in zip(batch.passages, answers, strict=True) if yes]
            asks = batch.requests[row] != "is it on?"
            assert len(right) == asks
            assert all("shopctl" in passage for passage in right)


def test_every_group_answers_itself_alone() -> None:
    groups = [Group(f"q{n}", f"a{n}", (f"w{n}",), (), "s") for n in range(6)]
    batch = Public(groups, random.Random(1), 0.6).batch(4)
    assert batch.weight == 0.6
    for row, request in enumerate(batch.requests):
        assert batch.passages[row][1:] == request[1:].lower()
        assert batch.right[row].nonzero().flatten().tolist() == [row]
    assert all(passage.startswith("w") for passage in batch.passages[len(batch.requests) :])
