"""A set is asked of the real recall, scored, kept and compared."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.benchmark import calibrate, history, questions, score, subject
from memory_core.benchmark.questions import Question, QuestionSet
from memory_core.errors import BadInput, NotCalibrated, NotFound, RecallUnavailable
from memory_core.recall.answer import Answer
from memory_core.recall.floor import in_force
from memory_core.recall.recall import Models
from memory_core.settings import Settings
from memory_core.store.database import Database

NOTES = {
    "pg-backups": "How Postgres is backed up\n- Retention: 4 full backups, WAL for 14 days.\n"
    "- Restore drills are on the first Tuesday.",
    "deploy": "Deploying the shop\n- Roll back with `shopctl deploy --previous`.\n"
    "- Never deploy on a Friday after 14:00.",
    "cat": "Feeding the cat\n- 40 g of dry food at seven in the morning.\n- No milk.",
    "heating": "The heat pump at home\n- Error E12 means that the filter is full.\n"
    "- It is serviced in September by Varme AS.",
    "tyres": "Winter tyres\n- Change in week 45; they lie in the cellar.\n- 2.4 bar in front.",
}
ASKED = [
    Question("a1", "How many full backups of Postgres do we keep?", "pg-backups.md",
             "Retention: 4 full backups", "direct"),
    Question("a2", "the heat pump shows E12", "heating.md", "the filter is full", "rare-term"),
    Question("a3", "How much dry food does the cat get?", "cat.md", "40 g of dry food", "direct"),
    Question("a4", "roll back the last deploy of the shop", "deploy.md",
             "`shopctl deploy", "prompt"),
]  # fmt: skip
NONSENSE = [
    Question(f"n{n}", query)
    for n, query in enumerate(
        ["PHRASE_8842_QQQQ", "How many moons does Neptune have?", "continue",
         "Compose a lullaby for ukulele.", "Which JCL step restarts CICS?"]
    )
]  # fmt: skip


@pytest.fixture(scope="module")
def vault(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("vault")
    for key, text in NOTES.items():
        description, _, body = text.partition("\n")
        front = f"---\nkey: {key}\ndescription: {description}\n---\n"
        (root / f"{key}.md").write_text(front + body + "\n")
    return root


@pytest.fixture
def under(home: Path, vault: Path, recall_models: Models) -> Iterator[subject.Subject]:
    yield subject.load(Settings(vault=vault), models=recall_models)


def test_real_questions_find_their_notes_and_the_floor_keeps_nonsense_quiet(
    under: subject.Subject, database: Database
) -> None:
    measured = calibrate.measure(
        under.recall, [*ASKED, *NONSENSE], questions.general().questions[:8],
        under.scan.notes, margin=0.1,
    )  # fmt: skip
    assert (measured.questions, measured.answerable) == ("benchmark", 4)
    assert measured.quiet_here == 1.0
    with pytest.raises(NotCalibrated, match="no floor yet"):
        in_force(database, under.recall.judge_id, under.name)
    calibrate.keep(database, measured, judge=under.recall.judge_id, vault=under.name)
    floor = in_force(database, under.recall.judge_id, under.name)
    assert (floor.value, floor.clearance) == (measured.floor, measured.clearance)
    with pytest.raises(NotCalibrated, match="the model now is another"):
        in_force(database, "another", under.name)

    results = score.run(under.recall, [*ASKED, *NONSENSE], measured.floor)
    scores = score.summary(results)
    assert (scores["hit@3"], scores["pool"], scores["quiet"]) == (1.0, 1.0, 1.0)
    assert scores["point"] in (None, 1.0)
    assert set(scores["by_kind"]) == {"direct", "rare-term", "prompt", "nonsense"}
    assert scores["by_kind"]["nonsense"]["hit@3"] is None
    assert scores["answered"] == measured.answered_here
    assert scores["latency_ms"]["p95"] >= scores["latency_ms"]["p50"] > 0


def test_without_a_working_set_the_notes_describe_themselves(
    under: subject.Subject, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = QuestionSet("general", questions.general().questions[::12])
    monkeypatch.setattr(calibrate, "general", lambda: few)
    root, recall = under.vault.root, under.recall
    measured, problems = calibrate.of_vault(recall, root, under.scan.notes, margin=0.1)
    assert "no question set" in problems[0]
    assert calibrate.clearance(recall, root, measured.floor, measured.held) == measured.clearance
    assert (measured.questions, measured.answerable) == ("general", len(NOTES))
    assert measured.answered_here == 1.0


def test_nothing_to_ask_and_impossible_shares_are_refused(under: subject.Subject) -> None:
    with pytest.raises(NotFound, match="no note yet"):
        calibrate.measure(under.recall, [], NONSENSE, (), margin=0.1)
    with pytest.raises(BadInput, match="between 0 and 1"):
        calibrate.measure(under.recall, ASKED, NONSENSE, (), margin=0.1, quiet=1.5)


class Unavailable:
    """A recall that cannot run."""

    judge_id = "none"

    def recall(self, _query: str, **_options: object) -> Answer:
        return Answer("unavailable", reason="the index is building")


def test_a_recall_that_cannot_run_gives_no_score() -> None:
    with pytest.raises(RecallUnavailable, match="the index is building"):
        score.run(Unavailable(), ASKED)  # type: ignore[arg-type]


def test_stored_rows_never_hold_a_question(under: subject.Subject, database: Database) -> None:
    results = score.run(under.recall, ASKED[:1])
    run = history.keep(database, QuestionSet("working", tuple(ASKED[:1])), results,
                       under.about(None))  # fmt: skip
    assert ASKED[0].query not in str(run.results) + str(run.scores)
    assert run.scores["answered"] == run.scores["hit@3"] == 1.0
    assert run.scores["set"] == {
        "answerable": 1, "nonsense": 0, "skipped": 0,
        "digest": QuestionSet("working", tuple(ASKED[:1])).digest,
    }  # fmt: skip
    assert (run.scores["vault"], run.judge) == (under.name, under.recall.judge_id)


def test_the_same_notes_and_questions_score_the_same_to_the_bit(under: subject.Subject) -> None:
    def once() -> list[dict[str, object]]:
        rows = score.rows(score.run(under.recall, [*ASKED, *NONSENSE[:2]]))
        return [{name: value for name, value in row.items() if name != "ms"} for row in rows]

    assert once() == once()


def test_scores_of_nothing_are_none() -> None:
    scores = score.summary([])
    assert (scores["hit@3"], scores["quiet"], scores["questions"]) == (None, None, 0)
    assert scores["latency_ms"] == {"p50": None, "p95": None}
    assert score.percentile(list(range(1, 101)), 95) == 95
    assert math.isclose(score.percentile([1, 2], 50) or 0, 1.5)
