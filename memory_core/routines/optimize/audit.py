"""The audit: every finding about the always-loaded file, the note layer and the test."""

from __future__ import annotations

from memory_core.routines.optimize.audited import Audited
from memory_core.routines.optimize.finding import Finding


def findings(audited: Audited) -> tuple[Finding, ...]:
    """All findings, the most valuable first; raises what `audited.ask` raises."""
    return ()
