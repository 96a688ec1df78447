"""Training material: authored notes and dialogues, public groups, hold-outs and query damage."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

# Whole fields of work that no weight ever sees; the judge and every stop are decided on them.
DEV_FIELDS = frozenset({"php-agency", "elder-care", "logistics-scala"})
# Licences that stay out by default: share-alike texts and per-package licences.
DROPPED_LICENCES = ("CC-BY-SA", "DFSG")
# Values of generated dialogues that coincide with facts of a public evaluation set.
COINCIDENCES = (
    "signed up for a pottery class",
    "went to a poetry reading",
    "support group meeting",
    "pride parade",
    "charity run",
    "dance studio",
)


@dataclass(frozen=True)
class Request:
    """A request to an agent, with the points of its note that answer it (none: unanswerable)."""

    text: str
    kind: str
    points: frozenset[int]


@dataclass(frozen=True)
class Passage:
    """A piece of a note as it is indexed."""

    text: str
    note: str
    points: frozenset[int]

    def answers(self, note: str, request: Request) -> bool:
        """Tell whether this passage answers a request on that note."""
        return self.note == note and bool(self.points & request.points)


@dataclass
class Note:
    """An authored note or dialogue."""

    key: str
    field: str
    head: str
    points: list[str]
    requests: list[Request] = field(default_factory=list)

    @property
    def dialogue(self) -> bool:
        """Dialogues have no head; each turn stands alone."""
        return not self.head

    def single(self) -> list[Passage]:
        """One passage a point."""
        return [self._passage([i]) for i in range(len(self.points))]

    def merged(self, limit: int = 320) -> list[Passage]:
        """Consecutive points packed up to a length, as at run time."""
        if self.dialogue:
            return self.single()
        runs: list[list[int]] = []
        for i, point in enumerate(self.points):
            size = sum(len(self.points[j]) for j in runs[-1]) if runs else limit
            if runs and size + len(point) <= limit:
                runs[-1].append(i)
            else:
                runs.append([i])
        return [self._passage(run) for run in runs]

    def _passage(self, run: list[int]) -> Passage:
        body = "\n".join(self.points[i] for i in run)
        text = f"{self.head}\n{body}" if self.head else body
        return Passage(text, self.key, frozenset(run))


@dataclass(frozen=True)
class Group:
    """A public row: a request, the text that answers it (or none) and texts that do not."""

    text: str
    answer: str | None
    wrong: tuple[str, ...]
    hard: tuple[str, ...]
    source: str


def load_notes(folder: Path) -> list[Note]:
    """Read all authored files of a folder, with the additional requests of `extra.jsonl`."""
    notes: list[Note] = []
    for path in sorted(folder.glob("*.jsonl")):
        if path.stem != "extra":
            notes += [_note(path.stem, row) for row in _rows(path)]
    by_key = {note.key: note for note in notes}
    extra = folder / "extra.jsonl"
    for row in _rows(extra) if extra.exists() else ():
        by_key[f"{row['file']}/{row['key']}"].requests += _requests(row["queries"], "points")
    return notes


def _rows(path: Path) -> Iterator[dict]:
    with path.open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in lines if line.strip())


def _note(stem: str, row: dict) -> Note:
    key = f"{stem}/{row['key']}"
    if "turns" in row:
        turns = [_turn(turn, row["date"]) for turn in row["turns"]]
        note = Note(key, "dialogue " + " and ".join(row["people"]), "", turns)
        note.requests = _requests(row["queries"], "turns")
    else:
        note = Note(key, row["domain"], row["description"], row["points"])
        note.requests = _requests(row["queries"], "points")
    quiet = [Request(text, "unanswerable", frozenset()) for text in row.get("unanswerable", [])]
    note.requests += quiet
    return note


def _turn(turn: str, date: str) -> str:
    name, _, words = turn.partition(":")
    return f"{name} ({date}): {words.strip()}"


def _requests(rows: list[dict], answered_by: str) -> list[Request]:
    return [Request(row["q"], row["kind"], frozenset(row[answered_by])) for row in rows]


def split(notes: Iterable[Note]) -> tuple[list[Note], list[Note]]:
    """Divide notes into those trained on and those held out by field."""
    train: list[Note] = []
    held: list[Note] = []
    for note in notes:
        (held if note.field in DEV_FIELDS else train).append(note)
    return train, held


def load_groups(path: Path, dropped: Iterable[str] = DROPPED_LICENCES) -> list[Group]:
    """Read public groups, without unwanted licences and without coincidences."""
    opener = gzip.open if path.suffix == ".gz" else open
    groups = []
    with opener(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not any(word in row["licence"] for word in dropped) and not coincides(row):
                groups.append(_group(row))
    return groups


def coincides(row: dict) -> bool:
    """Tell whether a row shows a generated value that a public evaluation set also holds."""
    texts = [row["q"], row["pos"] or "", *row["negs"], *row.get("must", [])]
    return any(value in text for text in texts for value in COINCIDENCES)


def _group(row: dict) -> Group:
    wrong, hard = tuple(row["negs"]), tuple(row.get("must", []))
    return Group(row["q"], row["pos"], wrong, hard, row["source"])


def damage(text: str, rng: random.Random) -> str:
    """Return the text as hasty fingers type it: letters swapped, dropped, doubled, all lower."""
    words = text.split(" ")
    long = [i for i, word in enumerate(words) if len(word) > 3 and re.fullmatch(r"\w+\W?", word)]
    for i in rng.sample(long, min(len(long), max(1, len(long) // 3))):
        words[i] = _slip(words[i], rng)
    hasty = " ".join(words)
    return hasty.lower() if rng.random() < 0.6 else hasty


def _slip(word: str, rng: random.Random) -> str:
    i = rng.randrange(1, len(word) - 1)
    slips = (
        word[: i - 1] + word[i] + word[i - 1] + word[i + 1 :],
        word[:i] + word[i + 1 :],
        word[:i] + word[i] + word[i:],
        word[:i] + rng.choice("aeiounrst") + word[i + 1 :],
    )
    return rng.choice(slips)
