"""Commands of notes that failed in sessions, and what worked instead.

Only failures of the command's own form count (an unknown option, a program or host that is
gone), not what it had to say about the work. A form that worked again later is no failure.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from memory_core.proposals.item import Evidence
from memory_core.record.exchange import Exchange, Span
from memory_core.routines.dream import steps, told
from memory_core.routines.dream.findings import Failure
from memory_core.routines.dream.steps import Step
from memory_core.routines.dream.told import Told
from memory_core.text import one_line
from memory_core.vault.note import Note

_FORM = re.compile(
    r"(?im)^.{0,200}?(?:unrecogni[sz]ed (?:option|argument|command|subcommand|flag)"
    r"|unknown (?:option|flag|command|subcommand|argument|switch)"
    r"|invalid (?:option|flag|command|choice|argument)|illegal option|unexpected argument"
    r"|no such (?:option|command|subcommand|flag|file or directory)|command not found"
    r"|is not a (?:\w+ )?command|: not found$|is deprecated|was removed|has been removed"
    r"|was renamed|has been renamed|no longer (?:supported|exists|available)"
    r"|could not resolve host|unable to connect|unknown host|connection refused"
    r"|ukjent (?:kommando|flagg|valg)|finnes ikke|unbekannte option|unbekannter befehl"
    r"|nicht gefunden|不明な(?:オプション|コマンド)|見つかりません).{0,200}$"
)
REACH = 12  # steps after a failure among which what worked is looked for
_LONGEST = 200


@dataclass(slots=True)
class _Fate:
    """How the form that a note tells did, last of all."""

    told: Told
    error: str = ""
    failed: Evidence | None = None
    worked: str = ""
    remedy: Evidence | None = None
    on: datetime | None = None


@dataclass(slots=True)
class _Waiting:
    """A failure of this session that nothing has remedied yet."""

    fate: _Fate
    step: Step
    left: int = REACH


class FailedCommands:
    """Follows the commands that the notes tell through the window."""

    def __init__(self, notes: Iterable[Note]) -> None:
        self._told: dict[str, list[Told]] = defaultdict(list)
        for one in told.commands(notes):
            self._told[one.step.words[0]].append(one)
        self._fates: dict[int, _Fate] = {}
        self._waiting: dict[str, list[_Waiting]] = defaultdict(list)

    def add(self, exchange: Exchange) -> None:
        """Take an exchange in; those of one session come in their order."""
        for span in exchange.spans:
            if span.name and steps.is_shell(span.name) and self._concerns(exchange, span):
                self._called(exchange, span)

    def found(self) -> list[Failure]:
        """The commands whose last use in the form of the note failed."""
        return [_failure(fate) for fate in self._fates.values() if fate.failed]

    def _concerns(self, exchange: Exchange, span: Span) -> bool:
        """Whether a call may be of a command that is told, or the remedy of one; cheap."""
        if self._waiting.get(exchange.session):
            return True
        words = set(re.findall(r"[\w.-]+", span.input[: steps.LONGEST]))
        return not words.isdisjoint(self._told)

    def _called(self, exchange: Exchange, span: Span) -> None:
        called = steps.of_command(span.input)
        error = _error(span)
        for step in called:
            own = error if error and _is_of(step, called, error) else ""
            evidence = Evidence(
                exchange.session, exchange.turn, "tool", step.command[:_LONGEST], span.ref,
                exchange.at.isoformat(), input=True,
            )  # fmt: skip
            if not own and not (span.failed and len(called) == 1):
                self._remedy(step, evidence, exchange.session)
            for one in self._told.get(step.words[0], ()):
                if _is_form(one.step, step):
                    self._use(one, step, own, evidence, exchange)

    def _use(
        self, one: Told, step: Step, error: str, evidence: Evidence, exchange: Exchange
    ) -> None:
        fate = self._fates.setdefault(id(one), _Fate(one))
        if error:
            fate.error, fate.failed, fate.on = error, evidence, exchange.at
            fate.worked, fate.remedy = "", None
            self._waiting[exchange.session].append(_Waiting(fate, step))
        elif fate.on is None or exchange.at >= fate.on:
            fate.failed = None

    def _remedy(self, step: Step, evidence: Evidence, session: str) -> None:
        """A call of the same program in another form, soon after."""
        waiting = self._waiting.get(session, [])
        for one in waiting:
            one.left -= 1
            same = step.words[0] == one.step.words[0] and not step.words[-1].startswith("--help")
            form = (step.words, _flags(step))
            if same and "--help" not in step.tokens and form != (one.step.words, _flags(one.step)):
                one.fate.worked, one.fate.remedy, one.left = step.command, evidence, 0
        self._waiting[session] = [one for one in waiting if one.left > 0]


def _error(span: Span) -> str:
    if span.failed is False:
        return ""
    match = _FORM.search(span.output[:4_000])
    return one_line(match.group())[:_LONGEST] if match else ""


def _is_of(step: Step, called: Sequence[Step], error: str) -> bool:
    """Whether an error of a line is this command's: it names it, or there is no other."""
    others = [one for one in called if not one.general]
    return step.words[0] in error or len(called) == 1 or others == [step]


def _is_form(note: Step, call: Step) -> bool:
    """Whether a call has the form that the note tells: same words, and its flags."""
    depth = min(len(note.words), len(call.words))
    return note.words[:depth] == call.words[:depth] and _flags(note) <= _flags(call)


def _flags(step: Step) -> frozenset[str]:
    return frozenset(token.split("=")[0] for token in step.tokens[1:] if token.startswith("-"))


def _failure(fate: _Fate) -> Failure:
    evidence = tuple(piece for piece in (fate.failed, fate.remedy) if piece)
    return Failure(
        fate.told.note, fate.told.point, fate.told.text, fate.error, fate.worked, evidence,
        fate.on.date() if fate.on and fate.on.year > 1970 else None,
    )  # fmt: skip
