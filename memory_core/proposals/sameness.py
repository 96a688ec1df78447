"""When two items mean the same: fingerprints, and nearly the same words about one target."""

from __future__ import annotations

from typing import Any

from memory_core.proposals.item import gist, meaning, sort

NEAR = 0.8  # Jaccard similarity of the terms


def same(one: Any, other: Any) -> bool:
    """Whether two items, stored or not, want the same of the same target."""
    if one.target != other.target or sort(one.action) != sort(other.action):
        return False  # a fingerprint, which takes longer to make, would tell them apart too
    if one.fingerprint == other.fingerprint:
        return True
    return _by_words(one, other) and _overlap(_terms(one), _terms(other)) >= NEAR


def _by_words(one: Any, other: Any) -> bool:
    """Whether words tell two items apart; a link and a question that is there have names."""
    if one.kind == "question":
        return bool(one.action == other.action == "add")
    if "link" in one.detail or "link" in other.detail:
        return False
    return bool(one.detail.get("field") == other.detail.get("field"))


def _terms(item: Any) -> set[str]:
    return set(meaning(gist(item)))


def _overlap(one: set[str], other: set[str]) -> float:
    union = one | other
    return len(one & other) / len(union) if union else 1.0
