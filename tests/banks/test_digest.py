"""The digest: bounded, ordered, one JSON object a line, whatever was written."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlmodel import text

from memory_core.banks.bank import bank_id
from memory_core.banks.banks import Banks
from memory_core.banks.caps import Caps
from memory_core.banks.context import Context
from memory_core.banks.digest import CEILING, HOOK_UNITS, LINES, Digest, Line, digest, ranked
from memory_core.banks.memory import Draft, EntityRef, Tag, clean_draft
from memory_core.banks.schema import NAMES
from memory_core.errors import BadInput, DigestUnavailable
from memory_core.text import utf16_units
from tests.banks.conftest import BY, draft, fill
from tests.banks.hostile import hostile

THEN = datetime(2026, 1, 1, tzinfo=UTC)
BANKS = tuple(bank_id(kind, "u", "s") for kind in ("private", "shared", "global"))


def _line(key: str, description: str = "d", *, refs: tuple[EntityRef, ...] = (),
          tags: tuple[Tag, ...] = (), seconds: int = 0) -> Line:  # fmt: skip
    return Line(BANKS[0], key, description, refs, tags, THEN + timedelta(seconds=seconds))


def _written(description: str, number: int) -> Line | None:
    """The line of what the choke point accepts; a long text is shortened until it fits."""
    key = "𐐨" * 62 + f"{number:02}"
    while description:
        try:
            checked = clean_draft(Draft(key, description, "c"), Caps())
        except BadInput:
            description = description[: len(description) * 9 // 10]
            continue
        return _line(checked.key, checked.description)
    return None


def _entries(section: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in section.splitlines() if line.startswith("{")]


hostile_lines = st.lists(hostile, min_size=1, max_size=5).map(
    lambda texts: [
        line
        for number in range(LINES)
        if (line := _written(texts[number % len(texts)], number)) is not None
    ]
)


@given(hostile_lines)
def test_the_section_stays_under_its_ceiling_over_hostile_text(lines: list[Line]) -> None:
    section = Digest(tuple(lines), BANKS).text
    assert len(section) <= CEILING
    assert "`" not in section
    assert "</" not in section


@given(hostile_lines)
def test_no_text_can_break_the_line_format(lines: list[Line]) -> None:
    lines = [_line("first"), *lines]
    section = Digest(tuple(lines)).text
    expected = [{"key": line.key, "description": line.description} for line in lines]
    assert _entries(section) == expected
    prose = [line for line in section.splitlines() if not line.startswith("{")]
    assert prose == [line for line in Digest((_line("x"),)).text.splitlines() if line[:1] != "{"]


def test_forty_lines_at_their_caps_reach_but_do_not_pass_the_ceiling() -> None:
    lines = tuple(_line(f"{n:02}" + "k" * 62, "d" * 200) for n in range(LINES))
    full = Digest(lines, BANKS)
    body = sum(len(str(line)) for line in lines)
    assert body == 40 * 295
    assert len(full.text) - body <= 600
    assert len(full.text) <= CEILING


@given(hostile_lines, st.integers(700, HOOK_UNITS))
def test_a_hook_gets_the_first_lines_and_the_number_of_the_rest(
    lines: list[Line], units: int
) -> None:
    whole = Digest(tuple(lines), BANKS)
    section = whole.shortened(units)
    assert utf16_units(section) <= units
    shown = _entries(section)
    assert shown == _entries(whole.text)[: len(shown)]
    hidden = len(lines) - len(shown)
    assert (f"({hidden} more not shown here)" in section) == bool(hidden)
    if not hidden:
        assert section == whole.text


located = st.builds(
    lambda key, types, tags, seconds: _line(
        key, refs=tuple(EntityRef(kind, str(n)) for n, kind in enumerate(types)),
        tags=tuple(Tag("domain", str(n)) for n in range(tags)), seconds=seconds,
    ),
    st.text("abcd", min_size=1, max_size=3), st.lists(st.sampled_from("pqr"), max_size=4),
    st.integers(0, 2), st.integers(0, 2),
)  # fmt: skip


@given(st.lists(located, unique_by=lambda line: line.key, max_size=12), st.randoms())
def test_the_order_is_total_and_stable(lines: list[Line], random) -> None:
    order = ranked(lines)
    shuffled = list(lines)
    random.shuffle(shuffled)
    assert ranked(shuffled) == order
    for one, two in pairwise(order):
        types = [len({ref.type for ref in line.refs}) for line in (one, two)]
        assert types[0] >= types[1]
        if types[0] == types[1]:
            assert (len(one.refs), -len(one.tags)) <= (len(two.refs), -len(two.tags))


def test_the_four_steps_of_the_order() -> None:
    p, a, b = EntityRef("project", "P"), EntityRef("item", "A"), EntityRef("item", "B")
    tag = Tag("domain", "x")
    lines = [
        _line("two-types-three", refs=(p, a, b)), _line("two-types-two", refs=(p, a)),
        _line("one-type-tagged", refs=(p,), tags=(tag,)), _line("one-type", refs=(p,), seconds=9),
        _line("newer", seconds=5), _line("older", seconds=1), _line("tied", seconds=1),
    ]  # fmt: skip
    assert [line.key for line in ranked(lines)] == [
        "two-types-two", "two-types-three", "one-type-tagged", "one-type", "newer", "older", "tied",
    ]  # fmt: skip


def test_only_forty_lines_are_listed(banks: Banks, ada: Context) -> None:
    for kind in ("private", "shared", "global"):
        fill(banks, ada, kind, 50)
    section = digest(banks, ada)
    assert len(section.lines) == LINES
    assert len(section.text) <= CEILING
    assert [bank.kind for bank in section.full] == ["private", "shared", "global"]


def test_the_same_state_gives_the_same_bytes_and_reading_changes_nothing(
    banks: Banks, ada: Context
) -> None:
    fill(banks, ada, "private", 10)
    before = digest(banks, ada).text
    banks.findable(ada)
    banks.find(ada, "private-03")
    assert digest(banks, ada).text == before


def test_a_rewrite_moves_a_memory_to_the_front(banks: Banks, ada: Context) -> None:
    fill(banks, ada, "private", 3)
    banks.remember(ada.bank("private"), draft("private-00", "newer"), BY)
    assert digest(banks, ada).lines[0].key == "private-00"
    banks.remember(ada.bank("private"), draft("private-01"), BY)  # the same text is no rewrite
    assert digest(banks, ada).lines[0].key == "private-00"


def test_a_decision_superseded_the_same_day_shows_only_the_latest(
    banks: Banks, ada: Context
) -> None:
    for choice in ("We chose Postgres", "We chose SQLite"):
        banks.remember(ada.bank("shared"), draft("database-choice", choice), BY)
    assert [line.description for line in digest(banks, ada).lines] == ["We chose SQLite"]


def test_the_prose_names_no_tool_and_says_what_the_lines_are(banks: Banks, ada: Context) -> None:
    empty = digest(banks, ada).text
    fill(banks, ada, "private", 50)
    for section in (empty, digest(banks, ada).text):
        assert section.startswith("## Memory\n")
        assert "not instructions" in section
        assert not [name for name in (*NAMES, "recall", "remember", "forget") if name in section]
    assert "No memory applies here yet." in empty
    assert _entries(empty) == []


def test_a_latched_bank_says_so_and_asks_to_offer_a_removal(banks: Banks, ada: Context) -> None:
    fill(banks, ada, "shared", 41)
    assert "FULL" not in digest(banks, ada).text
    banks.end_run(ada.bank("shared"), latched=True)
    section = digest(banks, ada).text
    assert "FULL: shared." in section
    assert "Offer the user to drop something old" in section
    banks.forget(ada.bank("shared"), "shared-00", BY)
    assert "FULL" not in digest(banks, ada).text


def test_what_cannot_be_resolved_raises_and_is_never_an_empty_section(
    banks: Banks, ada: Context
) -> None:
    with pytest.raises(DigestUnavailable, match="reference type"):
        digest(banks, replace(ada, refs=(EntityRef("banana", "1"),)))
    with banks.database.write() as session:
        session.connection().execute(text("ALTER TABLE memory RENAME TO lost"))
    with pytest.raises(DigestUnavailable, match="cannot be resolved"):
        digest(banks, ada)
