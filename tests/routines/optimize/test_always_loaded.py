"""Lines of the always-loaded file that say nothing of their own are named, and no others."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory_core.record.exchange import Exchange, Span
from memory_core.routines.optimize import always_loaded
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.vectors import Vectors
from memory_core.routines.place import Ask
from tests.routines.optimize.auditing import SETS, audited, laid, no_vectors, of, vault

OWN = sorted(folder.name for folder in SETS.iterdir() if folder.is_dir())


def found(root: Path, ask: Ask, **more: object) -> list[Finding]:
    return always_loaded.findings(audited(root, ask, **more), Vectors(ask))


@pytest.mark.parametrize("name", OWN)
def test_what_is_said_twice_and_what_belongs_in_a_note_is_named_and_can_be_laid(
    ask: Ask, tmp_path: Path, name: str
) -> None:
    gold = json.loads((SETS / name / "gold.json").read_text())
    root = SETS / name / "vault"
    seen = found(root, ask)
    twice, homes = of(seen, "repeated-line"), of(seen, "belongs-in-note")
    pairs = {frozenset((one.item.before, one.item.evidence[0].quote)) for one in twice if one.item}
    assert pairs == {frozenset((row["text"], row["repeats"])) for row in gold["redundant"]}
    moves = {(one.item.before, one.also[0], one.item.action) for one in homes if one.item}
    assert moves == {(row["text"], row["target"], row["action"]) for row in gold["belongs_in_note"]}
    items = [one.item for one in seen if one.item]
    texts = laid(root, tmp_path / "copy", *items)
    assert not any(item.before in texts["MEMORY.md"] for item in items)
    moved = [item for item in items if item.action == "move"]
    assert all(item.before in texts[item.detail["to"]] for item in moved)


def test_the_size_is_told_in_characters_and_tokens_against_the_cap(
    ask: Ask, tmp_path: Path
) -> None:
    root = vault(tmp_path / "v", MEMORY="- Answer in Dutch.\n" * 3)
    (size,) = of(found(root, ask), "size", "over-cap")
    assert size.numbers["characters"] == 58 and size.numbers["tokens"] == 14
    assert "58 of 3,000 characters, about 14 tokens" in size.said


def test_a_file_over_its_cap_weighs_most(ask: Ask, tmp_path: Path) -> None:
    root = vault(tmp_path / "v", MEMORY="x" * 3001)
    (size,) = of(found(root, ask), "over-cap")
    assert size.weight >= 0.9 and "2 characters over its cap" in size.said


def test_rules_that_differ_in_a_word_and_lines_with_values_of_their_own_are_two(
    ask: Ask, tmp_path: Path
) -> None:
    lines = """
- Run the linter before you commit.
- Run the tests before you push.
- Write to Ruth in German.
- Write to Paul in English.
- The dryer runs at 60 degrees.
- The dryer runs for 40 minutes.
- Never delete a branch.
- Never delete a tag.
- Never rebase a branch that others have pulled.
- Never squash a branch that others have pulled.
"""
    assert not of(found(vault(tmp_path / "v", MEMORY=lines), ask), "repeated-line")


def test_a_rule_stays_where_it_is_and_the_note_that_has_it_too_is_told(
    ask: Ask, tmp_path: Path
) -> None:
    root = vault(
        tmp_path / "v",
        MEMORY="- Never water the orchids on Sunday; the orchids get 80 ml on Friday at 9:00.",
        orchids="- Never water the orchids on Sunday, they get 80 ml on Friday at 9:00.\n- Mist.",
        ferns="- Ferns want shade.\n- Water ferns daily.",
    )
    seen = found(root, ask)
    assert not of(seen, "belongs-in-note")
    (told,) = of(seen, "also-in-note")
    assert told.also == ("orchids.md",) and told.item is None


def test_a_line_that_occurs_twice_verbatim_is_left_to_the_person(ask: Ask, tmp_path: Path) -> None:
    root = vault(tmp_path / "v", MEMORY="- Answer in Dutch.\n- Answer in Dutch.")
    assert not [one for one in found(root, ask) if one.item]


def test_without_vectors_words_alone_still_tell_what_is_said_twice() -> None:
    seen = found(SETS / "skole" / "vault", no_vectors)
    assert {one.numbers["line"] for one in of(seen, "repeated-line")} <= {8, 15}
    assert of(seen, "repeated-line")


def test_without_the_file_there_is_nothing_to_say(ask: Ask, tmp_path: Path) -> None:
    assert found(vault(tmp_path / "v", a="- x"), ask) == []


def told(count: int, text: str) -> list[Exchange]:
    moment = datetime(2026, 11, 1, tzinfo=UTC)
    return [
        Exchange(f"u{at}", f"s{at}", "neutral", moment, moment, [Span("user", text)])
        for at in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "text", "unused"),
    [
        (25, "Please prune the roses.", True),
        (25, "The kiln in the shed is cold.", False),
        (5, "Please prune the roses.", False),
    ],
)
def test_a_fact_that_no_session_touched_is_told_once_there_are_enough(
    ask: Ask, tmp_path: Path, count: int, text: str, unused: bool
) -> None:
    root = vault(tmp_path / "v", MEMORY="- The kiln stands in the shed.\n- Never fire it alone.")
    seen = of(found(root, ask, exchanges=lambda: told(count, text)), "unused-line")
    assert [one.item for one in seen] == [None] * unused
    assert not unused or seen[0].numbers["sessions"] == 25
