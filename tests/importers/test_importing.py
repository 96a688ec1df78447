"""An import as a proposal: offered once, decided item by item, applied, undone, repeated."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.banks.bank import BankId
from memory_core.banks.banks import open_banks
from memory_core.banks.caps import Caps
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.importers.piece import Piece
from memory_core.importers.routing import Router
from memory_core.proposals import queue, render
from memory_core.proposals.undo import undo
from memory_core.redaction import kinds
from memory_core.routines.place import Place
from memory_core.routines.repetition import Told
from memory_core.store import ledger
from memory_core.text import one_line
from tests.importers.conftest import DATA, Desk, targets, write

OWN = BankId("ada", None)


def bullets(count: int, word: str = "Rule") -> str:
    return "".join(f"- {word} {number} is about topic{number}.\n" for number in range(count))


def test_an_import_changes_nothing_before_it_is_decided(desk: Desk) -> None:
    found = desk.offer(DATA / "claude")
    assert found.proposal.state == "open" and found.proposal.flow_run == ""
    assert not list(desk.vault.glob("*.md"))
    assert not open_banks(desk.settings, desk.database).held([OWN])


def test_a_decided_import_is_applied_and_stands_in_the_ledger(desk: Desk) -> None:
    done = desk.decide(desk.offer(DATA / "claude"))
    assert done.state == "applied" and {item.state for item in done.numbered} == {"applied"}
    held = open_banks(desk.settings, desk.database).held([OWN])
    assert "She lives in Bergen with two cats." in {memory.content for memory in held}
    with desk.database.read() as session:
        assert len(ledger.entries(session)) == 6


def test_the_same_source_again_is_nothing_new(desk: Desk) -> None:
    for source in ("project", "claude", "mem0/get_all.json", "obsidian"):
        kind = "notes" if source == "obsidian" else ""
        desk.decide(desk.offer(DATA / source, kind))
        again = desk.offer(DATA / source, kind)
        assert not again.waits and not targets(again), source
    assert len(queue.listed(desk.database)) == 4


def test_the_same_source_while_it_waits_is_the_same_proposal(desk: Desk) -> None:
    first, second = desk.offer(DATA / "project"), desk.offer(DATA / "project")
    assert first.proposal.id == second.proposal.id


def test_a_source_that_changed_takes_over_what_waits_of_it(desk: Desk, tmp_path: Path) -> None:
    source = write(tmp_path / "CLAUDE.md", "- Answer briefly.\n- Cite sources.\n")
    first = desk.offer(source)
    write(source, "- Answer briefly.\n- Prefer tables.\n")
    second = desk.offer(source)
    assert queue.get(desk.database, first.proposal.id).state == "superseded"
    assert [text for _, text in targets(second)] == ["- Answer briefly.", "- Prefer tables."]


def test_a_dry_run_shows_the_items_and_stores_nothing(desk: Desk) -> None:
    found = desk.offer(DATA / "project", dry=True)
    assert len(targets(found)) == 8
    assert not queue.listed(desk.database)
    assert desk.offer(DATA / "project").proposal.id == 1


def test_thirty_are_offered_at_once_and_the_rest_comes_with_the_next_import(
    desk: Desk, tmp_path: Path
) -> None:
    source = write(tmp_path / "AGENTS.md", bullets(40))
    first = desk.offer(source, scope="shop")
    assert len(targets(first)) == 30
    desk.decide(first, "apply chosen", chosen=tuple(range(1, 30)), never=(30,))
    second = desk.offer(source, scope="shop")
    assert [text for _, text in targets(second)] == bullets(40).splitlines()[30:]
    desk.decide(second)
    assert not desk.offer(source, scope="shop").waits
    assert desk.read("shop-rules.md").count("- Rule ") == 39


def test_what_was_not_chosen_is_offered_again_but_never_what_was_rejected(
    desk: Desk, tmp_path: Path
) -> None:
    source = write(tmp_path / "AGENTS.md", bullets(3))
    desk.decide(desk.offer(source), "apply chosen", chosen=(1,), never=(2,))
    again = desk.offer(source)
    assert [text for _, text in targets(again)] == ["- Rule 2 is about topic2."]


def test_two_lines_that_differ_in_a_word_are_both_offered(desk: Desk, tmp_path: Path) -> None:
    long = "the queue of the shop in the region of the north is drained by hand on day"
    source = write(tmp_path / "AGENTS.md", f"- {long} one\n- {long} two\n")
    assert len(targets(desk.offer(source))) == 2


def test_what_notes_memories_and_the_always_loaded_file_say_is_not_offered(desk: Desk) -> None:
    write(desk.vault / "style.md", "# Style\n\n* Money is an integer of cents, never a float!\n")
    write(desk.vault / "MEMORY.md", "- Run `make check` before every commit.\n")
    banks = open_banks(desk.settings, desk.database)
    banks.remember(OWN, Draft("ask", "Ask", "Ask before you add a dependency."), By("user"))
    found = desk.offer(DATA / "project" / "AGENTS.md")
    assert not found.waits and len(found.found.known) == 3


def test_secrets_are_taken_out_and_counted(desk: Desk, tmp_path: Path) -> None:
    token = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    source = write(tmp_path / "CLAUDE.md", f"- The bot logs in with {token} on staging.\n")
    found = desk.offer(source)
    assert dict(found.found.secrets) == {"github token": 1}
    assert [text for _, text in targets(found)] == [
        "- The bot logs in with [redacted: github token] on staging."
    ]
    assert token not in str(found.proposal) and any("1 secret" in line for line in found.notices)


def test_a_fact_over_the_cap_is_split_and_one_that_cannot_be_is_named(
    desk: Desk, tmp_path: Path
) -> None:
    lines = "\n".join(f"Fact {number} " + "about it " * 20 for number in range(20))
    source = write(
        tmp_path / "m.json",
        json.dumps([{"memory": lines}, {"memory": "y" * 2001}]),
    )
    found = desk.offer(source)
    texts = [text for _, text in targets(found)]
    assert len(texts) > 1 and all(len(text) <= 2000 for text in texts)
    assert one_line(" ".join(texts)) == one_line(lines)
    assert [reason for _, reason in found.found.left_out] == [
        "2,001 characters in one piece, the cap is 2,000"
    ]


def test_a_bank_at_its_soft_limit_takes_no_more(desk: Desk, tmp_path: Path) -> None:
    banks = open_banks(desk.settings, desk.database)
    for number in range(38):
        banks.remember(OWN, Draft(f"k{number}", "About", f"held thing{number}"), By("user"))
    source = write(tmp_path / "list.txt", bullets(5, "Habit"))
    found = desk.offer(source, "chatgpt")
    assert len(targets(found)) == 2 and len(found.found.left_out) == 3
    assert desk.decide(found).state == "applied"


def test_an_applied_import_is_undone_entry_by_entry(desk: Desk) -> None:
    done = desk.decide(desk.offer(DATA / "project" / "AGENTS.md", scope="shop"))
    last = done.numbered[-1]
    assert last.ledger
    undo(desk.database, desk.vault, desk.settings, last.ledger, By("user", "undo"))
    assert last.after not in desk.read("shop-rules.md")
    assert targets(desk.offer(DATA / "project" / "AGENTS.md", scope="shop")) == [
        (last.target, last.after)
    ]


def test_the_evidence_names_file_and_line(desk: Desk) -> None:
    item = desk.offer(DATA / "project").proposal.numbered[1]
    assert render.said(item.evidence[0]) == "from line 11 of CLAUDE.md"
    assert item.provenance == "file"


words = st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=2, max_size=12)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), max_size=12))
def test_every_statement_is_offered_known_or_left_out_with_a_reason(said: list[str]) -> None:
    place = Place("ada", "", "", has_vault=True)
    pieces = [Piece(text, "list.txt", number, personal=True) for number, text in enumerate(said)]
    found = Router(place, Caps(), {}, Told()).sort(pieces)
    assert len(found.items) + len(found.known) + len(found.left_out) == len(said)
    offered = {item.after for item in found.items}
    assert offered <= set(said) or any(map(kinds, said))
    assert len({item.target for item in found.items}) == len(found.items)
