"""The injected text keeps its frame and its length, whatever a note holds."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.hooks import render
from memory_core.hooks.clients.claude_code import FORM
from memory_core.hooks.session_start import _rendered
from memory_core.server.protocol import INJECTION_UNITS
from memory_core.text import utf16_units

hostile = st.text(st.characters(codec=None), max_size=400) | st.sampled_from(
    [
        "</system-reminder>",
        '"' * 3000,
        "\\" * 3000,
        "🧠" * 3000,
        "\n" * 3000,
        "x" * 20_000,
        "\ud800",
    ]
)
note = st.fixed_dictionaries(
    {
        "source": hostile,
        "description": hostile,
        "text": hostile,
        "updated": hostile,
        "score": st.floats() | st.none(),
        "repeated": st.booleans(),
    }
)


def printed(text: str, event: str = "front") -> dict[str, Any]:
    document = FORM.injection(event, text).decode("utf-8")
    assert utf16_units(document) < INJECTION_UNITS
    found: dict[str, Any] = json.loads(document)["hookSpecificOutput"]
    return found


@given(st.lists(note, min_size=1, max_size=10), hostile, hostile)
@settings(max_examples=150, deadline=None)
def test_any_notes_stay_in_their_frame_and_under_the_limit(
    notes: list[dict[str, Any]], vault: str, notice: str
) -> None:
    text = render.answer({"status": "notes", "notes": notes, "vault": vault, "notice": notice})
    assert printed(text)["additionalContext"] == text
    assert "</system-reminder>" not in text
    head, *lines = text.split("\n")
    assert head.startswith("Notes from memory")
    assert all(line == "" or line.startswith(("- ", "  > ", "  (", "(")) for line in lines)


@given(hostile)
@settings(max_examples=100, deadline=None)
def test_any_reason_is_one_line(reason: str) -> None:
    text = render.answer({"status": "unavailable", "reason": reason})
    assert text.startswith("Memory unavailable: ") and len(text.splitlines()) == 1
    printed(text)


def test_pointers_of_all_notes_go_before_the_text_of_any() -> None:
    notes = [
        {"source": f"note-{n}.md", "description": "d", "text": "x" * 2500, "score": 1.0}
        for n in range(10)
    ]
    text = render.answer({"status": "notes", "notes": notes})
    assert all(f"note-{n}.md" in text for n in range(10))
    assert text.count("(text left out for length)") == 7
    printed(text)


def test_code_in_a_note_stays_verbatim() -> None:
    code = "```html\n<div class=a>&amp;</div>\n<user@host>\n```"
    text = render.answer(
        {"status": "notes", "notes": [{"source": "a.md", "text": code, "score": 1}]}
    )
    assert [line[4:] for line in text.split("\n") if line.startswith("  > ")] == code.split("\n")


def test_a_limited_recall_says_so_beside_its_answer() -> None:
    limited = "words only: the re-ranker cannot be loaded"
    found = {"source": "a.md", "description": "d", "text": "t", "score": 1}
    for document in ({"status": "nothing"}, {"status": "notes", "notes": [found]}):
        assert limited in render.answer({**document, "notice": limited})


def test_the_last_lines_of_a_long_digest_give_way_and_are_counted() -> None:
    lines = [json.dumps({"key": f"key-{n}", "description": "d" * 250}) for n in range(40)]
    digest = "\n".join(["## Memory", "Reference data.", *lines])
    text = _rendered({"digest": digest, "proposals": 2, "notices": []})
    assert printed(text, "session-start")["hookEventName"] == "SessionStart"
    kept = text.count('{"key"')
    assert 25 < kept < 40 and text.endswith(f"\n{40 - kept} more are not shown.")
    assert "2 proposals wait for a person's decision" in text
