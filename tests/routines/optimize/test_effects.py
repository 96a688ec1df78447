"""What a change does is measured by doing it alone, through the desk that would apply it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory_core.benchmark.asking import in_process
from memory_core.benchmark.bench import Bench
from memory_core.benchmark.questions import load
from memory_core.benchmark.scratch import Scratch
from memory_core.errors import Conflict
from memory_core.proposals import making
from memory_core.proposals.desk import Desk, Edit
from memory_core.proposals.snapshot import MISSING, Snapshot
from memory_core.recall.recall import Models, Recall
from memory_core.recall.source import of_note
from memory_core.routines.optimize.effects import NOTHING, Base, Effect, effect_of, measure
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.judged import Judged, judged
from memory_core.settings import Settings
from memory_core.vault.passages import split
from tests.benchmark import shelf
from tests.benchmark.shelf import REPEATED


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(vault=shelf.lay(tmp_path_factory.mktemp("effects") / "vault"))


@pytest.fixture(scope="module")
def root(settings: Settings) -> Path:
    assert settings.vault
    return settings.vault


@pytest.fixture(scope="module")
def base(settings: Settings, root: Path, recall_models: Models) -> Base:
    recall = Recall(settings, recall_models)
    recall.update(of_note(note, tuple(split(note))) for note in shelf.notes())
    recall.embed_all()
    bench = Bench.of(settings, in_process(recall, shelf.FLOOR))
    return Base.of(Scratch(bench, shelf.notes()), load(root).questions)


@pytest.fixture
def desk(settings: Settings, root: Path) -> Desk:
    return Desk(root, settings)


def test_a_line_less_to_carry_is_told_in_characters_alone(base: Base, desk: Desk) -> None:
    effect = measure(base, desk, making.drop_line("MEMORY.md", REPEATED))
    assert effect == Effect(carried=-len(REPEATED) - 1)
    assert effect.said == f"-{len(REPEATED) + 1} characters carried in each session"


def test_what_changes_nothing_says_so(base: Base, desk: Desk) -> None:
    text = shelf.NOTES["boat.md"]
    effect = measure(base, desk, making.tag("boat.md", text, ["boat"]))
    assert effect.gain == 0 and not effect.lowers
    assert Effect().said == NOTHING


def test_a_note_more_answers_its_question_and_the_winner_is_named(base: Base) -> None:
    poorer = Base.of(base.scratch.changed({"bees.md": None}), base.questions)
    written = Edit("bees.md", MISSING, Snapshot.of(shelf.NOTES["bees.md"]))
    effect = effect_of(poorer, [written], "MEMORY.md")
    assert effect.won == ("w002",) and effect.points == effect.answered == 33.33
    assert "hit@3 +33.3 points; answered +33.3 points (won w002)" in effect.said


def test_a_change_that_harms_is_told_and_not_offered(base: Base) -> None:
    gone = Edit("bees.md", Snapshot.of(shelf.NOTES["bees.md"]), MISSING)
    effect = effect_of(base, [gone], "MEMORY.md")
    assert effect.lowers and effect.lost == ("w002",)
    item = making.drop_line("MEMORY.md", REPEATED)
    found = Judged(Finding("notes", "harm", "bees.md", "a harm", item=item, weight=1.0), effect)
    assert found.item is None and found.as_json()["why"] == "not offered: it lowers the score"


def test_the_question_of_a_point_that_moves_goes_along(base: Base, desk: Desk) -> None:
    line = "- The mast goes into the shed of the club, rack number 7."
    effect = measure(base, desk, making.move_line("boat.md", line, "kiln.md", kind="note"))
    assert not effect.lowers and "w003" not in effect.lost


def test_a_change_of_the_test_is_told_with_and_without(base: Base, desk: Desk) -> None:
    text = (desk.root / ".wellkept/benchmark/working.jsonl").read_text("utf-8")
    effect = measure(base, desk, making.retire_question(making.question_line(text, "w001")))
    assert "the test: 4 -> 3 questions" in effect.said and effect.gain == 0
    hard = making.add_question("who feeds the parrot?", "bees.md", "oxalic acid", "direct")
    effect = measure(base, desk, hard)
    assert "the test: 4 -> 5 questions" in effect.test and not effect.lowers


def test_what_does_not_fit_is_told_and_not_measured(base: Base, desk: Desk) -> None:
    gone = making.drop_line("MEMORY.md", "- This line was never there.")
    with pytest.raises(Conflict):
        measure(base, desk, gone)
    (found,) = judged([Finding("always-loaded", "x", "MEMORY.md", "x", item=gone)], base, desk)
    assert found.item is None and found.why.startswith("cannot be applied")


def test_findings_keep_their_order_and_the_weightiest_are_measured_first(
    base: Base, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memory_core.routines.optimize.judged.MOST", 1)
    told: list[str] = []
    drop = making.drop_line("MEMORY.md", REPEATED)
    light = Finding("always-loaded", "a", "MEMORY.md", "a", item=drop, weight=0.1)
    heavy = Finding("always-loaded", "b", "MEMORY.md", "b", item=drop, weight=0.9)
    plain = Finding("notes", "c", "kiln.md", "c", handed=True)
    found = judged([light, plain, heavy], base, desk, lambda _share, what: told.append(what))
    assert [one.finding.code for one in found] == ["a", "c", "b"]
    assert [isinstance(one, Judged) and one.effect is not None for one in found] == [
        False, False, True,
    ]  # fmt: skip
    assert "a run measures 1 changes" in found[0].why and len(told) == 2
    assert found[2].item and found[2].item.value > 0.9
    assert found[2].item.detail["effect"] == found[2].effect.said  # type: ignore[union-attr]
