"""What each kind of source says, and where it would go."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

from memory_core.importers import kinds, notes
from memory_core.importers.blocks import blocks
from tests.importers.conftest import DATA, Desk, targets, write

MEMORY = DATA / "memory-folder" / "-home-ada-shop" / "memory"


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("project", "instructions"), ("project/AGENTS.md", "instructions"),
        ("memory-folder/-home-ada-shop/memory", "notes"), ("obsidian", "vault"),
        ("basic-memory", "vault"), ("mem0/get_all.json", "mem0"), ("mem0/two_users.json", "mem0"),
        ("chatgpt/conversations.json", "chatgpt"), ("chatgpt/saved.json", "chatgpt"),
        ("claude", "claude"), ("claude/memories.json", "claude"),
    ],
)  # fmt: skip
def test_a_source_is_known_by_its_name_and_content(source: str, kind: str) -> None:
    assert kinds.kind_of(DATA / source) == kind


def test_rules_of_a_project_become_points_of_its_note_below_their_headings(desk: Desk) -> None:
    found = desk.offer(DATA / "project", scope="github.com/acme/shop-api")
    assert {target for target, _ in targets(found)} == {"shop-api-rules.md"}
    desk.decide(found)
    assert desk.read("shop-api-rules.md").partition("---\n\n")[2] == (
        "## Shop API\n\n"
        "- The service that takes orders; Python 3.11, FastAPI, PostgreSQL 16.\n\n"
        "## Commands\n\n"
        "- Run `make check` before every commit.\n"
        "- Start a local database with `make db`, port 5433.\n"
        "  - its password is in the vault of the team\n"
        "- Before a release:\n"
        "  1. bump `pyproject.toml`\n"
        "  2. tag the commit\n"
        "- To load test data:\n\n"
        "  ```bash\n"
        "  make seed ROWS=1000\n"
        "  ```\n\n"
        "## Style\n\n"
        "- Money is an integer of cents, never a float.\n"
        "- Use the `Clock` of the request, never `datetime.now()`.\n\n"
        "## For agents\n\n"
        "- Ask before you add a dependency.\n"
    )
    assert "scope:\n- project:github.com/acme/shop-api\n" in desk.read("shop-api-rules.md")


def test_what_a_file_refers_to_is_named_and_not_followed(desk: Desk) -> None:
    found = desk.offer(DATA / "project")
    assert any("@docs/architecture.md" in line for line in found.notices)


def test_rules_for_every_project_fill_the_always_loaded_file_and_then_a_note(
    desk: Desk, tmp_path: Path
) -> None:
    write(desk.vault / "MEMORY.md", "x" * 2900 + "\n")
    source = write(tmp_path / "CLAUDE.md", "- Answer briefly.\n- " + "Quote sources. " * 10)
    first, second = (target for target, _ in targets(desk.offer(source)))
    assert (first, second) == ("MEMORY.md", "rules.md")


def test_what_gemini_was_asked_to_remember_is_about_the_user(desk: Desk) -> None:
    found = desk.offer(DATA / "gemini-home" / "GEMINI.md")
    assert [target for target, _ in targets(found)] == [
        "MEMORY.md", "MEMORY.md", "user:ada:the-user-s-name-is-ada-and-she",
        "user:ada:the-user-prefers-short-answers",
    ]  # fmt: skip


def test_a_memory_folder_comes_note_by_note_without_its_list(desk: Desk) -> None:
    found = desk.offer(MEMORY, scope="github.com/ada/shop")
    assert [target for target, _ in targets(found)] == [
        "shop-rules.md", "feedback_tests.md", "project_freeze.md", "user:ada:user-role",
    ]  # fmt: skip
    desk.decide(found)
    assert desk.read("feedback_tests.md") == (MEMORY / "feedback_tests.md").read_text("utf-8")
    assert "Who Ada is" not in desk.read("shop-rules.md")


def test_a_memory_folder_s_project_is_read_from_its_transcripts() -> None:
    assert notes.project_of(MEMORY) == "/home/ada/shop"
    assert notes.project_of(DATA / "obsidian") == ""


def test_a_note_that_is_there_already_gets_only_what_it_does_not_say(desk: Desk) -> None:
    text = (MEMORY / "feedback_tests.md").read_text("utf-8")
    write(
        desk.vault / "feedback_tests.md",
        text.replace("\n**Why:**", "\nAnd no fixtures.\n\n**Why:**"),
    )
    write(desk.vault / "project_freeze.md", "# Freeze\n\n- Ends in January.\n")
    found = desk.offer(MEMORY)
    offered = dict(targets(found))
    assert "feedback_tests.md" not in offered
    assert offered["project_freeze.md"].startswith("- Nothing is merged into `payments/`")


def test_notes_of_another_vault_can_be_taken_over(desk: Desk) -> None:
    found = desk.offer(DATA / "obsidian", "notes")
    desk.decide(found)
    assert desk.read("Sourdough.md") == (DATA / "obsidian" / "Sourdough.md").read_text("utf-8")


def test_mem0_gives_each_memory_once(desk: Desk) -> None:
    found = desk.offer(DATA / "mem0" / "get_all.json")
    assert [text for _, text in targets(found)] == [
        "Ada is vegetarian and allergic to nuts",
        "Prefers morning meetings and asynchronous reviews",
    ]
    assert found.found.known == ["Ada is vegetarian and allergic to nuts"]


def test_mem0_of_several_users_gives_those_of_the_one_that_is_named(desk: Desk) -> None:
    found = desk.offer(DATA / "mem0" / "two_users.json", whose="bo")
    assert [text for _, text in targets(found)] == ["Runs marathons"]


def test_chatgpt_s_conversations_give_what_was_saved_and_the_instructions(desk: Desk) -> None:
    found = desk.offer(DATA / "chatgpt" / "conversations.json")
    assert [text for _, text in targets(found)] == [
        "User never flies and travels by train.",
        "I am a translator from German to Norwegian.",
        "Keep quotation marks as « ».",
    ]
    assert any("deleted later" in line for line in found.notices)


def test_chatgpt_s_newest_list_counts_and_what_was_saved_after_it(desk: Desk) -> None:
    found = desk.offer(DATA / "chatgpt" / "with_list.json")
    assert [text for _, text in targets(found)] == [
        "User never flies and travels by train.", "User sings in a choir on Tuesdays.",
        "User moved to Tromsø.",
    ]  # fmt: skip


def test_chatgpt_s_saved_list_leaves_out_what_is_switched_off(desk: Desk) -> None:
    found = desk.offer(DATA / "chatgpt" / "saved.json")
    assert [text for _, text in targets(found)] == ["Is learning the accordion"]


def test_a_copied_list_is_a_memory_a_line(desk: Desk) -> None:
    found = desk.offer(DATA / "chatgpt" / "copied.txt", "chatgpt")
    assert len(targets(found)) == 3
    found = desk.offer(DATA / "claude" / "written_out.txt", "claude")
    assert [text for _, text in targets(found)] == [
        "Wants citations in footnotes.", "Has a colleague called Liv.",
        "Always answer in Norwegian when asked in Norwegian.",
    ]  # fmt: skip


def test_claude_s_export_tells_the_user_from_the_projects(desk: Desk, tmp_path: Path) -> None:
    told = targets(desk.offer(DATA / "claude", dry=True))
    assert [target for target, _ in told[4:]] == ["pump-manual.md", "pump-manual.md"]
    assert all(target.startswith("user:ada:") for target, _ in told[:4])
    assert "Work context" not in str(told)
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        for file in (DATA / "claude").glob("*.json"):
            archive.write(file, file.name)
        archive.writestr("conversations.json", '[{"uuid": "c", "chat_messages": []}]')
    assert targets(desk.offer(tmp_path / "export.zip", dry=True)) == told


def test_a_folder_of_a_project_reads_a_linked_file_once(desk: Desk, tmp_path: Path) -> None:
    shutil.copy(DATA / "project" / "CLAUDE.md", tmp_path / "CLAUDE.md")
    (tmp_path / "AGENTS.md").symlink_to("CLAUDE.md")
    assert not desk.offer(tmp_path).found.known


def test_code_stays_with_its_paragraph_and_a_list_with_its_lead() -> None:
    text = "# A\n\nFirst:\n\n1. one\n2. two\n\nRun it:\n\n```\nx\n```\n\n- apart\n- from it\n"
    assert [(block.text, block.line) for block in blocks(text)] == [
        ("First:\n1. one\n2. two", 3), ("Run it:\n\n```\nx\n```", 8), ("- apart", 14),
        ("- from it", 15),
    ]  # fmt: skip
