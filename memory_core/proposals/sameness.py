"""When two items mean the same: fingerprints, and nearly the same words about one target."""

from __future__ import annotations

from typing import Any

from memory_core.proposals.item import meaning, sort

NEAR = 0.8  # Jaccard similarity of the terms


def same(one: Any, other: Any) -> bool:
    """Whether two items, stored or not, want the same of the same target."""
    if one.target != other.target or sort(one.action) != sort(other.action):
        return False  # a fingerprint, which takes longer to make, would tell them apart too
    if one.fingerprint == other.fingerprint:
        return True
    return _overlap(_terms(one), _terms(other)) >= NEAR


def _terms(item: Any) -> set[str]:
    return set(meaning(item.after or item.before))


def _overlap(one: set[str], other: set[str]) -> float:
    union = one | other
    return len(one & other) / len(union) if union else 1.0
