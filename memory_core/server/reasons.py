"""Why recall was unavailable, as one of a few kinds that can be counted."""

from __future__ import annotations

from memory_core.server.jobs import BUSY, STOPPING

TOO_LATE = "recall was too slow"
LOADING = "the models are still being loaded"
BUILDING = "the index is still being built"
GIVEN_UP = "given up"  # the hook was gone before its answer

_KINDS = (
    (TOO_LATE, "too slow"),
    (BUSY, "busy"),
    (STOPPING, "stopping"),
    (LOADING, "loading"),
    (BUILDING, "index building"),
    ("measuring the floor", "measuring the floor"),
    ("this vault has no floor", "not calibrated"),
    ("the floor was measured with", "not calibrated"),
    ("not calibrated", "not calibrated"),
    ("no vault is set", "no vault"),
)


def kind(reason: str) -> str:
    """The kind of a reason; "other" for one that is not foreseen, such as a vault that is gone."""
    return next((name for start, name in _KINDS if reason.startswith(start)), "other")
