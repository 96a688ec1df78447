"""`wellkept review list`, `show`, `decide`: who may use them, and what they print."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from memory_core.cli.here import AGENT_MARKS
from memory_core.cli.review.permission import need_a_person
from memory_core.errors import PersonNeeded
from memory_core.proposals import queue
from memory_core.server.protocol import GUARD
from memory_core.store.database import Database
from tests.cli.offers import Offer, revision
from tests.cli.person import Hire, environment, wellkept

HOSTILE = "- Fact 1 is old.\x1b]0;owned\x07\x1b[2J \u200bhidden\u202e \u009b31m"


def piped(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        wellkept("review", *arguments), capture_output=True, text=True, timeout=60, check=False,
        env=environment(env), stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_an_agent_cannot_decide_on_a_terminal_either(
    offer: Offer, person: Hire, database: Database
) -> None:
    number = offer(revision(1))
    for arguments in ((), ("decide", str(number), "all")):
        ada = person("review", *arguments, env={"CLAUDECODE": "1"})
        assert ada.ended() == 1
        said = " ".join(ada.said.split())
        assert "an agent cannot decide a proposal" in said and "CLAUDECODE is set here" in said
        assert "wellkept review list and wellkept review show N work everywhere" in said
    assert queue.get(database, number).state == "open"


@pytest.mark.parametrize("mark", AGENT_MARKS)
def test_each_mark_alone_is_refused_by_its_name(mark: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in AGENT_MARKS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv(mark, "")
    with pytest.raises(PersonNeeded, match=f" {mark} is set here"):
        need_a_person()


def test_every_client_of_the_installer_has_a_mark() -> None:
    known = ("CLAUDECODE", "AI_AGENT", GUARD, "CODEX_", "GEMINI_", "OPENCODE")
    assert all(any(mark.startswith(name) for mark in AGENT_MARKS) for name in known)


def test_nothing_is_decided_without_a_terminal(offer: Offer, database: Database) -> None:
    number = offer(revision(1))
    for arguments in ((), ("decide", str(number), "all")):
        refused = piped(*arguments)
        assert refused.returncode == 1 and not refused.stdout
        assert "decided on a terminal" in refused.stderr and refused.stderr.count("\n") == 1
    assert queue.get(database, number).state == "open"


def test_a_terminal_that_cannot_draw_is_told_what_to_use(offer: Offer, person: Hire) -> None:
    offer(revision(1))
    ada = person("review", env={"TERM": "dumb"})
    assert ada.ended() == 1
    assert "wellkept review decide N" in " ".join(ada.said.split())


def test_list_and_show_are_read_everywhere(offer: Offer) -> None:
    number = offer(revision(1), revision(2), summary="Two facts changed.")
    listed, shown = piped("list", CLAUDECODE="1"), piped("show", str(number))
    assert listed.returncode == shown.returncode == 0
    assert f"{number}  open       wrap of session 3f2a9c1e in github.com/acme/shop" in listed.stdout
    assert "2 items, just now" in listed.stdout
    assert "Two facts changed." in shown.stdout
    assert "- - Fact 2 is old.\n+ - Fact 2 is new.\n" in shown.stdout
    assert "│ Fact 2 is new, please note.\n" in shown.stdout
    assert "\x1b" not in shown.stdout


def test_json_holds_the_whole_proposal(offer: Offer) -> None:
    number = offer(revision(1))
    listed, shown = piped("list", "--json"), piped("show", str(number), "--json")
    (brief,) = json.loads(listed.stdout)["proposals"]
    assert brief["id"] == number and brief["open"] == brief["items"] == 1
    (item,) = json.loads(shown.stdout)["items"]
    assert item["before"] == "- Fact 1 is old." and item["diff"][1] == "+ - Fact 1 is new."
    assert item["evidence"][0]["turn"] == 9 and item["state"] == "open"


def test_no_control_character_of_the_data_is_printed(
    offer: Offer, person: Hire, notes: Path
) -> None:
    (notes / "topic-1.md").write_text(f"# Topic 1\n\n{HOSTILE}\n", "utf-8")
    number = offer(revision(1, before=HOSTILE))
    shown, document = piped("show", str(number)), piped("show", str(number), "--json")
    assert r"\u001b]0;owned\u0007\u001b[2J \u200bhidden\u202e \u009b31m" in shown.stdout
    for text in (shown.stdout, document.stdout):
        assert all(character == "\n" or character.isprintable() for character in text)
    assert json.loads(document.stdout)["items"][0]["before"] == HOSTILE
    ada = person("review")
    ada.until(r"\u001b]0;owned")
    assert "\x1b]0;" not in ada.said and "\u200b" not in ada.said and "\u202e" not in ada.said


def test_decide_takes_numbers_never_a_comment_and_an_edit(
    offer: Offer, person: Hire, database: Database, notes: Path, tmp_path: Path
) -> None:
    number = offer(*(revision(of) for of in range(1, 5)))
    (tmp_path / "better.md").write_text("- Fact 3 is better.\n", "utf-8")
    ada = person(
        "review", "decide", str(number), "1,3", "--never", "2", "--comment", "good run",
        "--edit", f"3={tmp_path / 'better.md'}",
    )  # fmt: skip
    assert ada.ended() == 0
    decided = queue.get(database, number)
    assert [item.state for item in decided.numbered] == [
        "applied", "rejected", "applied", "skipped",
    ]  # fmt: skip
    assert decided.decision and decided.decision["comment"] == "good run"
    assert "- Fact 3 is better.\n" in (notes / "topic-3.md").read_text("utf-8")
    assert f"Proposal {number}: applied 2, not now 1, never again 1" in ada.said
    ledger = decided.numbered[0].ledger
    assert f"wellkept undo {ledger}" in ada.said


def test_a_text_can_be_typed_in_place_of_a_file(offer: Offer, person: Hire, notes: Path) -> None:
    number = offer(revision(1))
    ada = person("review", "decide", str(number), "1", "--edit", "1=-")
    ada.press("- Fact 1 is typed.\n", "\x04")
    assert ada.ended() == 0, ada.said
    assert "- Fact 1 is typed.\n" in (notes / "topic-1.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("1,9",), "there is no item 9"),
        (("all", "--edit", "x=y"), "no NUMBER=FILE"),
        (("all", "--edit", "1=/nowhere.md"), "/nowhere.md cannot be read"),
    ],
)
def test_a_decision_that_does_not_hold_is_refused_whole(
    offer: Offer, person: Hire, database: Database, arguments: tuple[str, ...], told: str
) -> None:
    number = offer(revision(1), revision(2))
    ada = person("review", "decide", str(number), *arguments)
    assert ada.ended() == 1
    assert told in " ".join(ada.said.split())
    assert queue.get(database, number).state == "open"


def test_a_second_decision_is_refused_with_the_first(offer: Offer, person: Hire) -> None:
    number = offer(revision(1))
    assert person("review", "decide", str(number), "none").ended() == 0
    late = person("review", "decide", str(number), "all")
    assert late.ended() == 1
    assert "was decided already: apply none" in " ".join(late.said.split())
