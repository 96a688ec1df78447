"""The audit: every finding about the always-loaded file, the note layer and the test."""

from __future__ import annotations

from memory_core.routines.optimize import always_loaded, note_layer, working_set
from memory_core.routines.optimize.audited import Audited
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.optimize.vectors import Vectors


def findings(audited: Audited) -> tuple[Finding, ...]:
    """All findings, those of most weight first; raises what `audited.ask` raises."""
    vectors = Vectors(audited.ask)
    found = [
        *always_loaded.findings(audited, vectors),
        *note_layer.findings(audited, vectors),
        *working_set.findings(audited),
    ]
    return tuple(sorted(found, key=lambda one: -one.weight))
