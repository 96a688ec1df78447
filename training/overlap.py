"""Look for word runs that training text shares with the questions of a test set."""

from __future__ import annotations

import argparse
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from memory_core.benchmark.questions import WORKING, load
from training.build import public_rows
from training.common import AUTHORED, WORK, say
from training.data import load_notes


def words(text: str) -> list[str]:
    """Return the words of a text, folded."""
    return re.findall(r"\w+", text.lower())


def runs(text: str, length: int) -> Iterator[tuple[str, ...]]:
    """Yield every run of `length` words."""
    found = words(text)
    yield from (tuple(found[i : i + length]) for i in range(len(found) - length + 1))


def training_texts(public: Path | None) -> Iterator[tuple[str, str]]:
    """Yield every text that training reads, with where it stands."""
    for note in load_notes(AUTHORED):
        yield from ((f"authored {note.key}", t) for t in (note.head, *note.points))
        yield from ((f"authored {note.key}", request.text) for request in note.requests)
    for row in public_rows(public, ()) if public else ():
        texts = (row["q"], row["pos"] or "", *row["negs"], *row.get("must", []))
        yield from ((row["source"], text) for text in texts)


def shared(
    tests: Iterable[str], texts: Iterable[tuple[str, str]], length: int
) -> dict[tuple[str, ...], set[str]]:
    """Return the runs that stand in both, with the sources that hold them."""
    wanted = {run for text in tests for run in runs(text, length)}
    found: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for source, text in texts:
        for run in runs(text, length):
            if run in wanted:
                found[run].add(source)
    return found


def working_questions(vault: Path) -> list[str]:
    """Read the questions of a vault's working set."""
    return [question.query for question in load(vault, WORKING).questions]


def locomo_texts(folder: Path) -> tuple[list[str], list[str]]:
    """Read the questions and the turns of LoCoMo."""
    documents = [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]
    asked = [row["question"] for document in documents for row in document["qa"]]
    sessions = [v for d in documents for k, v in d.items() if re.fullmatch(r"session_\d+", k)]
    return asked, [turn.get("text", "") for session in sessions for turn in session]


def report(name: str, tests: list[str], texts: list[tuple[str, str]], lengths: list[int]) -> None:
    """Print equal texts and shared runs by length."""
    known = {" ".join(words(text)) for _, text in texts}
    same = [text for text in tests if " ".join(words(text)) in known]
    say(f"{name}: {len(tests)} texts, {len(same)} equal to a training text {same[:5]}")
    for length in lengths:
        found = shared(tests, texts, length)
        say(f"  {length} words: {len(found)} shared runs")
        for run, sources in sorted(found.items())[:25] if length >= 6 else []:
            say(f"    {' '.join(run)} <- {', '.join(sorted(sources)[:3])}")


def main() -> None:
    """Report overlaps of all training text with both test sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--working", type=Path, required=True, help="a vault with a working set")
    parser.add_argument("--locomo", type=Path)
    parser.add_argument("--public", type=Path, default=WORK / "public.jsonl.gz")
    parser.add_argument("--lengths", type=int, nargs="+", default=[4, 5, 6, 7])
    args = parser.parse_args()
    texts = list(training_texts(args.public if args.public.exists() else None))
    say(f"{len(texts)} training texts")
    report("working questions", working_questions(args.working), texts, args.lengths)
    if args.locomo:
        asked, turns = locomo_texts(args.locomo)
        report("LoCoMo questions", asked, texts, args.lengths)
        report("LoCoMo turns", turns, texts, [n for n in args.lengths if n >= 6])


if __name__ == "__main__":
    main()
