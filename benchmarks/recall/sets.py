"""The sets that are measured: a vault with its working set, and LoCoMo conversations."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory_core.benchmark.questions import WORKING, general, load
from memory_core.recall.source import Source, of_note
from memory_core.vault.note import Point
from memory_core.vault.passages import Passage, split
from memory_core.vault.vault import Vault


@dataclass
class Question:
    """A question, the sources that are right (none: nonsense) and its kind."""

    text: str
    right: set[str]
    kind: str


@dataclass
class Corpus:
    """Sources and the questions asked of them."""

    name: str
    sources: list[Source] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def working(vault: Path) -> Corpus:
    """Read a vault with its own working set, and the general nonsense that ships."""
    notes = Vault(vault).scan().notes
    corpus = Corpus("working set", [of_note(note, tuple(split(note))) for note in notes])
    asked = [*load(vault, WORKING).questions, *general().questions]
    corpus.questions = [Question(q.query, set(q.right), q.kind) for q in asked]
    return corpus


def locomo(folder: Path, only: list[str]) -> list[Corpus]:
    """Read conversations; a source is a turn, questions of category 5 are left out."""
    return [_conversation(folder / f"{name}.json") for name in only]


def _conversation(path: Path) -> Corpus:
    document = json.loads(path.read_text(encoding="utf-8"))
    corpus = Corpus(f"LoCoMo {path.stem}")
    for key in [k for k in document if re.fullmatch(r"session_\d+", k)]:
        date = document.get(f"{key}_date_time", "")
        corpus.sources += [_turn(turn, date) for turn in document[key]]
    known = {source.id for source in corpus.sources}
    for row in document["qa"]:
        named = {e for x in row.get("evidence", []) for e in re.findall(r"D\d+:\d+", x)}
        if named & known and row["category"] != 5:
            corpus.questions.append(Question(row["question"], named & known, str(row["category"])))
    return corpus


def _turn(turn: dict[str, Any], date: str) -> Source:
    text = turn.get("text") or turn.get("clean_text") or ""
    shares = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    body, name = f"{turn['speaker']} ({date}): {text}{shares}", str(turn["dia_id"])
    return Source(name, name, (Passage(name, "", body),), (Point(body, 0),))
