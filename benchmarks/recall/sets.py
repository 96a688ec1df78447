"""The sets that are measured: a working vault with questions, and LoCoMo conversations."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Question:
    """A question, the sources that are right (none: nonsense) and its kind."""

    text: str
    right: set[str]
    kind: str


@dataclass
class Corpus:
    """Passages with their sources, and the questions asked of them."""

    name: str
    texts: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


def working(folder: Path, limit: int = 330) -> Corpus:
    """Read `notes/*.md`, `questions.jsonl` and `accept.json`."""
    corpus = Corpus("working")
    for path in sorted((folder / "notes").glob("*.md")):
        for text in note_passages(path.read_text(encoding="utf-8"), limit):
            corpus.texts.append(text)
            corpus.sources.append(path.name)
    accept = json.loads((folder / "accept.json").read_text(encoding="utf-8"))
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        right = {row["note"], *accept.get(row["id"], [])} if row["note"] else set()
        corpus.questions.append(Question(row["query"], right, row["kind"]))
    return corpus


def note_passages(text: str, limit: int) -> list[str]:
    """Split a note into passages: points packed up to a length, under its description."""
    _, front, body = text.split("---\n", 2)
    found = re.search(r"^description: (.*)$", front, re.M)
    head = found[1].strip().strip('"') if found else ""
    points = [p.strip() for p in re.split(r"\n(?=[-*] )|\n\s*\n", body) if p.strip()]
    runs: list[str] = []
    for point in points:
        if runs and len(runs[-1]) + len(point) <= limit:
            runs[-1] += "\n" + point
        else:
            runs.append(point)
    return [f"{head}\n{run}" for run in runs]


def locomo(folder: Path, only: list[str] | None = None) -> list[Corpus]:
    """Read conversations; a passage is a turn, questions of category 5 are left out."""
    paths = sorted(folder.glob("*.json"))
    return [_conversation(p) for p in paths if only is None or p.stem in only]


def _conversation(path: Path) -> Corpus:
    document = json.loads(path.read_text(encoding="utf-8"))
    corpus = Corpus(f"locomo {path.stem}")
    for key in [k for k in document if re.fullmatch(r"session_\d+", k)]:
        date = document.get(f"{key}_date_time", "")
        for turn in document[key]:
            corpus.texts.append(_turn(turn, date))
            corpus.sources.append(turn["dia_id"])
    known = set(corpus.sources)
    for row in document["qa"]:
        named = {e for x in row.get("evidence", []) for e in re.findall(r"D\d+:\d+", x)}
        if named & known and row["category"] != 5:
            corpus.questions.append(Question(row["question"], named & known, str(row["category"])))
    return corpus


def _turn(turn: dict[str, str], date: str) -> str:
    text = turn.get("text") or turn.get("clean_text") or ""
    shares = f" [shares {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    return f"{turn['speaker']} ({date}): {text}{shares}"
