"""Editing a note's text: one piece changes, every other byte stays."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_core.errors import Conflict
from memory_core.proposals import edit
from memory_core.proposals.snapshot import Snapshot, restored
from memory_core.vault.note import parse

MOMENT = datetime(2026, 5, 4, 12, 30, 45, tzinfo=UTC)

patient = settings(deadline=None, max_examples=80)  # a loaded machine is no fault

words = st.text("abæø日 *_.", min_size=1, max_size=12).filter(lambda text: text.strip())
lines = st.one_of(
    words,
    words.map(lambda text: f"- {text}"),
    words.map(lambda text: f"  * {text}"),
    words.map(lambda text: f"## {text}"),
    st.sampled_from(["", "", "```", "1. first", "> quoted", "\udcff broken", "\x0c", "---"]),
)


@st.composite
def notes(draw: st.DrawFn) -> str:
    """Odd files: any line ends, a byte order mark, broken bytes, no line end at the end."""
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    head = draw(st.sampled_from(["", "\ufeff", "---\nkey: a\nupdated: 2024-01-02 # x\n---\n"]))
    body = newline.join(draw(st.lists(lines, max_size=12)))
    return head.replace("\n", newline) + body + draw(st.sampled_from(["", newline, newline * 2]))


PIECE = "- unique ¤ piece"


@patient
@given(notes(), st.integers(0, 12), st.sampled_from(["", "more", "two\nlines"]))
def test_revising_a_piece_keeps_every_other_byte(text: str, at: int, after: str) -> None:
    parts = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    head, tail = "".join(parts[:at]), "".join(parts[at:])
    before = head + PIECE + tail
    changed = edit.revised(before, PIECE, f"¤{after}")
    assert changed.startswith(head) and changed.endswith(tail)
    piece = changed[len(head) : len(changed) - len(tail)]
    assert piece.replace("\r\n", "\n").replace("\r", "\n") == f"¤{after}".strip("\n")
    assert edit.revised(changed, f"¤{after}", PIECE) == before


@patient
@given(notes(), st.sampled_from(["point ¤", "- point ¤", "* a ¤\n* b ¤", "1. step ¤"]))
def test_adding_a_point_only_inserts(text: str, point: str) -> None:
    changed = edit.added(text, point)
    added = len(changed) - len(text)
    assert added > 0
    assert any(changed[:at] + changed[at + added :] == text for at in range(len(text) + 1)), (
        "something besides the point changed"
    )
    assert changed.count("¤") == point.count("¤")


@patient
@given(notes())
def test_an_added_point_can_be_found_as_a_point_and_dropped_again(text: str) -> None:
    assume("```" not in text and "---" not in text[4:])
    changed = edit.added(text, "unique ¤ point")
    assert sum("unique ¤ point" in point.text for point in parse(changed, "a.md").points) == 1
    again = edit.dropped(changed, "unique ¤ point")
    assert "¤" not in again


@patient
@given(notes())
def test_a_snapshot_of_any_bytes_comes_back_from_the_ledger_to_the_byte(text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    assert restored(Snapshot(data).as_json()).data == data
    assert Snapshot.of(Snapshot(data).text).data == data


@pytest.mark.parametrize(
    ("text", "piece", "left"),
    [
        ("# T\n\n- a\n- b\n- c\n", "- b", "# T\n\n- a\n- c\n"),
        ("# T\n\n- a\n- b", "- b", "# T\n\n- a"),
        ("# T\r\n\r\n- a\r\n- b\r\n", "- a", "# T\r\n\r\n- b\r\n"),
        ("one\n\ntwo\n\nthree\n", "two", "one\n\nthree\n"),
        ("one\n\ntwo\n", "two", "one\n"),
        ("- a\n  - inner\n- b\n", "- inner", "- a\n- b\n"),
        ("say this and that now", "and that", "say this now"),
        ("\ufeff- a\n- b\n", "- a", "\ufeff- b\n"),
        ("- a\n- ab\n", "- a", "- ab\n"),
        ("one\ntwo\nthree\n", "one\ntwo", "three\n"),
    ],
)
def test_dropping_a_piece_leaves_no_hole(text: str, piece: str, left: str) -> None:
    assert edit.dropped(text, piece) == left


@pytest.mark.parametrize(
    ("text", "heading", "point", "changed"),
    [
        ("# T\n\n- a\n- b\n", "", "c", "# T\n\n- a\n- b\n- c\n"),
        ("# T\n\n* a\n* b", "", "- c", "# T\n\n* a\n* b\n* c"),
        ("1. a\n2. b\n", "", "- c", "1. a\n2. b\n3. c\n"),
        ("- a\n  - deep\n", "", "c\nsecond line", "- a\n  - deep\n- c\n  second line\n"),
        ("- a\n\n- b\n", "", "c", "- a\n\n- b\n\n- c\n"),
        ("one\n\ntwo\n", "", "three", "one\n\ntwo\n\nthree\n"),
        ("# A\n\n- a\n\n## B\n\n- b\n", "A", "c", "# A\n\n- a\n- c\n\n## B\n\n- b\n"),
        ("## A\n\n- a\n\n## B\n\n- b\n", "A", "c", "## A\n\n- a\n- c\n\n## B\n\n- b\n"),
        ("## A\n## B\n\n- b\n", "## a", "c", "## A\n\n- c\n\n## B\n\n- b\n"),
        ("# T\n\n- a\n", "New", "c", "# T\n\n- a\n\n## New\n\n- c\n"),
        ("", "", "- c", "- c\n"),
        ("---\nkey: a\n---\n", "", "- c", "---\nkey: a\n---\n\n- c\n"),
        ("- a\r\n- b\r\n", "", "c", "- a\r\n- b\r\n- c\r\n"),
        ("- a\n\n```sh\nmake\n```\n", "", "c", "- a\n\n```sh\nmake\n```\n\n- c\n"),
        ("- a\n- b\n\n\n", "", "c", "- a\n- b\n- c\n\n\n"),
    ],
)
def test_a_point_takes_the_bullets_of_its_neighbours(
    text: str, heading: str, point: str, changed: str
) -> None:
    assert edit.added(text, point, heading) == changed


@pytest.mark.parametrize(("text", "said"), [("- b\n", "no longer"), ("- a\n- a\n", "2 times")])
def test_a_piece_that_does_not_stand_there_once_is_refused(text: str, said: str) -> None:
    with pytest.raises(Conflict, match=said):
        edit.found(text, "- a")


@pytest.mark.parametrize(
    ("line", "stamped"),
    [
        ("updated: 2024-01-31", "updated: 2026-05-04"),
        ("updated:  '2024-1-3'  # by hand", "updated:  '2026-05-04'  # by hand"),
        ("updated: 2024-01-31T08:00:00Z", "updated: 2026-05-04T12:30:45Z"),
        ("updated: 2024-01-31 08:00:00.123+02:00", "updated: 2026-05-04 12:30:45+00:00"),
        ("updated: last week", "updated: last week"),
        ("other: 2024-01-31", "other: 2024-01-31"),
        ("nested:\n  updated: 2024-01-31", "nested:\n  updated: 2024-01-31"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_updated_moves_in_the_shape_it_has(line: str, stamped: str, newline: str) -> None:
    text = f"\ufeff---\nkey: a\n{line}\n---\nupdated: 2024-01-31\n".replace("\n", newline)
    wanted = f"\ufeff---\nkey: a\n{stamped}\n---\nupdated: 2024-01-31\n".replace("\n", newline)
    assert edit.stamped(text, MOMENT) == wanted


def test_a_piece_with_broken_bytes_is_found_as_it_was_read() -> None:
    data = b"- caf\xe9 \xe2\x82 x\n- b\n"
    piece = data.decode("utf-8", "replace").splitlines()[0]
    assert edit.dropped(Snapshot(data).text, piece) == "- b\n"


@patient
@given(notes(), st.sampled_from(["x", "Ää", "T"]))
def test_a_point_under_a_heading_stands_under_that_heading(text: str, heading: str) -> None:
    assume("```" not in text and "---" not in text[4:] and "<" not in text)
    changed = edit.added(text, "unique ¤ point", heading)
    (found,) = [p for p in parse(changed, "a.md").points if "¤" in p.text]
    assert found.heading.strip("# ").casefold() == heading.casefold()
