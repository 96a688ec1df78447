"""The screens of a review: one item, the summary before the decision, the help.

Everything that came from a routine or the record passes `told.shown` first: no byte
of it reaches the terminal as a control character.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from memory_core.cli.review import difference
from memory_core.cli.review.page import Page, cut, fold, rule, sides
from memory_core.cli.review.sitting import Choice, Sitting
from memory_core.cli.review.told import (
    age,
    cost,
    counted,
    effect,
    line,
    moment,
    plain,
    shown,
    subject,
)
from memory_core.proposals import render
from memory_core.proposals.item import Evidence
from memory_core.proposals.proposal import Numbered, Proposal

_CHOSEN = {Choice.APPLY: "bold green", Choice.SKIP: "yellow", Choice.NEVER: "bold red"}
_KEYS = (
    "y apply", "n not now", "x never again", "e edit", "c comment", "b back", "? help",
    "a apply all", "N apply none", "R reject run", "l later", "q quit", "space more", "u up",
)  # fmt: skip
_INTERNAL = (  # shown elsewhere, or bookkeeping
    "to", "to_base", "versions", "merges", "texts", "read", "rests", "proposed", "panel",
    "objections", "field", "link",
)  # fmt: skip
_STRANGERS = ("tool", "web")  # texts that neither the user nor the agent wrote
NARROW = 74  # cells: below, only the first keys are named at the foot

HELP = """
y  apply this item
n  not now: it stays on file and comes first in the routine's next run
x  never again: not offered any more, unless there is new evidence
e  edit the text that would be written, in $EDITOR
c  comment on the proposal; it is stored with the decision
b  back to the item before
a  apply all of this proposal (all but those marked never again)
N  apply none of this proposal; what was read counts as read
R  reject the run: the routine reads the same again next time
l  later: leave this proposal open and go on to the next
space, u   scroll a long text down, up
q  quit; what is not confirmed stays open

