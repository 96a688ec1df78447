"""Uses: the stretches of work in which a procedure can have been used once.

A session is one use; where it lay idle for six hours it counts as ended (as for wrap), and
what follows is another one. Scheduled lines are no use by anybody.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from memory_core.record.exchange import Exchange
from memory_core.routines import speech
from memory_core.routines.dream import steps
from memory_core.routines.dream.steps import Step

IDLE = timedelta(hours=6)
MOST_STEPS = 400  # of one use; what comes later is another task anyway


@dataclass(slots=True)
class Use:
    """Steps in order; `request` is what the user asked before the first one."""

    session: str
    until: datetime
    request: str = ""
    steps: list[Step] = field(default_factory=list)


class Uses:
    """Collects the steps of exchanges as they come, sessions in any order."""

    def __init__(self) -> None:
        self.found: list[Use] = []
        self._open: dict[str, Use] = {}

    def add(self, exchange: Exchange) -> None:
        """Take an exchange in; those of one session come in their order."""
        if speech.is_machine(exchange.request):
            return
        use = self._open.get(exchange.session)
        if use is None or exchange.at - use.until > IDLE:
            use = self._open[exchange.session] = Use(exchange.session, exchange.until)
            self.found.append(use)
        use.until = max(use.until, exchange.until)
        taken = [*steps.of_exchange(exchange)][: MOST_STEPS - len(use.steps)]
        if taken and not use.steps:
            use.request = exchange.request[:400]
        use.steps += taken
