"""Front matter of any shape is read without failing, and what is wrong in it is named."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.vault import front_matter
from memory_core.vault.note import examine, parse


def _note(block: str) -> str:
    return f"---\n{block}\n---\n\n- A point.\n"


def test_known_keys_are_read_and_unknown_ones_kept() -> None:
    note, problems = examine(
        _note(
            "key: pg-backups\ndescription: 'Backups: what, when'\nscope: [project:shop]\n"
            "tags: [pg, no]\nupdated: 2026-09-16\nowner: {name: Kari, since: 2024}"
        ),
        "a/b.md",
    )
    assert (note.key, note.description) == ("pg-backups", "Backups: what, when")
    assert (note.scope, note.tags) == (("project:shop",), ("pg", "no"))
    assert note.updated == date(2026, 9, 16)
    assert note.extra == {"owner": {"name": "Kari", "since": 2024}}
    assert problems == ()


def test_a_file_without_front_matter_is_a_note_named_after_its_file() -> None:
    note, problems = examine("# Winter tyres\n\nChange them in week 45.\n", "home/tyres.md")
    assert (note.key, note.description, problems) == ("tyres", "Winter tyres", ())
    assert [point.text for point in note.points] == ["Change them in week 45."]


def test_without_a_heading_the_first_sentence_describes_the_note() -> None:
    assert parse("- Change them in week 45. Not before.", "t.md").description == (
        "Change them in week 45."
    )


@pytest.mark.parametrize(
    ("block", "names"),
    [
        ("key: 42", "`key` is a number"),
        ("key: [a, b]", "`key` is a list"),
        ("description: {a: b}", "`description` is a mapping"),
        ("tags: ci, cache", "`tags` is text, read as a list of 2"),
        ("tags: 7", "`tags` is a number, not a list"),
        ("scope: [{a: b}]", "`scope` holds something that is not text"),
        ("updated: last week", "`updated` is not a date"),
        ("updated: 2026-13-45", "not valid YAML"),
        ("key: a\nkey: b", "`key` stands there twice"),
        ("description: Backups: what, when", "not valid YAML in line 2"),
        ("a: &x [1, 2]\nb: [*x, *x]", "anchors and aliases are not allowed"),
        ("? [a]\n: b", "not valid YAML"),
        ("a: " + "[" * 8000 + "]" * 8000, "not valid YAML"),
        ("a: " + "x" * 40_000, "the cap is 32000"),
    ],
)
def test_what_is_wrong_is_named_and_the_note_still_stands(block: str, names: str) -> None:
    note, problems = examine(_note(block), "n.md")
    assert [point.text for point in note.points] == ["- A point."]
    assert any(names in problem for problem in problems), problems


def test_an_unquoted_colon_costs_no_field() -> None:
    note = parse(_note("key: k\ndescription: Backups: what, when\ntags: [a, b]"), "n.md")
    assert (note.key, note.description, note.tags) == ("k", "Backups: what, when", ("a", "b"))


def test_a_date_time_counts_with_its_day() -> None:
    assert parse(_note("updated: 2026-01-02T23:30:00+01:00"), "n.md").updated == date(2026, 1, 2)
    assert parse(_note("updated: '2026-01-02 10:00'"), "n.md").updated == date(2026, 1, 2)


def test_a_bomb_of_aliases_is_refused_before_it_grows() -> None:
    levels = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30))
    note, problems = examine(_note(f"a0: &a0 x\n{levels}"), "n.md")
    assert "aliases" in problems[0]
    assert sum(len(str(value)) for value in note.extra.values()) < 10_000


def test_front_matter_that_never_closes_is_named_and_a_rule_is_not_front_matter() -> None:
    assert "not closed" in examine("---\nkey: a\n\n- x", "n.md")[1][0]
    assert examine("---\nJust a rule above.\n---\nAnd text.", "n.md")[1] == ()


def test_a_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    note = parse("\ufeff---\r\nkey: k\r\nupdated: 2026-01-02\r\n---\r\n- a\r\n- b\r\n", "n.md")
    assert (note.key, note.updated) == ("k", date(2026, 1, 2))
    assert [(point.text, point.line) for point in note.points] == [("- a", 5), ("- b", 6)]


@given(st.text(max_size=300))
def test_no_block_makes_it_raise(block: str) -> None:
    front_matter.read(_note(block))


_YAMLISH = st.lists(st.sampled_from(list("{}[]:,-?&*!|>'\"%@`#\n 01ay<=~.")), max_size=60)


@given(_YAMLISH.map("".join))
def test_no_yaml_like_block_makes_parsing_raise(block: str) -> None:
    note, _ = examine(_note(block), "n.md")
    assert note.points
