"""The page about reviewing: its commands run as they stand."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from memory_core import settings
from memory_core.cli.review.screen import help_page
from memory_core.proposals import queue
from memory_core.store.database import Database
from tests.cli import offers
from tests.cli.person import Person, wellkept

PAGE = (Path(__file__).parents[1] / "docs" / "review.md").read_text("utf-8")


def commands() -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line.removeprefix("$ wellkept ")) for line in lines]


@pytest.fixture
def four(tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The proposals that the page decides, five items each."""
    vault = offers.vault(tmp_path / "vault", 20)
    monkeypatch.setenv("WELLKEPT_VAULT", str(vault))
    (tmp_path / "better.md").write_text("- Fact 3 is better.\n", "utf-8")
    numbers = []
    for number in range(4):
        run = queue.open_run(
            database, routine="wrap", subject=f"session {number}", run=f"run {number}",
            user=settings.load().user, scope="", window={},
        )  # fmt: skip
        items = [offers.revision(5 * number + of) for of in range(1, 6)]
        queue.offer(database, vault, settings.load(), run.id, items)
        numbers.append(run.id)
    return numbers


def test_the_page_s_commands_do_what_it_says(
    four: list[int], tmp_path: Path, database: Database
) -> None:
    assert four == [1, 2, 3, 4]
    for arguments in commands():
        with Person(*wellkept(*arguments), cwd=tmp_path) as ada:
            if arguments == ["review"]:
                ada.until("item 1 of 5")
                ada.press("q")
            assert ada.ended() == 0, (arguments, ada.said)
    found = {number: queue.get(database, number) for number in four}
    assert [item.state for item in found[1].numbered] == [
        "applied", "rejected", "applied", "applied", "applied",
    ]  # fmt: skip
    assert {item.state for item in found[2].numbered} == {"applied"}
    assert {item.state for item in found[3].numbered} == {"skipped"}
    assert found[4].state == "rejected"


def test_the_page_and_the_help_name_the_same_keys() -> None:
    rows = re.findall(r"^\| (`.*?) \|", PAGE, re.MULTILINE)
    told = {key for row in rows for key in re.findall(r"`(.)`", row)}
    shown = {line.plain[0] for line in help_page(200).body if line.plain[1:3] == "  "}
    assert shown <= told | {"?"} and told <= shown | {"u", "?"}
