"""Who may decide, and touch what is held out: a person on a terminal, and no agent.

This keeps an agent from doing so by accident or by instruction. It cannot keep a process of
the same user from forging a decision or reading a file; docs/review.md says what does.
"""

from __future__ import annotations

import os
import sys

from memory_core.cli.here import AGENT_MARKS
from memory_core.errors import PersonNeeded

_ELSEWHERE = "wellkept review list and wellkept review show N work everywhere"


def need_a_person(
    what: str = "decide a proposal",
    done: str = "a proposal is decided",
    elsewhere: str = _ELSEWHERE,
) -> None:
    """Raise `PersonNeeded` unless this is a terminal that no agent's client opened.

    `what` and `done` name the act, active and passive; `elsewhere` says what works anywhere.
    """
    marks = [mark for mark in AGENT_MARKS if mark in os.environ]
    if marks:
        raise PersonNeeded(
            f"an agent cannot {what}, and {marks[0]} is set here, as an agent's client sets it",
            remedy=f"do it in a terminal of your own; {elsewhere}",
        )
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise PersonNeeded(
            f"{done} on a terminal, and standard input or output is none",
            remedy=f"run it in a terminal without pipes; {elsewhere}",
        )


def need_a_screen() -> None:
    """Raise `PersonNeeded` where a whole screen cannot be drawn."""
    if os.environ.get("TERM", "dumb") in ("", "dumb", "unknown"):
        raise PersonNeeded(
            "this terminal cannot draw a screen (TERM is dumb or not set)",
            remedy="use wellkept review show N and wellkept review decide N",
        )
