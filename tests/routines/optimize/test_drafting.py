"""A drafted question has its answer in its note, once, and not the note's own words."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memory_core import llm
from memory_core.routines.optimize.audited import Audited
from memory_core.routines.optimize.drafting import Drafted, drafted
from memory_core.store.database import Database
from memory_core.testing import StubModel
from tests.routines.optimize.auditing import audited, laid, no_vectors, vault

SET = ".wellkept/benchmark/working.jsonl"
KILN = "- The kiln is fired at 1240 degrees.\n- Shelves are coated with alumina."


@pytest.fixture
def here(tmp_path: Path) -> Audited:
    root = vault(tmp_path / "v", kiln=KILN, loom="- The loom has eight shafts.")
    (root / SET).parent.mkdir(parents=True)
    (root / SET).write_text(
        '{"id": "w1", "query": "How many harnesses on the weaving frame?", "note": "loom.md",'
        ' "answer_point": "eight shafts"}\n'
    )
    return audited(root, no_vectors)


def asked(**changes: Any) -> dict[str, Any]:
    one = {
        "note": "kiln.md", "point": 1, "answer": "fired at 1240 degrees",
        "query": "How hot must my stoneware oven get for a glaze run?",
    }  # fmt: skip
    return one | changes


def draft(database: Database, here: Audited, *rows: dict[str, Any]) -> tuple[Drafted, StubModel]:
    with StubModel({"questions": list(rows)}) as stub:
        complete = partial(llm.complete, stub.settings(), database, routine="optimize", run="r1")
        return drafted(here, complete), stub


def test_a_good_question_is_an_item_that_the_working_set_takes(
    database: Database, here: Audited, tmp_path: Path
) -> None:
    found, stub = draft(database, here, asked())
    (one,) = found.findings
    assert one.item and one.where == "kiln.md" and found.notices == ()
    *_, line = laid(tmp_path / "v", tmp_path / "copy", one.item)[SET].splitlines()
    row = json.loads(line)
    assert row["note"] == "kiln.md" and row["answer_point"] == "fired at 1240 degrees"
    assert row["kind"] == "paraphrase"
    assert "kiln.md" in stub.sent and "loom.md" not in stub.sent


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"note": "loom.md"}, "named no note shown"),
        ({"point": 9}, "named no point"),
        ({"point": 2}, "quoted what the point does not say"),
        ({"answer": "fired at 1280 degrees"}, "quoted what the point does not say"),
        ({"query": "At how many degrees is the kiln fired?"}, "repeated the note's words"),
        ({"query": "How many harnesses has the weaving frame?"}, "are asked already"),
        ({"query": "What is it?"}, "had too few words"),
        ({"query": f"Does ghp_{'a8Kd03mQzX' * 3}4Tr9Lw open my stoneware oven?"}, "a secret"),
    ],
)
def test_what_does_not_hold_is_left_out_and_counted(
    database: Database, here: Audited, changes: dict[str, Any], why: str
) -> None:
    found, _ = draft(database, here, asked(**changes))
    assert found.findings == ()
    (notice,) = found.notices
    assert why in notice and "1 " in notice


def test_an_answer_that_stands_twice_in_the_note_is_none(
    database: Database, tmp_path: Path
) -> None:
    twice = "- The kiln is fired at 1240 degrees.\n- Raku is not fired at 1240 degrees."
    here = audited(vault(tmp_path / "w", kiln=twice), no_vectors)
    found, _ = draft(database, here, asked())
    assert found.findings == () and "more than once" in found.notices[0]


def test_a_note_is_asked_for_once(database: Database, here: Audited) -> None:
    other = asked(query="What keeps glaze off the plates that pots stand on?", point=2,
                  answer="coated with alumina")  # fmt: skip
    found, _ = draft(database, here, asked(), other)
    assert len(found.findings) == 1 and "a second time" in found.notices[0]


def test_where_every_note_has_a_question_nothing_is_sent(
    database: Database, tmp_path: Path
) -> None:
    found, stub = draft(database, audited(vault(tmp_path / "w"), no_vectors))
    assert found == Drafted() and stub.requests == []
