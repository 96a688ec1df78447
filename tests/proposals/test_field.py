"""A field of the front matter: set, added, refused; every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from memory_core.errors import BadInput, Conflict, FieldTooLong
from memory_core.proposals import field
from memory_core.text import clean, one_line
from memory_core.vault import front_matter

patient = settings(deadline=None, max_examples=100)  # a loaded machine is no fault

lines = st.text(min_size=1, max_size=60).map(lambda text: one_line(clean(text))).filter(bool)
heads = st.sampled_from(
    ["", "---\n---\n", "---\nkey: a\n---\n", "---\ndescription: old # by hand\nkey: a\n---\n",
     "---\nkey: a\ndescription: >\n  folded\n\n  twice\nother: [1, no]\n# kept\n...\n",
     "---\n'description' : \"quoted: x\"\ntags:\n- a\n- b\nupdated: 2024-01-31\n---\n",
     "---\ndescription:\nzone: {a: 1}\n---\n"]
)  # fmt: skip
bodies = st.sampled_from(["", "\n# T\n\n- description: in the body\n", "text", "- a\n---\n"])


@patient
@given(heads, bodies, lines, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_any_line_of_text_can_describe_a_note_and_nothing_else_changes(
    head: str, body: str, told: str, newline: str, mark: str
) -> None:
    assume("\n" in head + body or newline == "\n")
    text = mark + (head + body).replace("\n", newline)
    was = front_matter.read(text)
    before = field.entry(text, "description")
    made = field.changed(text, "description", before, field.line("description", told, before))
    now = front_matter.read(made)
    assert now.values == {**was.values, "description": told} and not now.problems
    assert made[now.end :].removeprefix("" if head else newline) == text[was.end :].removeprefix(
        "" if head else newline
    )
    assert made.startswith(mark) and made.count("\r\n") == (made.count("\n") * (newline != "\n"))
    assert ("# kept" in made) == ("# kept" in text)
    there = field.entry(made, "description")
    back = field.changed(made, "description", there, before) if _reads(before) else text
    assert back == text


def _reads(entry: str) -> bool:
    try:
        return bool(field.parsed("description", entry)) if entry else False
    except BadInput:
        return False


@patient
@given(heads, bodies, st.lists(lines.filter(lambda tag: len(tag) <= 60), max_size=4))
def test_any_words_can_be_tags(head: str, body: str, tags: list[str]) -> None:
    text = head + body
    before = field.entry(text, "tags")
    made = field.changed(text, "tags", before, field.line("tags", tags, before))
    assert front_matter.read(made).values["tags"] == tags


@pytest.mark.parametrize(
    ("entry", "told", "line"),
    [
        ("description: old # why", "new", "description: new # why"),
        ('description: "a # b" # why', "new", "description: new # why"),
        ("description: 'a # b'", "new", "description: new"),
        ("", 'say "no": # 🙂 på norsk', "description: 'say \"no\": # 🙂 på norsk'"),
        ("", "no", "description: 'no'"),
        ("", "2024-1-2 10:00:00 foo", 'description: "2024-1-2 10:00:00 foo"'),
    ],
)
def test_a_value_is_quoted_where_it_has_to_be_and_a_comment_stays(
    entry: str, told: str, line: str
) -> None:
    assert field.line("description", told, entry) == line


def test_tags_keep_the_style_they_have() -> None:
    assert field.line("tags", ["a", "b"], "tags:\n- x\n- y") == "tags:\n- a\n- b"
    assert field.line("tags", ["a", "b"], "tags: [x]") == "tags: [a, b]"


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("---\nkey: a\n- not closed\n", ""),
        ("---\n{key: a}\n---\n", ""),
        ("---\nkey: a\nkey: [\n---\n", ""),
        ("---\ndescription: a\ndescription: b\n---\n", "description: a"),
        ("---\ndescription: other\n---\n", "description: a"),
        ("---\ndescription: other\n---\n", ""),
        ("description: a\n", "description: a"),
    ],
)
def test_a_front_matter_that_cannot_carry_it_is_left_alone(text: str, before: str) -> None:
    with pytest.raises(Conflict):
        field.changed(text, "description", before, "description: new")


@pytest.mark.parametrize(
    "text", ["description: [a]", "tags: [a]", "description: a: b", "description:", "key: a", "x"]
)
def test_what_is_no_description_is_refused(text: str) -> None:
    with pytest.raises(BadInput):
        field.parsed("description", text)
    with pytest.raises(FieldTooLong):
        field.parsed("description", f"description: {'a' * 201}")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("description: what: x", "description: 'what: x'"),
        ("just words", "description: just words"),
        ("description: fine", "description: fine"),
        ("description: 12", "description: '12'"),
    ],
)
def test_a_person_need_not_know_how_yaml_quotes(typed: str, kept: str) -> None:
    assert field.written("description", typed) == kept
