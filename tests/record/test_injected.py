"""Our own injections never count as speech: whole, cut, nested, quoted back, wrapped."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core.banks.bank import bank_id
from memory_core.banks.digest import Digest, Line
from memory_core.hooks import render
from memory_core.hooks.session_start import _rendered
from memory_core.record import capture
from memory_core.record.assembly import FROM_MEMORY
from memory_core.record.injected import without_injections
from memory_core.store.database import Database
from memory_core.store.tables import now
from tests.record.replay import conversation, recorded, row, write

SECRET_WORD = "zanzibar"  # stands for what must not come through


def injection(*texts: str) -> str:
    """What the front hook prints for notes of these texts."""
    notes = [
        {
            "source": f"ops/note-{at}.md", "updated": "2026-11-02", "score": 0.91 - at / 10,
            "description": f"about {SECRET_WORD} {at}", "text": text, "repeated": False,
        }
        for at, text in enumerate(texts)
    ]  # fmt: skip
    document = {"status": "notes", "notes": notes, "vault": "/home/ada/notes", "notice": "general"}
    return render.answer(document)


def standing_index() -> str:
    """What the session-start hook prints."""
    lines = tuple(
        Line(
            bank_id("private", "ada", "x"), f"key-{at}", f'say "{SECRET_WORD}" {{}}', (), (), now()
        )
        for at in range(3)
    )
    digest = Digest(lines, (bank_id("shared", "ada", "x"),)).text
    state = {"file": f"{SECRET_WORD}.md", "characters": 2000, "cap": 3000}
    return _rendered({"digest": digest, "always_loaded": state, "proposals": 2, "notices": []})


BLOCKS = {
    "notes": injection(f"- {SECRET_WORD} one\n- two\n\n```\ncode {SECRET_WORD}\n```", SECRET_WORD),
    "nested": injection("quoted:\n" + injection(SECRET_WORD, SECRET_WORD), "plain"),
    "start": standing_index(),
    "nothing": render.NOTHING,
    "unavailable": render.unavailable(f"no {SECRET_WORD}"),
    "too slow": render.too_slow(1.0),
}


def quoted(text: str, mark: str = "> ") -> str:
    return "\n".join(mark + line for line in text.split("\n"))


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "<system-reminder>\nUserPromptSubmit hook additional context: {}\n</system-reminder>",
        "UserPromptSubmit hook additional context: {}",
        "SessionStart:startup hook success: {}",
        "<hook_context>{}</hook_context>",
        "<system-reminder>\n{}",
    ],
)
def test_an_injection_is_taken_out_whole(name: str, form: str) -> None:
    text = "before\n" + form.format(BLOCKS[name])
    assert without_injections(text).strip() == "before"


@pytest.mark.parametrize("name", BLOCKS)
@pytest.mark.parametrize("mark", ["> ", ">", "  > ", "| ", "> > "])
def test_an_injection_quoted_back_is_taken_out(name: str, mark: str) -> None:
    text = f"You were given:\n\n{quoted(BLOCKS[name], mark)}\n\nIs that right?"
    left = without_injections(text)
    assert SECRET_WORD not in left and "Notes from memory" not in left
    assert left.startswith("You were given:") and left.endswith("Is that right?")


@given(name=st.sampled_from(["notes", "nested", "start"]), data=st.data())
@settings(max_examples=150, deadline=None)
def test_an_injection_cut_at_any_place_leaves_nothing_of_its_lines(
    name: str, data: st.DataObject
) -> None:
    block = BLOCKS[name]
    end = data.draw(st.integers(60, len(block)))
    left = without_injections("asked\n" + block[:end])
    assert not [line for line in left.split("\n")[1:] if line.startswith(("- ops", "  >", '{"key'))]
    assert left.startswith("asked")


def test_the_end_of_an_injection_whose_beginning_is_gone_is_taken_out() -> None:
    block = BLOCKS["notes"]
    left = without_injections(block[block.index("  > - ") :] + "\n\nand then?")
    assert left.strip() == "and then?"


def test_an_injection_inside_a_sentence_takes_only_itself() -> None:
    text = f'It says "{BLOCKS["notes"]}\n\nSo: restart it.'
    left = without_injections(text)
    assert left.startswith("It says") and left.endswith("So: restart it.")
    assert SECRET_WORD not in left


LOOK_ALIKES = [
    "Notes from the meeting:\n- ship it, score 3\n- rest",
    "> a quotation\n> of somebody",
    '{"key": "value"}\n{"key": "a", "value": 2}',
    '{"key": "a", "description": "b", "type": "c"}',
    "## Memory\n\nThe machine has 16 GB.",
    "Memory: 16 GB. What about swap?",
    "- first, updated yesterday\n- second, score 12",
    "(a remark in brackets)\n\n  > indented quotation",
    "use <b>bold</b> and List<String>",
]


@pytest.mark.parametrize("text", LOOK_ALIKES)
def test_what_only_looks_similar_stays(text: str) -> None:
    assert without_injections(text) == text


@given(st.text())
@settings(max_examples=80, deadline=None)
def test_taking_out_twice_is_taking_out_once(text: str) -> None:
    once = without_injections(text)
    assert without_injections(once) == once


def test_nothing_of_an_injection_is_stored(tmp_path, database: Database) -> None:  # type: ignore[no-untyped-def]
    block = BLOCKS["notes"]
    rows = [
        {"type": "attachment", "attachment": {"type": "hook_success", "stdout": block}},
        row("user", 1, [{"type": "text", "text": f"<system-reminder>\n{block}\n</system-reminder>"},
                        {"type": "text", "text": "what did we say?"}]),
        row("assistant", 2, [{"type": "tool_use", "id": "t", "input": {"query": "ports"},
                              "name": "mcp__wellkept__recall_memories"}]),
        row("user", 3, [{"type": "tool_result", "tool_use_id": "t", "content": SECRET_WORD}]),
        row("assistant", 4, [{"type": "tool_use", "id": "v", "name": "Bash",
                              "input": {"command": "cd x && wellkept recall ports"}}]),
        row("user", 5, [{"type": "tool_result", "tool_use_id": "v", "content": SECRET_WORD}]),
        row("assistant", 6, [{"type": "text",
                              "text": f"My notes:\n{quoted(block)}\n\nPort 8443."}]),
        *conversation(1, first=5),
    ]  # fmt: skip
    file = write(tmp_path / "t.jsonl", rows)
    capture.take_file(database, "ada", file, "claude-code", "s")
    first, second = recorded(database)
    assert first.request == "what did we say?"
    assert first.reply == "My notes:\n\nPort 8443."
    assert [call.output for call in first.calls] == [FROM_MEMORY, FROM_MEMORY]
    assert second.reply == "reply 5"
    assert SECRET_WORD not in str(first) + str(second)
