"""Digest and bank search: p95 with three full banks, alone and among 100,000 banks.

The baseline of each is the bare minimum in the same run: the same rows fetched by the
standard library's sqlite3. Run it with `python -m benchmarks.banks`; it takes about two
minutes, most of it to write the 100,000 banks.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from memory_core.banks.banks import Banks
from memory_core.banks.caps import CONTENT
from memory_core.banks.context import Context
from memory_core.banks.digest import digest
from memory_core.banks.memory import Draft
from memory_core.banks.toolbox import Toolbox
from memory_core.banks.writer import By
from memory_core.store.database import Database

Spent = tuple[float, float]
ADA = Context("ada", "github.com/acme/shop")
CROWD = 100_000  # other banks, five memories each
ROUNDS = 300
DIGEST_ROWS = (
    "SELECT bank, key, description, refs, tags, updated_at FROM memory WHERE bank IN (?, ?, ?)"
)
FULL_ROWS = "SELECT * FROM memory WHERE bank IN (?, ?, ?)"


def main() -> None:
    """Print a line a measurement: on the clock, of the processor, and as a ratio."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "wellkept.sqlite"
        banks = Banks(Database(f"sqlite:///{file}"))
        words = _vocabulary()
        loop = _timed(lambda: sum(number * number for number in range(100_000)), 20)
        _line("this machine now: a bare loop", loop, loop)
        _fill(banks, words)
        _measure(banks, file, words, "3 full banks")
        _crowd(file)
        _measure(banks, file, words, f"3 full banks among {CROWD:,} others")
        _plans(file)
        banks.database.close()


def _measure(banks: Banks, file: Path, words: list[str], where: str) -> None:
    names = [str(bank) for bank in ADA.banks]
    raw = sqlite3.connect(file)
    toolbox = Toolbox(banks, ADA)
    queries = [" ".join(random.choices(words, k=6)) for _ in range(ROUNDS)]
    asked = iter(queries * 3)
    toolbox.recall_memories(queries[0])
    print(where)
    base = _timed(lambda: raw.execute(DIGEST_ROWS, names).fetchall())
    _line("  rows by sqlite3", base, base)
    _line("  digest", _timed(lambda: digest(banks, ADA).text), base)
    base = _timed(lambda: raw.execute(FULL_ROWS, names).fetchall())
    _line("  full rows by sqlite3", base, base)
    _line("  recall_memories", _timed(lambda: toolbox.recall_memories(next(asked))), base)
    _line(
        "  recall_memories after a write", _timed(_after_a_write(banks, toolbox, queries), 30), base
    )
    raw.close()


def _after_a_write(banks: Banks, toolbox: Toolbox, queries: list[str]) -> Callable[[], Spent]:
    """Milliseconds of the first search of a new state, the write itself left out."""
    numbers = iter(range(1_000_000))

    def run() -> Spent:
        draft = Draft("private-00", f"rewritten {next(numbers)}", random.choice(queries))
        banks.remember(ADA.bank("private"), draft, By("bench"))
        started, worked = time.perf_counter(), time.process_time()
        toolbox.recall_memories(queries[0])
        return (time.perf_counter() - started) * 1000, (time.process_time() - worked) * 1000

    return run


def _timed(run: Callable[[], object], rounds: int = ROUNDS) -> list[Spent]:
    """Milliseconds on the clock and of the processor, a pair a round."""
    spent = []
    for _ in range(rounds):
        started, worked = time.perf_counter(), time.process_time()
        own = run()
        whole = (time.perf_counter() - started) * 1000, (time.process_time() - worked) * 1000
        spent.append(own if isinstance(own, tuple) else whole)
    return spent


def _line(name: str, spent: list[Spent], base: list[Spent]) -> None:
    clock, work = (sorted(pair[side] for pair in spent) for side in (0, 1))
    ratio = _share(clock, 0.5) / _share(sorted(pair[0] for pair in base), 0.5)
    print(
        f"{name:34} p50 {_share(clock, 0.5):7.2f} ms   p95 {_share(clock, 0.95):7.2f} ms   "
        f"processor p50 {_share(work, 0.5):6.2f} p95 {_share(work, 0.95):6.2f} ms   "
        f"{ratio:6.1f} x baseline",
        flush=True,
    )


def _share(ordered: list[float], share: float) -> float:
    return ordered[int(len(ordered) * share)]


def _fill(banks: Banks, words: list[str]) -> None:
    with banks.writing() as writer:
        for bank in ADA.banks:
            for number in range(banks.caps.hard):
                text = " ".join(random.choices(words, k=400))[:CONTENT]
                line = " ".join(random.choices(words, k=30))[:200]
                writer.remember(bank, Draft(f"{bank.kind}-{number:02}", line, text), By("bench"))


def _crowd(file: Path) -> None:
    """Other users' banks, written without the choke point for speed."""
    row = ("a description of some length, as they are", "x" * 300, "[]", "[]", 1,
           "2026-01-01 00:00:00.000000", "2026-01-01 00:00:00.000000")  # fmt: skip
    with sqlite3.connect(file) as raw:
        raw.executemany(
            "INSERT INTO memory (bank, key, description, content, refs, tags, version,"
            " created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((f"user:u{bank}:s{bank % 500}", f"key-{key}", *row)
             for bank in range(CROWD) for key in range(5)),
        )  # fmt: skip
        raw.executemany(
            "INSERT INTO bank (id, user, scope, latched, generation) VALUES (?, ?, ?, 0, 0)",
            ((f"user:u{n}:s{n % 500}", f"u{n}", f"s{n % 500}") for n in range(CROWD)),
        )
    raw.close()


def _plans(file: Path) -> None:
    """How SQLite looks the rows up: by key, never by a scan."""
    names = [str(bank) for bank in ADA.banks]
    raw = sqlite3.connect(file)
    for statement, values in (
        (DIGEST_ROWS, names),
        ("SELECT id FROM bank WHERE id IN (?, ?, ?) AND latched", names),
        ("SELECT count(*) FROM memory WHERE bank = ?", names[:1]),
        ("SELECT * FROM memory WHERE bank = ? AND key = ?", [names[0], "private-00"]),
        ("SELECT * FROM ledger WHERE target = ? ORDER BY id DESC LIMIT 1", ["x"]),
        ("SELECT id FROM bank WHERE scope = ? ORDER BY id", ["x"]),
    ):
        plan = raw.execute(f"EXPLAIN QUERY PLAN {statement}", values).fetchall()
        print(f"{statement}\n    {'; '.join(row[3] for row in plan)}")
    raw.close()


def _vocabulary() -> list[str]:
    random.seed(7)
    letters = "abcdefghijklmnopqrstuvwxyz"
    return ["".join(random.choices(letters, k=random.randint(3, 9))) for _ in range(4000)]


if __name__ == "__main__":
    main()
