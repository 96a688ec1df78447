"""The held-out set: scores leave it, questions never; nothing but its scorer opens it."""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from memory_core import settings as chosen
from memory_core.benchmark import calibrate, heldout, history, questions, sets, subject
from memory_core.benchmark.asking import asker
from memory_core.benchmark.questions import Question, QuestionSet
from memory_core.errors import BadInput, NotFound, RecallUnavailable
from memory_core.exporters import exporting
from memory_core.recall.answer import Answer
from memory_core.recall.recall import Models
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.vault.question import line_of

ROOT = Path(__file__).parents[2]
SECRETS = ("qzwhale", "qzplum", "qzkind", "qzid", "qztests", "qzpoint")
HELD = [
    Question("qzid is long", "where does the qzwhale sleep", "qzplum.md", "a qzpoint at night",
             "qzkind of my own", tests="qztests the depth"),
    Question("h002", "qzwhale of the moon"),
    Question("h003", "which port does Postgres use", "ports.md", kind="direct"),
]  # fmt: skip
OPENED: list[str] = []


def _hook(event: str, arguments: tuple[object, ...]) -> None:
    if event == "open" and "heldout" in str(arguments[0]):
        OPENED.append(str(arguments[0]))


@pytest.fixture(scope="module", autouse=True)
def watched() -> None:
    """Every file that this process opens from here on is looked at."""
    sys.addaudithook(_hook)


@pytest.fixture
def vault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "vault"
    folder = root / questions.FOLDER
    folder.mkdir(parents=True)
    (root / "ports.md").write_text("- Postgres listens on port 5433.\n")
    (root / "qzplum.md").write_text("- It sleeps at a qzpoint at night.\n")
    own = [Question("w001", "the port of Postgres", "ports.md", kind="direct")]
    for name, asked in (("working", own), ("heldout", HELD)):
        lines = [line_of(question, name) for question in asked]
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    monkeypatch.setenv("WELLKEPT_VAULT", str(root))
    OPENED.clear()
    return root


@pytest.fixture
def under(vault: Path) -> Iterator[subject.Subject]:
    yield subject.load(Settings(vault=vault), models=Models(None, None, "no models"))


def test_only_numbers_leave_the_held_out_set(under: subject.Subject, database: Database) -> None:
    scored = sets.score_sets(
        database, under.vault.root, under.about(None), asker(under.recall, None)
    )
    found = scored.heldout
    assert found and (found.questions, found.answerable, found.nonsense) == (3, 2, 1)
    assert (found.hit, found.skipped) == (1.0, 0)
    assert all(isinstance(value, (int, float, type(None))) for value in asdict(found).values())
    run = history.get(database, found.run)
    assert run.name == "heldout" and len(run.results) == 3
    for secret in SECRETS:
        assert secret not in json.dumps([run.scores, run.results]) + scored.trend.said
    assert set(run.scores["by_kind"]) == {"other", "nonsense", "direct"}


def test_the_store_holds_no_word_of_it(under: subject.Subject, database: Database) -> None:
    about = under.about(None)
    heldout.score_heldout(database, under.vault.root, about, asker(under.recall, None))
    database.close()
    files = list((under.vault.root.parent / "home").rglob("*"))
    stored = b"".join(file.read_bytes() for file in files if file.is_file())
    assert b"heldout" in stored
    words = ("qzwhale", "qzkind", "qzid", "qztests")
    assert not [word for word in words if word.encode() in stored]


def test_nothing_but_the_scorer_opens_it(vault: Path, database: Database) -> None:
    under = subject.load(Settings(vault=vault), models=Models(None, None, "no models"))
    calibrate.of_vault(under.recall, vault, under.scan.notes, margin=0.1)
    calibrate.clearance(under.recall, vault, 1.0)
    sets.score_working(database, vault, under.about(None), asker(under.recall, None))
    questions.add(vault, "working", Question("", "More?"), {})
    assert not [source for source in under.recall.sources if "wellkept" in source]
    assert OPENED == []
    heldout.ready(vault)
    assert len(OPENED) == 1


