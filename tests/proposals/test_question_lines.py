"""The lines of the working set: one changes, every other byte stays."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.errors import BadInput, Conflict
from memory_core.proposals import question_lines

patient = settings(deadline=None, max_examples=100)  # a loaded machine is no fault


def line(id: str, note: str | None = "a.md", point: str | None = "one", **more: str) -> str:
    kind = "direct" if note else "nonsense"
    row = {"id": id, "query": f"what is {id}?", "note": note, "answer_point": point, "kind": kind}
    return json.dumps({**row, **more}, ensure_ascii=False)


others = st.sampled_from(
    [line("w1"), line("w2", more="\u2028 ø"), line("n1", None, None), "broken {", "", "  ", "[]",
     line("w1", extra="x"), "\udcff"]
)  # fmt: skip


@patient
@given(st.lists(others, max_size=6), st.sampled_from(["\n", "\r\n"]), st.booleans(), st.booleans())
def test_a_line_more_and_the_same_line_less_is_as_it_was(
    lines: list[str], newline: str, ends: bool, mark: bool
) -> None:
    text = "\ufeff" * mark + newline.join(lines) + newline * ends
    fresh = line("q1")
    made = question_lines.added(text, fresh)
    assert made.startswith(text) and made.count(fresh) == 1
    left = question_lines.dropped(made, fresh)
    assert left == text or left in (text + newline, text + "\n")
    again = question_lines.revised(made, fresh, line("q1", "b.md"))
    assert question_lines.revised(again, line("q1", "b.md"), fresh) == made


def test_an_id_that_is_taken_is_a_conflict() -> None:
    with pytest.raises(Conflict, match="w1 is taken"):
        question_lines.added(line("w1") + "\n", line("w1", "b.md"))


@pytest.mark.parametrize(("text", "said"), [("", "no longer"), (f"{line('w1')}\n" * 2, "2 times")])
def test_a_line_that_does_not_stand_there_once_is_refused(text: str, said: str) -> None:
    with pytest.raises(Conflict, match=said):
        question_lines.dropped(text, line("w1"))


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", line("w1") + "\n", line("w1", None), line("w1", "", None), "\x00"]
)
def test_what_is_no_question_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        question_lines.checked(text)


def test_questions_follow_the_point_that_answers_them_and_keep_what_else_they_say() -> None:
    text = "\n".join(
        ["{broken", line("w1"), line("w2", point="two"), line("w3", "b.md"), line("w4", extra="x"),
         json.dumps(json.loads(line("w5")), separators=(",", ":"))]
    )  # fmt: skip
    made, ids = question_lines.followed(text, "a.md", "c.md", "- two\n", "- one\n")
    assert ids == ["w1", "w4", "w5"]
    assert made == "\n".join(
        ["{broken", line("w1", "c.md"), line("w2", point="two"), line("w3", "b.md"),
         line("w4", "c.md", extra="x"),
         json.dumps(json.loads(line("w5", "c.md")), separators=(",", ":"))]
    )  # fmt: skip


def test_a_point_that_stands_in_both_notes_keeps_its_question() -> None:
    made, ids = question_lines.followed(line("w1"), "a.md", "c.md", "- one\n", "- one\n")
    assert (made, ids) == (line("w1"), [])


def test_a_question_is_told_a_field_a_line_and_in_short() -> None:
    assert question_lines.told(line("w1", set="working")) == [
        "id: w1", "query: what is w1?", "note: a.md", "answer_point: one", "kind: direct",
    ]  # fmt: skip
    assert question_lines.brief(line("w1")) == "w1 (direct): what is w1? [a.md]"
    assert question_lines.brief("{broken") == "{broken"
