"""Recall over many notes: how long the index takes, what it weighs, how fast it answers.

`python -m benchmarks.scale [--notes 10000]` writes synthetic notes from the demo vault's
own sentences and asks the working set's questions, beside the demo vault alone in the
same run. Vectors are drawn at random (seeded), since what is timed is the search and the
reading, not the embedding; the rate of the embedder is measured on real passages beside it.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.hook import spread
from benchmarks.warm import DEMO, requests
from memory_core.recall.recall import NO_FLOOR, Models, Recall
from memory_core.recall.source import of_note
from memory_core.settings import Settings
from memory_core.store.vectors import VectorCache, content_hash
from memory_core.vault.passages import split
from memory_core.vault.vault import Vault

ASKED = 60


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    count = parser.parse_args().notes
    settings = Settings(measure_floor=False)
    models = Models.load(settings)
    print("| notes | passages | scan s | index s | resident MB | p50 ms | p95 ms | legs p95 ms |")
    print("| --- " * 8 + "|")
    with TemporaryDirectory() as folder:
        _measure(DEMO, settings, models, Path(folder) / "small.sqlite")
        vault = Path(folder) / "vault"
        vault.mkdir()
        _write(vault, count)
        _measure(vault, settings, models, Path(folder) / "large.sqlite")
    _rate(models)


def _measure(root: Path, settings: Settings, models: Models, cache: Path) -> None:
    since = time.perf_counter()
    notes = Vault(root).scan().notes
    scanned = time.perf_counter() - since
    sources = [of_note(note, tuple(split(note))) for note in notes]
    assert models.embedder
    stored = VectorCache(cache, models.embedder.model, models.embedder.width)
    stored.put(_random_vectors([p.text for source in sources for p in source.passages]))
    stored.close()
    since = time.perf_counter()
    recall = Recall(settings, models, cache)
    recall.update(sources)
    indexed = time.perf_counter() - since
    whole, legs = [], []
    for request in requests()[:ASKED]:
        since = time.perf_counter()
        answer = recall.recall(request, floor=NO_FLOOR)
        whole.append((time.perf_counter() - since) * 1000)
        legs.append(answer.stages["words"] + answer.stages["meaning"])
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    answered = spread(whole)
    print(
        f"| {len(notes)} | {recall.passages} | {scanned:.1f} | {indexed:.1f} | {memory:.0f} "
        f"| {answered['p50']:.0f} | {answered['p95']:.0f} | {spread(legs)['p95']:.0f} |",
        flush=True,
    )


def _random_vectors(texts: list[str]) -> Iterator[tuple[bytes, np.ndarray]]:
    drawn = np.random.default_rng(1)
    for text in texts:
        vector = drawn.standard_normal(384).astype(np.float32)
        yield content_hash(text), (vector / np.linalg.norm(vector)).astype(np.float16)


def _write(vault: Path, count: int) -> None:
    """Notes of three to eight bullets, each a sentence of the demo vault with a number changed."""
    drawn = random.Random(1)
    points = [point.text for note in Vault(DEMO).scan().notes for point in note.points]
    short = [point for point in points if len(point) < 300 and "\n" not in point]
    for number in range(count):
        chosen = drawn.sample(short, drawn.randint(3, 8))
        body = "\n".join(f"- {text.lstrip('- ')} ({drawn.randint(1, 99_999)})" for text in chosen)
        head = f"---\nkey: note-{number}\ndescription: Note {number} on {chosen[0][:60]!r}\n---\n"
        (vault / f"note-{number}.md").write_text(head + body + "\n", "utf-8")


def _rate(models: Models) -> None:
    """Passages a second of the real embedder."""
    texts = [p.text for note in Vault(DEMO).scan().notes for p in split(note)]
    assert models.embedder
    since = time.perf_counter()
    models.embedder.embed(texts)
    rate = len(texts) / (time.perf_counter() - since)
    print(f"\nThe embedder makes {rate:.0f} vectors a second; each is made once and cached.")


if __name__ == "__main__":
    main()
