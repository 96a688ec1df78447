"""The digest in a hook: under the notes, in its frame, within what a client takes."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.banks.bank import bank_id
from memory_core.banks.digest import Digest, Line
from memory_core.hooks import render
from memory_core.hooks.session_start import _rendered
from memory_core.server.protocol import INJECTION_UNITS
from memory_core.store.tables import now
from memory_core.text import utf16_units
from tests.banks.hostile import hostile

NOTES = [
    {"source": f"note-{n}.md", "description": "d" * 200, "text": "x" * 600, "score": 1.0}
    for n in range(3)
]


def _digest(texts: list[str]) -> str:
    bank = bank_id("private", "u", "s")
    lines = [Line(bank, f"k{n}", texts[n % len(texts)][:190], (), (), now()) for n in range(40)]
    return Digest(tuple(lines), (bank,)).shortened()


def _entries(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line.startswith("{")]


def _fits(text: str) -> bool:
    document = json.dumps({"hookSpecificOutput": {"additionalContext": text}}, ensure_ascii=False)
    return utf16_units(document) < INJECTION_UNITS


@given(st.lists(hostile, min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_notes_come_first_and_all_of_it_fits(texts: list[str]) -> None:
    section = _digest(texts)
    shown = render.answer({"status": "notes", "notes": NOTES, "digest": section})
    assert _fits(shown)
    assert shown.index("note-2.md") < shown.index("## Memory")
    assert "x" * 600 in shown
    assert _entries(shown) == _entries(section)[: len(_entries(shown))]
    assert "FULL: private." in shown


def test_the_last_lines_give_way_and_are_counted() -> None:
    section = _digest(["y" * 190])
    crowded = [{**note, "text": "z" * 2000} for note in NOTES]
    shown = render.answer({"status": "notes", "notes": crowded, "digest": section})
    missing = len(_entries(section)) - len(_entries(shown))
    assert missing > 0
    assert f"\n{missing} more are not shown." in shown


def test_an_unchanged_digest_is_not_sent_again() -> None:
    said = render.answer({"status": "nothing", "digest": ""})
    assert said == render.NOTHING


def test_a_session_start_shows_the_digest_under_its_notices() -> None:
    section = _digest(["a line"])
    shown = _rendered({"digest": section, "notices": ["Memory: something."], "proposals": 0})
    assert shown.startswith("Memory: something.")
    assert shown.endswith(section)
    assert _fits(shown)
