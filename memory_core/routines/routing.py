"""Where a finding goes: a note that is about it, a new note, the always-loaded file, a bank.

A note is about a finding when recall puts it high for the finding's own words, or for
them and for the session it comes from. Nothing is routed by guess: without a note above
the mark, a new one is proposed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_core.routines.evidence import Finding
from memory_core.routines.place import Ask, Place

LIMIT = 10  # notes an answer may name
MARGIN = 4.0  # above the floor: a note that is about the words themselves
LEAD = 3.0  # above the floor on average over a session: the note the session is about
SESSION = 0.5  # weight of the session's mean beside the finding's own score


@dataclass(frozen=True, slots=True)
class Nearness:
    """A note as recall sees it: best score and best cosine over its passages."""

    score: float
    cosine: float


@dataclass(frozen=True, slots=True)
class Route:
    """`file` is the note that is about it, "" for none; `near` is what recall found."""

    file: str
    near: dict[str, Nearness] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Routes:
    """A route for each finding; `reason` says why recall could not answer, if it could not."""

    each: tuple[Route, ...]
    reason: str = ""


def routes(texts: Sequence[str], topic: str, place: Place, ask: Ask) -> Routes:
    """Ask recall for each text and for the session's topic, and weigh both."""
    if not place.notes:
        return Routes(tuple(Route("") for _ in texts))
    answers = [_near(text, place, ask) for text in texts]
    about, _, _ = _near(topic, place, ask) if topic.strip() else ({}, 0.0, "")
    reason = next((reason for _, _, reason in answers if reason), "")
    floor = max((floor for _, floor, _ in answers), default=0.0)
    session = _session([near for near, _, _ in answers] + [about], floor)
    return Routes(tuple(_route(near, session, floor) for near, _, _ in answers), reason)


def topic_of(findings: Sequence[Finding], first_request: str) -> str:
    """What a session is about, in the words it began with."""
    return first_request[:400] if findings else ""


def _near(text: str, place: Place, ask: Ask) -> tuple[dict[str, Nearness], float, str]:
    answer = ask(
        "recall",
        {"query": text[:2000], "limit": LIMIT, "explain": True, "bulk": True,
         "user": place.user, "scope": place.scope, "deadline_ms": 60_000},
    )  # fmt: skip
    if answer.get("status") == "unavailable":
        return {}, 0.0, str(answer.get("reason") or "recall is unavailable")
    files = {note.file for note in place.notes}
    near: dict[str, Nearness] = {}
    for row in answer.get("pool", ()):
        if row["source"] in files:
            known = near.get(row["source"], Nearness(row["score"], row["cosine"]))
            score, cosine = max(known.score, row["score"]), max(known.cosine, row["cosine"])
            near[row["source"]] = Nearness(score, cosine)
    return near, float(answer.get("floor") or 0.0), ""


def _session(answers: Sequence[dict[str, Nearness]], floor: float) -> dict[str, float]:
    """How far above the floor each note lies on average; not found counts as at the floor."""
    files = {file for near in answers for file in near}
    return {
        file: sum(
            max(0.0, near[file].score - floor) for near in answers if file in near
        ) / max(1, len(answers))
        for file in files
    }  # fmt: skip


def _route(near: dict[str, Nearness], session: dict[str, float], floor: float) -> Route:
    if not near:
        return Route("", near)

    def weight(file: str) -> float:
        return near[file].score - floor + SESSION * session.get(file, 0.0)

    best = max(near, key=lambda file: (weight(file), file))
    own = near[best].score - floor
    is_about = own >= MARGIN or (own > 0 and session.get(best, 0.0) >= LEAD)
    return Route(best if is_about else "", near)
