"""The review itself: proposal by proposal, item by item, one key each.

A decision is stored only at the summary's confirmation. Whatever ends the review before
leaves the proposal open as it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import Enum

from memory_core.cli.review.editing import written
from memory_core.cli.review.page import Page, ansi
from memory_core.cli.review.reviewer import Reviewer, left_open, over
from memory_core.cli.review.screen import help_page, item_page, summary_page
from memory_core.cli.review.sitting import Choice, Sitting
from memory_core.cli.review.terminal import Terminal
from memory_core.cli.review.told import line
from memory_core.errors import BadInput, Conflict, Transient, WellkeptError
from memory_core.proposals.edited import edited, fixed

LOOK_SECONDS = 1.0  # how often the stored state is looked at while nobody types
Say = Callable[[str], None]
_CHOICES = {"y": Choice.APPLY, "n": Choice.SKIP, "x": Choice.NEVER}


class End(Enum):
    """How the sitting over one proposal ended."""

    CONFIRMED = "confirmed"
    LATER = "later"
    OVER = "over"
    QUIT = "quit"


def review(reviewer: Reviewer, say: Say) -> None:
    """Go through everything that waits.

    `say` prints a line below the screen: at the end, what was done and how to take it back.
    """
    told: list[str] = []
    try:
        _each(reviewer, told)
    finally:
        for done in told:
            say(done)
    say(left_open(len(reviewer.waiting())))


def _each(reviewer: Reviewer, told: list[str]) -> None:
    """Proposal by proposal; `told` gets what is to be said."""
    passed: set[int] = set()
    news = ""
    while left := [found for found in reviewer.waiting() if found.id not in passed]:
        sitting = Sitting.of(left[0])
        passed.add(left[0].id)
        place = f"proposal {len(passed)} of {len(passed) + len(left) - 1}"
        try:
            with Terminal() as terminal:
                end = Seat(reviewer, sitting, place, terminal, news).sit()
        except (KeyboardInterrupt, EOFError):
            told.append(f"Nothing of proposal {left[0].id} was decided; it stays open.")
            raise KeyboardInterrupt from None
        if end is End.QUIT:
            return
        done = [] if end is End.LATER else _closed(reviewer, sitting)
        news = done[0] if done else ""
        told += done


def _closed(reviewer: Reviewer, sitting: Sitting) -> list[str]:
    """Carry out what was confirmed, with the terminal as it was; returns what to say."""
    number = sitting.proposal.id
    try:
        now = reviewer.now(number)
        if now.state != "open":
            return [over(now)]
        return reviewer.carry_out(number, sitting.decision())
    except Conflict:
        return [over(reviewer.now(number))]
    except BadInput as error:
        return [f"Proposal {number} stays open: {error}"]


class Seat:
    """One proposal on one terminal."""

    def __init__(
        self, reviewer: Reviewer, sitting: Sitting, place: str, terminal: Terminal, notice: str
    ) -> None:
        self.reviewer, self.sitting, self.place, self.terminal = reviewer, sitting, place, terminal
        self.offset, self.notice, self._looked = 0, notice, 0.0
        self._made: tuple[tuple[object, ...], Page] | None = None
        self._drafts: dict[int, str] = {}  # texts as left in the editor, refused ones too

    def sit(self) -> End:
        """Until the proposal is decided, left or over."""
        while True:
            if not self._look():
                return End.OVER
            key = self._shown(self._page())
            if end := self._act(key):
                return end

    def _look(self) -> bool:
        """Take the stored state; false when the proposal is no longer open."""
        if time.monotonic() - self._looked < LOOK_SECONDS / 2:
            return True
        self._looked = time.monotonic()
        try:
            now = self.reviewer.now(self.sitting.proposal.id)
        except Transient as error:
            self.notice = str(error)
            return True
        gone = self.sitting.refreshed(now)
        if gone:
            numbers = ", ".join(map(str, gone))
            self.notice = f"item {numbers} cannot be chosen any more: the target changed"
        return now.state == "open"

    def _page(self) -> Page:
        """The page, made anew only when something on it changed."""
        width, _ = self.terminal.size
        sitting = self.sitting
        state = (
            width, self.notice, sitting.proposal, sitting.at, sitting.reject, sitting.comment,
            dict(sitting.choices), dict(sitting.edits),
        )  # fmt: skip
        if self._made is None or self._made[0] != state:
            make = summary_page if sitting.finished else item_page
            self._made = state, make(sitting, self.place, self.notice, width)
        return self._made[1]

    def _shown(self, page: Page) -> str:
        """Draw, and wait for a key that does more than scroll."""
        width, height = self.terminal.size
        self.offset = min(self.offset, page.furthest(height))
        self.terminal.draw(ansi(page.lines(width, height, self.offset)))
        key = self.terminal.key(LOOK_SECONDS)
        step = page.step(height)
        if key in (" ", "page down"):
            self.offset = min(self.offset + step, page.furthest(height))
        elif key in ("u", "page up"):
            self.offset = max(0, self.offset - step)
        elif key == "down":
            self.offset += 1
        elif key == "up":
            self.offset = max(0, self.offset - 1)
        else:
            return key
        return ""

    def _act(self, key: str) -> End | None:
        if not key:
            return None
        self.notice = ""
        if key == "q":
            return End.QUIT
        if key == "l":
            return End.LATER
        if key == "?":
            self._help()
        elif key == "c":
            self.sitting.comment = self._typed("Comment: ", self.sitting.comment)
        elif key in ("b", "left", "backspace"):
            self._back()
        elif key in ("a", "N", "R"):
            self._whole(key)
        elif self.sitting.finished:
            return End.CONFIRMED if key in ("y", "enter") else None
        else:
            self._decide(key)
        return None

    def _decide(self, key: str) -> None:
        sitting = self.sitting
        item = sitting.item
        if key in ("y", "x", "e") and item.number not in sitting.open:
            self.notice = f"{item.number} is {item.state} and cannot be chosen; n goes on"
        elif key in _CHOICES:
            sitting.choose(_CHOICES[key])
            self.offset = 0
        elif key == "e":
            self._edit()
        else:
            self.notice = f"{line(key)} is no key here; ? lists them"

    def _whole(self, key: str) -> None:
        """Decide the whole proposal; the summary asks before anything is stored."""
        sitting = self.sitting
        sitting.reject = False
        {"a": sitting.all_of_it, "N": sitting.none_of_it, "R": sitting.rejected}[key]()
        self.offset = 0

    def _back(self) -> None:
        if self.sitting.at == 0 and not self.sitting.finished:
            self.notice = "this is the first item"
        self.sitting.back()
        self.offset = 0

    def _edit(self) -> None:
        item = self.sitting.item
        if reason := fixed(item):
            self.notice = f"there is no text to edit: {reason}"
            return
        try:
            with self.terminal.aside():
                draft = self._drafts.get(item.number, item.after)
                self._drafts[item.number] = written(draft, f"item-{item.number}.md")
            text = edited(item, self._drafts[item.number], self.reviewer.settings)
            if text != item.after:
                self.sitting.edit(text)
                self.notice = "edited: y applies the text as you wrote it"
        except WellkeptError as error:
            self.notice = str(error)
        except (KeyboardInterrupt, EOFError):
            self.notice = "the text is as it was"
        self._looked = 0.0

    def _help(self) -> None:
        width, height = self.terminal.size
        page, offset = help_page(width), 0
        while True:
            self.terminal.draw(ansi(page.lines(width, height, offset)))
            key = self.terminal.key(60)
            if key in (" ", "page down", "down"):
                offset = min(offset + page.step(height), page.furthest(height))
            elif key:
                return

    def _typed(self, prompt: str, text: str) -> str:
        """A line typed at the foot; Escape leaves it as it was."""
        typed = text
        while True:
            self.notice = f"{prompt}{line(typed)}▏ (Enter keeps it, Escape does not)"
            width, height = self.terminal.size
            self.terminal.draw(ansi(self._page().lines(width, height, self.offset)))
            key = self.terminal.key(60)
            if key in ("enter", "escape"):
                self.notice = ""
                return typed.strip() if key == "enter" else text
            if key == "backspace":
                typed = typed[:-1]
            elif key.startswith("paste "):
                typed += " ".join(key.removeprefix("paste ").split())
            elif len(key) == 1:
                typed += key
