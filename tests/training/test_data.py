"""The training data's rules: what is held out, what counts as an answer, how typos are made."""

from __future__ import annotations

import random

from training.data import DEV_FIELDS, Note, Request, coincides, damage, split


def _note(field: str) -> Note:
    return Note("x/" + field, field, "Head", ["one " * 20, "two " * 20, "three " * 60])


def test_fields_are_held_out_whole() -> None:
    held_field = sorted(DEV_FIELDS)[0]
    train, held = split([_note(held_field), _note("elsewhere")])
    assert [note.field for note in train] == ["elsewhere"]
    assert [note.field for note in held] == [held_field]


def test_merged_passages_cover_every_point_once() -> None:
    found = _note("any").merged(200)
    assert [sorted(p.points) for p in found] == [[0, 1], [2]]
    assert all(p.text.startswith("Head\n") for p in found)


def test_an_unanswerable_request_has_no_answer() -> None:
    note = _note("any")
    request = Request("why?", "unanswerable", frozenset())
    assert not any(p.answers(note.key, request) for p in note.merged())


def test_damage_is_seeded_and_changes_words() -> None:
    text = "please restart the billing service tonight"
    first, again = damage(text, random.Random(3)), damage(text, random.Random(3))
    assert first == again != text


def test_rows_that_coincide_with_a_test_set_are_named() -> None:
    row = {"q": "q", "pos": "I signed up for a pottery class yesterday", "negs": []}
    assert coincides(row)
    assert not coincides({"q": "q", "pos": "a fair", "negs": []})
