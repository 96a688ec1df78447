"""One optimize without its flow: scored, drafted, offered, applied, scored again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memory_core.benchmark.asking import Ask, in_process
from memory_core.proposals import opening, queue
from memory_core.proposals.apply import apply
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.proposal import Proposal
from memory_core.recall.recall import Models, Recall
from memory_core.routines import optimizing
from memory_core.routines.optimize import page
from memory_core.settings import Settings
from memory_core.store.database import Database
from tests.benchmark import shelf
from tests.benchmark.shelf import REPEATED


def silent(_share: float, _what: str) -> None:
    """Nobody watches."""


class Bench:
    """A vault, a store, and models in this process; `change` runs while changes are measured."""

    def __init__(self, database: Database, root: Path, models: Models) -> None:
        self.settings = Settings(vault=root, user="kari")
        self.database, self.root = database, root
        self._recall = Recall(self.settings, models)
        self.floor: float | None = shelf.FLOOR
        self.change: Callable[[], Any] = lambda: None

    @property
    def ask(self) -> Ask:
        return in_process(self._recall, self.floor)

    def opened(self) -> Proposal:
        return opening.open_anew(
            self.database, routine="optimize", user="kari", window={},
            subject=optimizing.subject(self.root, "kari"),
        )  # fmt: skip

    def offered(self) -> Proposal:
        """One run up to its offer."""
        given = self.settings, self.database, self.root
        proposal = optimizing.scored(*given, self.opened(), self.ask, silent)

        def tell(_share: float, what: str) -> None:
            if what.startswith("measuring"):
                self.change()

        drafted = optimizing.draft(*given, proposal, self.ask, None, tell)
        return optimizing.offer(*given, proposal, drafted)

    def applied(self, proposal: Proposal) -> Proposal:
        """All of it, and scored again."""
        decide(self.database, proposal.id, Decision("apply all"))
        apply(self.database, self.root, self.settings, proposal.id)
        given = self.settings, self.database, self.root
        now = queue.get(self.database, proposal.id)
        return optimizing.measured_again(*given, now, self.ask, silent)


@pytest.fixture
def bench(database: Database, tmp_path: Path, recall_models: Models) -> Bench:
    return Bench(database, shelf.lay(tmp_path / "vault"), recall_models)


def test_what_was_expected_stands_beside_what_came(bench: Bench) -> None:
    proposal = bench.offered()
    assert REPEATED in [one.before.strip() for one in proposal.open]
    assert proposal.window["scores"]["working"]["scores"]["hit@3"] == 1.0
    assert all(one.detail["effect"] for one in proposal.numbered)
    done = bench.applied(proposal)
    after = done.window["after"]
    assert after["expected"]["characters"] == after["carried"] - proposal.window["carried"] < 0
    assert "as expected" in after["said"][0]
    report = page.markdown(done)
    assert "## After applying" in report and "## The always-loaded file" in report
    assert bench.applied(done).window["after"] == after  # the second time nothing is scored


def test_every_finding_is_in_the_report_and_offered_ones_have_a_number(bench: Bench) -> None:
    proposal = bench.offered()
    findings = proposal.window["findings"]
    report = page.markdown(proposal).replace("\\", "")
    assert all(one["said"][:40] in report for one in findings)
    numbers = {one["number"] for one in findings if one["number"]}
    assert numbers == {one.number for one in proposal.numbered}
    assert all(one["effect"] for one in findings if one["number"])


def test_a_vault_that_changes_meanwhile_is_told(bench: Bench) -> None:
    def change() -> None:
        (bench.root / "choir.md").write_text("- The choir is dissolved.\n", "utf-8")

    bench.change = change
    assert optimizing.MOVED in bench.offered().notices


def test_an_item_whose_line_goes_meanwhile_is_not_offered(bench: Bench) -> None:
    bench.change = lambda: (bench.root / "MEMORY.md").write_text("# Memory\n", "utf-8")
    proposal = bench.offered()
    assert not [one for one in proposal.open if one.before.strip() == REPEATED]


def test_without_a_floor_the_order_alone_is_scored(bench: Bench) -> None:
    bench.floor = None
    proposal = bench.offered()
    assert optimizing.NO_FLOOR in proposal.notices
    effects = [one["effect"] for one in proposal.window["findings"] if one["effect"]]
    assert all(one["answered"] is None and one["quiet"] is None for one in effects)


def test_of_nonsense_alone_only_the_silence_is_scored(bench: Bench) -> None:
    line = shelf.row("w001", "which train goes to the airport on Sundays?", None, None)
    (bench.root / ".wellkept/benchmark/working.jsonl").write_text(f"{line}\n", "utf-8")
    proposal = bench.offered()
    scores = proposal.window["scores"]["working"]["scores"]
    assert scores["hit@3"] is None and scores["quiet"] == 0.0
    assert "none" in page.markdown(proposal)
    assert bench.applied(proposal).window["after"]["said"]


def test_an_empty_vault_leaves_nothing_to_approve(bench: Bench) -> None:
    for file in bench.root.glob("*.md"):
        file.unlink()
    proposal = bench.offered()
    assert proposal.state == "empty" or all(one.kind == "question" for one in proposal.open)
    assert proposal.window["scores"]["working"]["scores"]["hit@3"] == 0.0


def test_scores_of_an_exchanged_model_are_not_compared(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_core.benchmark import history
    from memory_core.store.tables import BenchmarkRun

    proposal = bench.offered()
    run = history.get(bench.database, proposal.window["scores"]["working"]["run"])
    with bench.database.write() as session:
        row = session.get(BenchmarkRun, run.id)
        assert row
        row.judge = "an older judge"
        session.add(row)
    after = bench.applied(proposal).window["after"]
    assert any("exchanged" in line for line in after["said"])
    assert set(after["measured"].values()) == {None}
