"""`wellkept review` on a real terminal: screens, keys, and what is stored in the end."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

from memory_core.proposals import queue
from memory_core.proposals.proposal import Proposal
from memory_core.store.database import Database
from tests.cli.offers import Offer, revision
from tests.cli.person import Hire, Person, wellkept

SUMMARY = "and apply it now?"


def states(database: Database, number: int) -> dict[int, str]:
    return {item.number: item.state for item in stored(database, number).numbered}


def stored(database: Database, number: int) -> Proposal:
    return queue.get(database, number)


def test_ten_items_of_two_proposals_take_twelve_keys(
    offer: Offer, person: Hire, notes: Path, database: Database
) -> None:
    first = offer(*(revision(number) for number in range(1, 6)), subject="one")
    second = offer(*(revision(number) for number in range(6, 11)), subject="two")
    ada = person("review")
    for of, keys in ((first, "ynxyy"), (second, "yynnx")):
        for at, key in enumerate(keys, 1):
            ada.until(f"item {at} of 5")
            assert f"Proposal {of}, wrap" in ada.shown
            ada.press(key)
        ada.until(SUMMARY)
        ada.press("\r")
    assert ada.ended() == 0
    assert ada.keys == 12 and ada.given_back()
    applied, skipped, rejected = "applied", "skipped", "rejected"
    assert states(database, first) == {1: applied, 2: skipped, 3: rejected, 4: applied, 5: applied}
    assert states(database, second) == {1: applied, 2: applied, 3: skipped, 4: skipped, 5: rejected}
    assert "Fact 1 is new." in (notes / "topic-1.md").read_text("utf-8")
    assert "Fact 2 is old." in (notes / "topic-2.md").read_text("utf-8")
    assert f"Proposal {first}: applied 3, not now 1, never again 1" in ada.said
    assert "Nothing else waits." in ada.said
    decision = stored(database, first).decision
    assert decision and decision["surface"] == "terminal"


def test_leaving_after_one_of_several_says_last_what_was_done(offer: Offer, person: Hire) -> None:
    first = offer(revision(1), subject="one")
    offer(revision(2), subject="two")
    ada = person("review")
    for shown, key in (("item 1 of 1", "y"), (SUMMARY, "y"), ("proposal 2 of 2", "q")):
        ada.until(shown)
        ada.press(key)
    assert ada.ended() == 0
    last = ada.said[ada.said.rindex("\x1b[?1049l") :]
    assert f"Proposal {first}: applied 1" in last and "back: wellkept undo" in last
    assert "1 proposal still open" in last


def test_an_item_is_whole_on_a_screen_of_80_by_24(offer: Offer, person: Hire) -> None:
    spent = {"models": ["gpt-5"], "calls": 1, "tokens_in": 900, "tokens_out": 100, "usd": 0.02}
    offer(revision(1), cost=spent)
    screen = person("review").until("item 1 of 1")
    assert "- - Fact 1 is old." in screen and "+ - Fact 1 is new." in screen
    assert "revise  topic-1.md" in screen and "Fact 1 changed" in screen
    assert "said by the user, turn 9 of session 3f2a9c1e, 2026-11-30 14:02" in screen
    assert "│ Fact 1 is new, please note." in screen
    assert "gpt-5, 1,000 tokens, $0.02" in screen and "more lines" not in screen


def test_back_and_all_and_comment_change_what_is_stored(
    offer: Offer, person: Hire, database: Database
) -> None:
    number = offer(*(revision(number) for number in range(1, 4)))
    ada = person("review")
    for at, key in ((1, "n"), (2, "b"), (1, "x"), (2, "a")):
        ada.until(f"item {at} of 3")
        ada.press(key)
    ada.until(SUMMARY)
    ada.press("c")
    ada.until("Comment: ")
    ada.press(*"goood", "\x7f\x7f", "d", "\r")
    ada.until("Comment: good")
    ada.press("y")
    assert ada.ended() == 0
    decision = stored(database, number).decision
    assert decision and decision["comment"] == "good" and decision["never"] == [1]
    assert states(database, number) == {1: "rejected", 2: "applied", 3: "applied"}


def test_a_rejected_run_applies_nothing(offer: Offer, person: Hire, database: Database) -> None:
    number = offer(revision(1), revision(2))
    ada = person("review")
    ada.until("item 1 of 2")
    ada.press("y")
    ada.until("item 2 of 2")
    ada.press("R")
    ada.until("Reject this run?")
    ada.press("y")
    assert ada.ended() == 0
    assert stored(database, number).state == "rejected"
    assert "run rejected" in ada.said


def test_an_edited_text_is_applied_as_the_person_left_it(
    offer: Offer, person: Hire, notes: Path, tmp_path: Path
) -> None:
    offer(revision(1))
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/new/better\u200b/' \"$1\"\n", "utf-8")
    editor.chmod(0o755)
    ada = person("review", env={"EDITOR": str(editor)})
    ada.until("item 1 of 1")
    ada.press("e")
    ada.until("+ - Fact 1 is better.")
    assert "edited, undecided" in ada.shown
    ada.press("y")
    ada.until(SUMMARY)
    ada.press("y")
    assert ada.ended() == 0
    assert "- Fact 1 is better.\n" in (notes / "topic-1.md").read_text("utf-8")


def test_without_an_editor_each_line_can_be_changed(
    offer: Offer, person: Hire, notes: Path
) -> None:
    offer(revision(1))
    ada = person("review")
    ada.until("item 1 of 1")
    ada.press("e")
    ada.until_said("  1  ")
    ada.press("\x7f", "!", "\r")
    ada.until_said("  2  ")
    ada.press("\r")
    ada.until("+ - Fact 1 is new!")
    ada.press("y")
    ada.until(SUMMARY)
    ada.press("y")
    assert ada.ended() == 0
    assert "- Fact 1 is new!\n" in (notes / "topic-1.md").read_text("utf-8")


def test_an_edit_over_its_cap_is_refused_and_not_lost(
    offer: Offer, person: Hire, tmp_path: Path
) -> None:
    offer(revision(1))
    editor = tmp_path / "editor"
    editor.write_text('#!/bin/sh\ncat "$1" >> "$0.log"\nyes long | head -n 3000 > "$1"\n', "utf-8")
    editor.chmod(0o755)
    ada = person("review", env={"EDITOR": str(editor)})
    ada.until("item 1 of 1")
    ada.press("e")
    ada.until("the cap is 4000")
    ada.press("e")
    ada.until_said("the cap is 4000", times=2)
    ada.press("q")
    assert ada.ended() == 0
    assert (tmp_path / "editor.log").read_text("utf-8").count("long\n") == 3000


def test_a_target_that_moves_is_stale_at_once_and_cannot_be_chosen(
    offer: Offer, person: Hire, notes: Path, database: Database
) -> None:
    number = offer(revision(1), revision(2))
    ada = person("review")
    ada.until("item 1 of 2")
    (notes / "topic-1.md").write_text("# Topic 1\n\n- Rewritten.\n", "utf-8")
    ada.until("cannot be chosen any more")
    assert "stale: topic-1.md was changed meanwhile" in ada.shown
    ada.press("y")
    ada.until("1 is stale and cannot be chosen")
    ada.press("n")
    ada.until("item 2 of 2")
    ada.press("y")
    ada.until(SUMMARY)
    ada.press("y")
    assert ada.ended() == 0
    assert states(database, number) == {1: "stale", 2: "applied"}
    assert (notes / "topic-1.md").read_text("utf-8") == "# Topic 1\n\n- Rewritten.\n"


def test_the_second_of_two_reviewers_hears_who_decided_and_goes_on(
    offer: Offer, person: Hire, database: Database
) -> None:
    first, second = offer(revision(1), subject="one"), offer(revision(2), subject="two")
    ada, eve = person("review"), person("review")
    for one in (ada, eve):
        one.until(f"Proposal {first}, wrap")
        one.press("y")
        one.until(SUMMARY)
    ada.press("y")
    ada.until(f"Proposal {second}, wrap")
    eve.press("y")
    eve.until(f"Proposal {second}, wrap")
    assert f"Proposal {first} was decided by somebody else" in eve.said
    assert "(terminal): apply all" in eve.said
    for one in (ada, eve):
        one.press("q")
        assert one.ended() == 0
    assert states(database, first) == {1: "applied"}
    assert stored(database, second).state == "open"


def test_ctrl_c_decides_nothing_and_gives_the_terminal_back(
    offer: Offer, person: Hire, database: Database
) -> None:
    number = offer(revision(1))
    ada = person("review")
    ada.until("item 1 of 1")
    ada.press("y")
    ada.until(SUMMARY)
    ada.press("\x03")
    assert ada.ended() == 130
    assert ada.given_back() and ada.said.count("\x1b[?1049l") == 1
    assert f"Nothing of proposal {number} was decided" in ada.said
    assert stored(database, number).state == "open"


def test_a_closed_window_or_a_terminated_process_decides_nothing(
    offer: Offer, person: Hire, database: Database
) -> None:
    number = offer(revision(1))
    closed, ended = person("review"), person("review")
    for one in (closed, ended):
        one.until("item 1 of 1")
        one.press("y")
        one.until(SUMMARY)
    ended.process.send_signal(signal.SIGTERM)
    assert ended.ended() == 128 + signal.SIGTERM and ended.given_back()
    closed.hang_up()
    assert closed.process.wait(20) != 0
    assert stored(database, number).state == "open"


def test_ctrl_z_stops_it_with_the_terminal_given_back_and_fg_draws_the_screen_again(
    offer: Offer, person: Hire, tmp_path: Path
) -> None:
    offer(revision(1))
    shell = tmp_path / "shell"
    command = " ".join(wellkept("review"))
    shell.write_text(f"set -m\n{command}\necho it-$((40 + 2))-stopped\nfg\n", "utf-8")
    with Person("bash", "--norc", str(shell)) as ada:
        ada.until("item 1 of 1")
        ada.press("\x1a")
        ada.until_said("it-42-stopped")
        assert ada.said.index("\x1b[?1049l") < ada.said.index("it-42-stopped")
        ada.until_said("\x1b[?1049h", times=2)
        ada.screen.reset()
        ada.press("\x0c")
        ada.until("item 1 of 1")
        ada.press("q")
        assert ada.ended() == 0


def test_pasted_text_decides_nothing(offer: Offer, person: Hire, database: Database) -> None:
    number = offer(revision(1))
    ada = person("review")
    ada.until("item 1 of 1")
    ada.press("\x1b[200~yyy\ry\x1b[201~")
    ada.until("is no key here")
    ada.press("q")
    assert ada.ended() == 0
    assert stored(database, number).state == "open"


def test_a_narrower_window_is_drawn_at_once(offer: Offer, person: Hire) -> None:
    offer(revision(1))
    ada = person("review")
    ada.until("item 1 of 1")
    ada.resize(40, 20)
    os.kill(ada.process.pid, signal.SIGWINCH)
    ada.until("y apply  n not now  x never  ? help")
    assert all(len(line) <= 40 for line in ada.shown.splitlines())


def test_nothing_that_waits_is_said_in_a_line(notes: Path, person: Hire) -> None:
    ada = person("review")
    assert ada.ended() == 0
    assert ada.said.strip() == "Nothing waits for a decision."


def test_a_long_text_says_how_much_is_below(offer: Offer, person: Hire) -> None:
    lines = "\n".join(f"  line {number}" for number in range(60))
    offer(revision(1, after=f"- Fact 1 is new.\n{lines}"))
    ada = person("review")
    assert "more lines, space shows them" in ada.until("item 1 of 1")
    ada.press(" ", " ", " ", " ", " ")
    ada.until("│ Fact 1 is new, please note.")
    assert "lines above, u shows them" in ada.shown
    ada.press("u")
    ada.until("more lines, space shows them")


def test_each_applied_proposal_is_one_commit(offer: Offer, person: Hire, notes: Path) -> None:
    number = offer(revision(1), revision(2))
    ada = person("review")
    ada.until("item 1 of 2")
    ada.press("a")
    ada.until(SUMMARY)
    ada.press("y")
    assert ada.ended() == 0
    log = subprocess.run(
        ["git", "log", "-1", "--format=%h %B"],
        cwd=notes,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"Proposal-Id: {number}" in log
    assert f"commit {log[:7]}" in ada.said