Nothing is stored before you confirm the summary after the last item.
"""


def item_page(sitting: Sitting, place: str, notice: str, width: int) -> Page:
    """The item on the screen; `place` says which proposal of how many."""
    item = sitting.item
    head = [*_head(sitting.proposal, place, width, f"item {sitting.at + 1} of {len(sitting.walk)}")]
    foot = [*_said(notice, width), rule(width), *_keys(width)]
    return Page(tuple(head), tuple(item_lines(item, sitting, width)), tuple(foot))


def item_lines(item: Numbered, sitting: Sitting | None, width: int) -> Iterator[Text]:
    """One item whole: what changes, why, who said so."""
    yield from sides(
        Text.assemble(
            (f"{item.number}  ", "bold"), (item.action, "bold cyan"), f"  {_target(item)}"
        ),
        _state(item, sitting),
        width,
    )
    if item.title:
        yield from fold(Text(line(item.title), style="bold"), width)
    if item.state not in ("open", "applied") and item.reason:
        yield from fold(Text(f"{item.state}: {line(item.reason)}", style="yellow"), width)
    yield Text("")
    yield from difference.folded(list(map(shown, render.diff(item))), width)
    yield from _details(item, width)
    yield Text("")
    yield from fold(Text(effect(item), style="dim"), width)
    for piece in item.evidence:
        yield from _evidence(piece, width)
    for model, says in render.objections(item):
        yield Text("")
        yield from fold(Text(f"Objection of {line(model)}", style="bold yellow"), width)
        yield from fold(shown(says), width, first="│ ", rest="│ ")


def summary_page(sitting: Sitting, place: str, notice: str, width: int) -> Page:
    """What would be stored, before it is."""
    head = _head(sitting.proposal, place, width, "summary")
    body: list[Text] = []
    if sitting.reject:
        body += fold("Nothing is applied, and the same is read again next time.", width)
    else:
        body += [_summed(sitting, number, width) for number in sorted(sitting.walk)]
    if sitting.comment:
        body += [Text(""), *fold(f"Comment: {line(sitting.comment)}", width)]
    body += about(sitting.proposal, width, listed=sitting.walk)
    foot = [*_said(notice, width), rule(width)]
    foot += fold(Text(_question(sitting), style="bold"), width)
    foot += fold(
        Text("y or Enter: yes   b back   c comment   l later   q quit", style="dim"), width
    )
    return Page(tuple(head), tuple(body), tuple(foot))


def about(proposal: Proposal, width: int, listed: tuple[int, ...] = ()) -> list[Text]:
    """What the routine says about the whole, and the stale items that are not listed."""
    lines: list[Text] = []
    for text in filter(None, (proposal.summary, *proposal.notices)):
        lines += [Text(""), *fold(shown(text), width)]
    stale = [item for item in proposal.numbered if item.state == "stale"]
    for item in stale:
        if item.number not in listed:
            told = f"stale {item.number}  {line(item.target)}: {line(item.reason)}"
            lines += [Text(""), *fold(Text(told, style="yellow"), width)]
    return lines


def help_page(width: int) -> Page:
    """What each key does."""
    body = [
        line
        for text in HELP.strip().splitlines()
        for line in fold(text, width, rest="   " if text[1:3] == "  " else "")
    ]
    head = (Text("Keys", style="bold"), rule(width))
    return Page(head, tuple(body), (rule(width), Text("any other key: back", style="dim")))


def _head(proposal: Proposal, place: str, width: int, right: str) -> list[Text]:
    told = [subject(proposal), cost(proposal), f"made {age(proposal.created_at)}"]
    if proposal.notices:
        told.append(f"{counted(len(proposal.notices), 'remark')} in the summary")
    return [
        *sides(title(proposal), Text(", ".join(filter(None, (place, right)))), width),
        *fold(Text("; ".join(told), style="dim"), width),
        rule(width),
    ]


def title(proposal: Proposal) -> Text:
    """Number and routine."""
    return Text(f"Proposal {proposal.id}, {proposal.routine}", style="bold")


def _target(item: Numbered) -> str:
    to = item.detail.get("to")
    kind = "" if item.kind == "note" else f" ({item.kind})"
    if item.kind == "question":
        return render.place_of(item)
    return line(item.target) + (f" -> {line(str(to))}" if to else "") + kind


def _state(item: Numbered, sitting: Sitting | None) -> Text:
    if item.state != "open" or sitting is None:
        return Text(item.state, style="yellow" if item.state == "stale" else "dim")
    choice = sitting.choices.get(item.number)
    edited = "edited, " if item.number in sitting.edits else ""
    return Text(f"{edited}{choice or 'undecided'}", style=_CHOSEN[choice] if choice else "dim")


def _details(item: Numbered, width: int) -> Iterator[Text]:
    """What is written besides the text: description, heading, what it applies to, ..."""
    for name, value in item.detail.items():
        if name not in _INTERNAL and value:
            told = f"{shown(name)}: {line(plain(value))}"
            yield from fold(told, width, rest="    ")


def _evidence(piece: Evidence, width: int) -> list[Text]:
    when = f", {moment(piece.at)}" if piece.at else ""
    style = "yellow" if piece.source in _STRANGERS else "cyan"
    return [
        Text(""),
        *fold(Text(f"{shown(render.said(piece))}{when}", style=style), width),
        *fold(shown(piece.quote), width, first="│ ", rest="│ "),
    ]


def _summed(sitting: Sitting, number: int, width: int) -> Text:
    item = sitting.numbered(number)
    state = _state(item, sitting)
    told = Text.assemble((f"{state.plain:12}", state.style), line(render.one_line(item)))
    return cut(told, width)


def _question(sitting: Sitting) -> str:
    if sitting.reject:
        return "Reject this run?"
    counts = [(choice, len(sitting.chosen(choice))) for choice in Choice]
    told = ", ".join(f"{choice} {count}" for choice, count in counts if count)
    if sitting.chosen(Choice.APPLY):
        return f"Store this decision ({told}) and apply it now?"
    return f"Apply nothing ({told or 'nothing can be'}) and count what was read as read?"


def _said(notice: str, width: int) -> list[Text]:
    return fold(Text(notice, style="yellow"), width) if notice else []


def _keys(width: int) -> list[Text]:
    if width < NARROW:
        return [Text("y apply  n not now  x never  ? help", style="dim")]
    half = len(_KEYS) // 2
    return [Text("   ".join(keys), style="dim") for keys in (_KEYS[:half], _KEYS[half:])]
