"""A command of a note that fails by its form is told with what worked instead."""

from __future__ import annotations

import pytest

from memory_core.routines.dream import dream
from memory_core.routines.dream.findings import Failure
from tests.routines.dream.talk import dreamed, note, place, session, shell, user

EXPORT = note(
    "export", "Export with `scanpipe export --fmt tiff --batch NAME`.", "Lamps need a minute."
)
WRONG = "error: unrecognized arguments: --fmt tiff"


def failures(*spans: tuple[str, str] | tuple[str, str, bool]) -> tuple[Failure, ...]:
    return dreamed(
        session("s", [user("export"), *(shell(*span) for span in spans)]), EXPORT
    ).failures


def test_the_failure_is_told_beside_the_command_with_its_remedy() -> None:
    window = session(
        "s",
        [
            user("export A-1"),
            shell("scanpipe export --fmt tiff --batch A-1", WRONG, True),
            shell("scanpipe export --help", "--format"),
            shell("scanpipe export --format tiff --batch A-1", "96 plates"),
        ],
    )
    (item,) = dream.draft(dreamed(window, EXPORT), place(EXPORT)).items
    assert (item.action, item.before) == ("revise", EXPORT.points[0].text)
    assert item.after == (
        f"{item.before} Since 2026-10-01: it failed with “{WRONG}”; "
        "what worked: `scanpipe export --format tiff --batch A-1`."
    )
    assert [piece.ref for piece in item.evidence] == ["1.1", "1.3"]


def test_a_renamed_subcommand_is_a_remedy() -> None:
    told = note("relay", "Restart with `relayctl restart NAME`.")
    window = session(
        "s",
        [
            user("restart"),
            shell("relayctl restart web", "error: unknown command 'restart'"),
            shell("relayctl service restart web", "restarted"),
        ],
    )
    (found,) = dreamed(window, told).failures
    assert found.worked == "relayctl service restart web"


def test_without_a_remedy_it_says_so() -> None:
    (found,) = failures(("scanpipe export --fmt tiff --batch A", WRONG))
    assert found.worked == ""
    assert (
        "nothing else was seen to work"
        in dream.draft(
            dreamed(
                session("s", [user("x"), shell("scanpipe export --fmt tiff --batch A", WRONG)]),
                EXPORT,
            ),
            place(EXPORT),
        )
        .items[0]
        .after
    )


@pytest.mark.parametrize(
    "spans",
    [
        [("scanpipe export --fmt tiff --batch A", "error: the scanner is busy", True)],
        [
            ("scanpipe export --fmt tiff --batch A", WRONG, True),
            ("scanpipe export --fmt tiff --batch B", "12 plates"),
        ],
        [("scanpipe export --raw --batch A", "error: unrecognized arguments: --raw")],
        [("cat log; grep scanpipe log", "unknown option seen before")],
        [("scanpipe export --fmt tiff --batch A", "12 plates, unknown option ignored", False)],
    ],
)
def test_other_failures_say_nothing_of_the_note(spans: list[tuple[str, str]]) -> None:
    assert failures(*spans) == ()
