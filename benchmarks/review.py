"""How long a screen of `wellkept review` takes: 30 items of 2,000 characters, 80 x 24.

The baseline is `rich` folding the same two texts and nothing else. Run it with
`python -m benchmarks.review`.
"""

from __future__ import annotations

import io
import random
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from rich.console import Console
from rich.text import Text

from memory_core.cli.review.page import Page, ansi
from memory_core.cli.review.screen import item_page, summary_page
from memory_core.cli.review.sitting import Choice, Sitting
from memory_core.proposals.item import Evidence
from memory_core.proposals.proposal import Numbered, Proposal

ITEMS, CHARACTERS, WIDTH, HEIGHT = 30, 2_000, 80, 24
WORDS = [f"word{number}" for number in range(400)]


def main() -> None:
    """Print a line for each kind of text: on the clock, and as a ratio to the baseline."""
    random.seed(7)
    print(f"{ITEMS} items of {CHARACTERS:,} characters, {WIDTH} x {HEIGHT}")
    for kind, made in (
        ("another text", _another), ("a few words changed", _changed), ("many lines", _lines),
    ):  # fmt: skip
        _measure(kind, made)


def _measure(kind: str, made: Callable[[], tuple[str, str]]) -> None:
    sitting = Sitting.of(_proposal(made))
    spent, base = [], []
    while not sitting.finished:
        item = sitting.item
        base.append(_timed(lambda item=item: _baseline(item)))  # type: ignore[misc]
        spent.append(_timed(lambda: _drawn(item_page(sitting, "proposal 1 of 1", "", WIDTH))))
        sitting.choose(Choice.APPLY)
    _print(f"an item, {kind}", spent, base)
    spent = [_timed(lambda: _drawn(summary_page(sitting, "", "", WIDTH))) for _ in range(ITEMS)]
    _print(f"summary, {kind}", spent, base)


def _drawn(page: Page) -> list[str]:
    return ansi(page.lines(WIDTH, HEIGHT, 0))


def _baseline(item: Numbered) -> None:
    console = Console(file=io.StringIO(), width=WIDTH)
    for text in (item.before, item.after):
        Text(text).wrap(console, WIDTH, overflow="fold")


def _timed(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began) * 1000


def _print(name: str, spent: list[float], base: list[float]) -> None:
    spent, base = sorted(spent), sorted(base)
    middle, high = spent[len(spent) // 2], spent[int(len(spent) * 0.95)]
    ratio = middle / base[len(base) // 2]
    print(f"{name:34} p50 {middle:7.2f} ms   p95 {high:7.2f} ms   {ratio:6.1f} x baseline")


def _proposal(made: Callable[[], tuple[str, str]]) -> Proposal:
    said = Evidence("session", 9, "user", " ".join(random.choices(WORDS, k=60)), at="2026-11-30")
    first = Numbered(
        id=1, number=1, action="revise", kind="note", target="note.md", base="", title="A title",
        before="", after="", detail={}, evidence=(said,) * 3, provenance="user", value=1.0,
        fingerprint="", state="open", reason="", carried=None, ledger=None,
    )  # fmt: skip
    items = []
    for number in range(1, ITEMS + 1):
        before, after = made()
        items.append(replace(first, id=number, number=number, before=before, after=after))
    return Proposal(
        id=1, routine="consolidation", subject="user:ada", run="run", flow_run="", state="open",
        user="ada", scope="", window={}, summary="", notices=(), cost={},
        created_at=datetime.now(UTC), decided_at=None, decision=None, applied_at=None, commit="",
        items=tuple(items),
    )  # fmt: skip


def _text() -> str:
    return " ".join(random.choices(WORDS, k=400))[:CHARACTERS]


def _another() -> tuple[str, str]:
    return _text(), _text()


def _changed() -> tuple[str, str]:
    words = _text().split()
    changed = [random.choice(WORDS) if random.random() < 0.05 else word for word in words]
    return " ".join(words), " ".join(changed)


def _lines() -> tuple[str, str]:
    before, after = _changed()
    return tuple("\n".join(_split(text.split())) for text in (before, after))  # type: ignore[return-value]


def _split(words: list[str]) -> list[str]:
    return ["- " + " ".join(words[at : at + 8]) for at in range(0, len(words), 8)]


if __name__ == "__main__":
    main()
