"""A note is revised by what was said last about the same thing, and nothing of it is lost."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest

from memory_core.routines.dream import dream
from memory_core.vault.note import Note
from tests.routines.dream.talk import agent, dreamed, note, page, place, session, shell, user

BREAD = note(
    "bread",
    "Proof the rye loaves 45 minutes at 28 degrees.",
    "Feed the starter at 06:00.",
    about="Rye loaf: times and temperatures",
)
YARD = note("yard", "Vans may stand in the yard for 45 minutes.", "The gate closes at 22:00.")
CHANGE = "we proof the rye loaves 60 minutes instead of 45 from now on"


def contradicted(
    *sentences: str, notes: tuple[Note, ...] = (BREAD, YARD)
) -> list[tuple[str, str, str]]:
    found = dreamed(session("s", *([user(text), agent("ok")] for text in sentences)), *notes)
    return [(one.note.file, one.old, one.new) for one in found.contradictions]


def test_the_revision_keeps_the_old_words_and_quotes_the_new_ones() -> None:
    findings = dreamed(
        session("s7", [user("hi")], [user(CHANGE), agent("Noted.")], day=3), BREAD, YARD
    )
    (item,) = dream.draft(findings, place(BREAD, YARD)).items
    assert (item.action, item.target, item.before) == ("revise", "bread.md", BREAD.points[0].text)
    assert item.after == f"{item.before} Since 2026-10-04: “{CHANGE}”"
    (piece,) = item.evidence
    assert (piece.session, piece.turn, piece.source, piece.quote, piece.ref) == (
        "s7",
        2,
        "user",
        CHANGE,
        "2.0",
    )
    assert item.provenance == "user"


@pytest.mark.parametrize(
    ("point", "said", "old", "new"),
    [
        (
            "Der Druckserver heißt `druck-01.intern`.",
            "der Druckserver ist nicht mehr druck-01.intern, sondern druck-07.intern",
            "druck-01.intern",
            "druck-07.intern",
        ),
        (
            "Nattsenkingen begynner 22:30 i stua.",
            "nattsenkingen i stua begynner 23:00, ikke 22:30",
            "22:30",
            "23:00",
        ),
        (
            "請求書の締め日は毎月25日です。",
            "請求書の締め日は25日ではなく20日に変わりました",
            "25日",
            "20日",
        ),
        (
            "The cluster of the lab runs Kubernetes 1.33.",
            "we upgraded the kubernetes cluster of the lab from 1.33 to 1.34",
            "1.33",
            "1.34",
        ),
        (
            "Backup scripts are in `scripts/backup`.",
            "the backup scripts live in `tools/ops` now instead of `scripts/backup`",
            "`scripts/backup`",
            "`tools/ops`",
        ),
        ("My favourite colour is purple.", "my favourite colour is cyan now", "purple", "cyan"),
        (
            "Papiret hentes på tirsdag.",
            "papiret hentes ikke lenger på tirsdag, det er torsdag nå",
            "tirsdag",
            "torsdag",
        ),
    ],
)
def test_changed_values_are_found_in_several_languages(
    point: str, said: str, old: str, new: str
) -> None:
    assert contradicted(said, notes=(note("n", point, "Something else entirely."),)) == [
        ("n.md", old, new)
    ]


@pytest.mark.parametrize(
    ("point", "said"),
    [
        ("Petra keeps the darkroom key.", "Petra no longer has the darkroom key, it is with Milan"),
        (
            "The wiki of the team runs on Dokku.",
            "we moved the team wiki from Dokku to Fly last month",
        ),
        ("I love coriander in soups.", "please, I hate coriander since the summer"),
        ("Ingrid does the payroll.", "about the payroll: Ingrid has left. Tomas does it now"),
    ],
)
def test_what_is_gone_or_turned_round_is_quoted_whole(point: str, said: str) -> None:
    ((file, old, _),) = contradicted(said, notes=(note("n", point, "Something else."), YARD))
    assert (file, old) == ("n.md", point)


@pytest.mark.parametrize(
    "said",
    [
        "would it be better to proof the rye loaves 60 minutes instead of 45?",
        "maybe we should proof the rye loaves 60 minutes instead of 45",
        "if we proof the rye loaves 60 minutes instead of 45 the crust suffers",
        "only today we proof the rye loaves 60 minutes instead of 45",
        "back in 2019 we proofed the rye loaves 60 minutes instead of 45",
        "> we proof the rye loaves 60 minutes instead of 45 from now on",
        "the film about the pizza place runs 60 minutes instead of 45",
    ],
)
def test_guesses_passing_things_quotes_and_other_subjects_change_nothing(said: str) -> None:
    assert contradicted(said) == []


def test_what_is_taken_back_in_the_session_changes_nothing() -> None:
    assert contradicted(CHANGE, "no wait, that was wrong, forget it: 45 minutes stays") == []


def test_of_several_statements_the_last_one_counts() -> None:
    (found,) = dreamed(
        [
            *session("a", [user(CHANGE)], day=1),
            *session(
                "b", [user("the rye loaves proof 75 minutes instead of 60, that is final")], day=1.2
            ),
        ],
        BREAD,
    ).contradictions
    assert (found.old, found.new) == ("45", "75 minutes")
    assert [piece.session for piece in found.evidence] == ["a", "b"]


def test_the_order_of_a_session_is_that_of_its_turns_whatever_its_clock_says() -> None:
    window = session(
        "a", [user(CHANGE)], [user("the rye loaves proof 75 minutes instead of 60")], day=9
    )
    window[1].at -= timedelta(days=30)
    (found,) = dreamed(window[::-1], BREAD).contradictions
    assert found.new == "75 minutes"


def test_what_goes_back_to_the_note_is_no_finding() -> None:
    window = [
        *session("a", [user(CHANGE)], day=1),
        *session("b", [user("the rye loaves went back to 45 minutes of proof")], day=2),
    ]
    assert dreamed(window, BREAD).contradictions == ()
    assert dreamed(window[:1], BREAD).contradictions != ()


def test_a_note_rewritten_since_knows_better() -> None:
    newer = note(
        "bread", "Proof the rye loaves 45 minutes at 28 degrees.", updated=date(2026, 11, 1)
    )
    assert dreamed(session("s", [user(CHANGE)]), newer).contradictions == ()
    knows = note("bread", "Proof the rye loaves 60 minutes, not 45, at 28 degrees.")
    assert dreamed(session("s", [user(CHANGE)]), knows).contradictions == ()


def test_what_a_web_page_says_is_not_believed_because_the_agent_repeats_it() -> None:
    told = "The rye loaves proof 60 minutes instead of 45."
    window = session("s", [user("what does it say?"), page(told), agent(told)], [user("good")])
    assert dreamed(window, BREAD).contradictions == ()
    own = session("s", [user("look"), shell("oven log", "60"), agent(told)], [user("yes, right")])
    assert len(dreamed(own, BREAD).contradictions) == 1
    unsure = session("s", [user("look"), agent(told)], [user("really? where is that from")])
    assert dreamed(unsure, BREAD).contradictions == ()


def test_where_words_are_not_plain_recall_names_the_note() -> None:
    vague = session("s", [user("the loaves: 60 minutes instead of 45")])
    asked: list[str] = []

    def ask(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        asked.append(f"{operation} {payload['query']}")
        return answer

    notes = (
        note("bread", "Proof loaves 45 minutes."),
        *(note(f"n{at}", f"The loaves of day {at} rest.") for at in range(30)),
    )
    answer: dict[str, Any] = {"status": "notes", "notes": [{"source": "bread.md"}]}
    assert len(dream.evidence(vague, place(*notes), ask).contradictions) == 1
    answer = {"status": "nothing", "notes": []}
    assert dream.evidence(vague, place(*notes), ask).contradictions == ()
    answer = {"status": "unavailable", "reason": "not calibrated"}
    assert "not calibrated" in "\n".join(dream.evidence(vague, place(*notes), ask).notices)
    assert asked == ["recall the loaves: 60 minutes instead of 45"] * 3


def test_the_always_loaded_file_is_revised_within_its_cap() -> None:
    text = "- Proof the rye loaves 45 minutes at 28 degrees.\n"
    window = session("s", [user(CHANGE)])
    roomy, full = place(always_loaded=text), place(always_loaded=text, cap=60)
    (item,) = dream.draft(dream.evidence(window, roomy, lambda *_: {}), roomy).items
    assert (item.kind, item.target) == ("always-loaded", "MEMORY.md")
    drafted = dream.draft(dream.evidence(window, full, lambda *_: {}), full)
    assert drafted.items == () and "no room" in drafted.notices[-1]


def test_a_point_that_stands_twice_is_not_revised_blindly() -> None:
    twice = note("bread", "Proof the rye loaves 45 minutes.", "Proof the rye loaves 45 minutes.")
    assert dream.draft(dreamed(session("s", [user(CHANGE)]), twice), place(twice)).items == ()
