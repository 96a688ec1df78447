"""Build the training data: check authored notes, filter public groups, mine look-alikes."""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import torch

from training import catalogs, mine, synth
from training.common import AUTHORED, WORK, say
from training.data import DROPPED_LICENCES, Note, coincides, load_notes, split
from training.network import load_embedder


def checked(notes: list[Note]) -> list[Note]:
    """Refuse notes whose requests point at nothing or that stand twice."""
    seen: set[str] = set()
    for note in notes:
        for request in note.requests:
            if any(not 0 <= point < len(note.points) for point in request.points):
                raise SystemExit(f"{note.key}: a request names a point that is not there")
        if note.key in seen:
            raise SystemExit(f"{note.key} stands twice")
        seen.add(note.key)
    return notes


def describe(notes: list[Note]) -> None:
    """Print what the authored set holds."""
    train, held = split(notes)
    kinds = Counter(request.kind for note in notes for request in note.requests)
    say(f"{len(train)} notes trained on, {len(held)} held out ({_fields(held)})")
    say(", ".join(f"{kind} {count}" for kind, count in kinds.most_common()))


def _fields(notes: list[Note]) -> str:
    return ", ".join(sorted({note.field for note in notes}))


def public_rows(path: Path, dropped: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield public rows of a wanted licence that coincide with no test set."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not any(word in row["licence"] for word in dropped) and not coincides(row):
                yield row


def write_groups(rows: Iterable[dict[str, Any]], path: Path) -> Counter[str]:
    """Write groups and count them by source and licence."""
    counts: Counter[str] = Counter()
    with gzip.open(path, "wt", encoding="utf-8", compresslevel=3) as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
            counts[f"{row['source']} [{row['licence']}]"] += 1
    return counts


def main() -> None:
    """Build everything that training reads."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=Path, default=AUTHORED)
    parser.add_argument("--public", type=Path, help="groups of public sources (JSON Lines, .gz)")
    parser.add_argument("--catalogs", type=Path, help="folder of wheels that hold translations")
    parser.add_argument("--drop", nargs="*", default=list(DROPPED_LICENCES), help="licences")
    parser.add_argument("--scenes", type=int, default=300, help="generated dialogues and notes")
    parser.add_argument("--embedder", type=Path, help="a delta that finds look-alikes by meaning")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--smoke", action="store_true")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    WORK.mkdir(parents=True, exist_ok=True)
    notes = checked(load_notes(args.notes))
    if not notes:
        raise SystemExit(f"no notes in {args.notes}")
    describe(notes)
    rows = synth.rows(20 if args.smoke else args.scenes)
    if args.public:
        rows = itertools.chain(public_rows(args.public, args.drop), rows)
    if args.catalogs:
        rows = itertools.chain(rows, catalogs.rows(args.catalogs))
    counts = write_groups(rows, WORK / "public.jsonl.gz")
    for source, count in sorted(counts.items()):
        say(f"{count:6d} {source}")
    notes = notes[::12] if args.smoke else notes
    miner = mine.Miner(notes, load_embedder(args.embedder) if args.embedder else None)
    found = mine.write(miner.mine(split(notes)[0]), WORK / "mined.jsonl")
    say(f"{found} requests mined")


if __name__ == "__main__":
    main()
