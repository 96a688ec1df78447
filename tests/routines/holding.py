"""A bank of memories for the tests of consolidation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from memory_core.banks.bank import BankId
from memory_core.banks.caps import Caps
from memory_core.banks.memory import EntityRef, Memory, Tag

BANK = BankId("ada", "shop")
START = datetime(2026, 10, 1, tzinfo=UTC)
SMALL = Caps(hard=8, soft=4, target=2)
NAMES = "amber birch cedar delta ember fjord grove heron inlet jetty kiosk linen maple north"
_TOLD = "tea box red 7 10:30 not [[k1]] replaces a/b.md run X-9 é"

WORDS = st.lists(st.sampled_from(_TOLD.split()), min_size=1, max_size=6)
Row = tuple[str, int, str]
BANKS = st.lists(
    st.tuples(WORDS.map(" ".join), st.integers(0, 5), st.sampled_from(["", "p", "q"])),
    min_size=1,
    max_size=12,
)


def memory(
    key: str,
    content: str,
    *,
    day: int = 0,
    refs: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
    bank: BankId = BANK,
) -> Memory:
    at = START + timedelta(days=day)
    return Memory(
        bank, key, f"About {key}", content, tuple(EntityRef("project", ref) for ref in refs),
        tuple(Tag("domain", tag) for tag in tags), 1, at, at,
    )  # fmt: skip


def bank(*first: Memory, size: int = 10) -> list[Memory]:
    """Those memories among others that are all distinct."""
    rest = [
        memory(f"{name}-rule", f"The {name} team meets in room {at + 11}.")
        for at, name in enumerate(NAMES.split())
    ]
    return [*first, *rest[: size - len(first)]]


def filled(rows: list[Row]) -> list[Memory]:
    """A memory for each text, day and reference."""
    return [
        memory(f"k{at}", text, day=day, refs=(ref,) if ref else ())
        for at, (text, day, ref) in enumerate(rows)
    ]