def test_no_other_module_names_the_file_or_reaches_the_scorer() -> None:
    importing, naming = set(), set()
    for folder in ("memory_core", "flows", "deployments"):
        for file in (ROOT / folder).rglob("*.py"):
            name = file.relative_to(ROOT).as_posix()
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                if isinstance(node, ast.ImportFrom):
                    own = {f"{node.module}.{alias.name}" for alias in node.names}
                    if any("benchmark.heldout" in one for one in own):
                        importing.add(name)
                elif isinstance(node, ast.Constant) and node.value == "heldout":
                    naming.add(name)
    assert importing == {
        "memory_core/benchmark/sets.py", "memory_core/cli/bench.py",
        "memory_core/cli/bench_questions.py",
    }  # fmt: skip
    assert naming == {"memory_core/benchmark/questions.py"}


def test_the_set_of_questions_is_not_loaded_under_its_name(vault: Path) -> None:
    for refused in (questions.load, questions.file_of):
        with pytest.raises(BadInput, match="opened by its scorer alone"):
            refused(vault, "heldout")
    with pytest.raises(BadInput, match="opened by its scorer alone"):
        questions.add(vault, "heldout", Question("", "More?"), {})


def test_a_recall_that_fails_names_no_held_out_question(
    under: subject.Subject, database: Database
) -> None:
    class Down:
        judge_id, sources = "j", under.recall.sources

        def recall(self, query: str, **_: object) -> Answer:
            return Answer("unavailable", reason=f"failed on {query}")

    with pytest.raises(RecallUnavailable) as caught:
        heldout.score_heldout(
            database,
            under.vault.root,
            under.about(None),
            asker(Down(), None),  # type: ignore[arg-type]
        )
    assert "qz" not in str(caught.value) and caught.value.__suppress_context__


def test_a_set_without_questions_is_told_apart_from_one_that_cannot_be_read(
    under: subject.Subject, database: Database
) -> None:
    file = under.vault.root / questions.FOLDER / "heldout.jsonl"
    about, ask = under.about(None), asker(under.recall, None)
    file.write_text("{broken qzwhale\n")
    scored = sets.score_sets(database, under.vault.root, about, ask)
    assert scored.working and scored.heldout is None
    assert scored.notices == ("none of the 1 lines of the heldout set can be read",)
    file.write_text("")
    with pytest.raises(NotFound, match="has no question yet"):
        heldout.ready(under.vault.root)
    file.unlink()
    assert "no question set" in sets.score_sets(database, under.vault.root, about, ask).notices[0]


def test_check_names_ids_and_lines_and_no_question(vault: Path) -> None:
    file = vault / questions.FOLDER / "heldout.jsonl"
    with file.open("a") as stream:
        stream.write('{"id": "h9", "query": "qzwhale", "note": 3}\n')
        twin = Question("h010", "The port of  Postgres", "gone.md", kind="direct")
        stream.write(line_of(twin, "heldout"))
    texts = {"ports.md": "- Postgres listens on port 5433."}
    count, said = heldout.check(vault, texts)
    assert count == 4
    assert ("h010", "the note gone.md is gone") in said
    assert ("h010", "the working set asks the same: it is not held out") in said
    assert ("", "heldout.jsonl line 4: `note` is not text") in said
    assert "qzwhale" not in str(said)


def test_a_person_adds_and_the_id_is_a_slug(vault: Path) -> None:
    texts = {"ports.md": "- Postgres listens on port 5433."}
    asked = Question("", "port?", "ports.md", "5433", "direct")
    assert heldout.add(vault, asked, texts) == "h004"
    with pytest.raises(BadInput, match="short slug"):
        heldout.add(vault, Question("Where is it?", "x"), texts)


def test_an_export_takes_the_file_along_and_says_it_nowhere_else(
    under: subject.Subject, database: Database, tmp_path: Path
) -> None:
    heldout.score_heldout(database, under.vault.root, under.about(None), asker(under.recall, None))
    exporting.export(chosen.load(), tmp_path / "out")
    file = tmp_path / "out" / "notes" / questions.FOLDER / "heldout.jsonl"
    assert file.read_bytes() == (under.vault.root / questions.FOLDER / file.name).read_bytes()
    others = [one for one in (tmp_path / "out").rglob("*") if one.is_file() and one != file]
    assert not [one for one in others if b"qzwhale" in one.read_bytes()]


def test_a_set_has_a_digest_that_follows_its_questions() -> None:
    one, other = QuestionSet("heldout", tuple(HELD)), QuestionSet("heldout", tuple(HELD[:2]))
    assert one.digest == QuestionSet("working", tuple(HELD)).digest != other.digest
