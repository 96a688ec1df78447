"""What a person has chosen so far about one proposal; nothing is stored before `decision`."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum

from memory_core.proposals.decision import Decision
from memory_core.proposals.proposal import Numbered, Proposal

LINE = 160  # characters of a text that is still read at a glance


class Choice(StrEnum):
    """What to do with one item."""

    APPLY = "apply"
    SKIP = "not now"
    NEVER = "never again"


@dataclass(slots=True)
class Sitting:
    """One proposal before one person; `at` points at the item on the screen.

    The walk goes over the items that were open when it began. An item whose target moves
    meanwhile stays in the walk, marked as stale, and loses its choice.
    """

    proposal: Proposal
    walk: tuple[int, ...] = ()
    at: int = 0
    choices: dict[int, Choice] = field(default_factory=dict)
    edits: dict[int, str] = field(default_factory=dict)
    comment: str = ""
    reject: bool = False

    @classmethod
    def of(cls, proposal: Proposal) -> Sitting:
        """At the first open item; those whose difference is a line each come first."""
        ordered = sorted(proposal.open, key=lambda item: (not _brief(item), item.number))
        return cls(proposal, tuple(item.number for item in ordered))

    @property
    def finished(self) -> bool:
        """Whether every item was walked past, so that the summary is next."""
        return self.reject or self.at >= len(self.walk)

    @property
    def item(self) -> Numbered:
        """The item on the screen, with the text as edited."""
        return self.numbered(self.walk[self.at])

    def numbered(self, number: int) -> Numbered:
        """The item of that number, with the text as edited."""
        item = next(item for item in self.proposal.numbered if item.number == number)
        return replace(item, after=self.edits[number]) if number in self.edits else item

    @property
    def open(self) -> tuple[int, ...]:
        """The numbers that can still be applied."""
        found = {item.number for item in self.proposal.open}
        return tuple(sorted(number for number in self.walk if number in found))

    def choose(self, choice: Choice) -> None:
        """Decide the item on the screen and go on; a stale one takes no choice."""
        number = self.walk[self.at]
        if number in self.open:
            self.choices[number] = choice
        self.at += 1

    def back(self) -> None:
        """To the item before."""
        if self.reject:
            self.reject = False
            self.at = max(0, min(self.at, len(self.walk) - 1))
        else:
            self.at = max(0, min(self.at, len(self.walk)) - 1)

    def edit(self, text: str) -> None:
        """Put the person's text in place of the routine's."""
        self.edits[self.walk[self.at]] = text

    def rejected(self) -> None:
        """Reject the run: the summary is next."""
        self.reject = True

    def all_of_it(self) -> None:
        """Apply every item but those that are never to come again."""
        self._rest(Choice.APPLY)

    def none_of_it(self) -> None:
        """Apply no item; those that are never to come again stay so."""
        self._rest(Choice.SKIP)

    def refreshed(self, proposal: Proposal) -> tuple[int, ...]:
        """Take the stored state; returns the numbers that went stale just now."""
        before = set(self.open)
        self.proposal = proposal
        gone = before - set(self.open)
        for number in gone:
            self.choices.pop(number, None)
            self.edits.pop(number, None)
        return tuple(sorted(gone))

    def chosen(self, choice: Choice) -> tuple[int, ...]:
        """The numbers of that choice; an open item that was passed over is for later."""
        return tuple(
            number for number in self.open if self.choices.get(number, Choice.SKIP) == choice
        )

    def decision(self) -> Decision:
        """What is stored once it is confirmed."""
        apply, never = self.chosen(Choice.APPLY), self.chosen(Choice.NEVER)
        edits = {number: text for number, text in self.edits.items() if number in apply}
        if self.reject:
            return Decision("reject run", comment=self.comment, surface="terminal")
        if not apply:
            return Decision("apply none", never=never, comment=self.comment, surface="terminal")
        if apply == self.open:
            return Decision("apply all", edits=edits, comment=self.comment, surface="terminal")
        return Decision(
            "apply chosen", chosen=apply, never=never, edits=edits,
            comment=self.comment, surface="terminal",
        )  # fmt: skip

    def _rest(self, choice: Choice) -> None:
        for number in self.open:
            if self.choices.get(number) != Choice.NEVER:
                self.choices[number] = choice
        self.at = len(self.walk)


def _brief(item: Numbered) -> bool:
    return all(len(text) <= LINE and "\n" not in text for text in (item.before, item.after))
