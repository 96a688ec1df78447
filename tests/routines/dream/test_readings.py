"""Values, changes and steps are read out of any text without failing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.routines.dream import changes, stances, steps
from memory_core.routines.dream.values import values
from memory_core.routines.superseding import supersessions

_PIECES = [
    *("`", "a/b.md", "12", " instead of ", "--x=1", " not ", "; ", "&& ", "|", "'", '"', "25日"),
    *("ではなく", "[[k]]", " no longer ", " from 1 to ", " replaces ", "\n", "$(", ")", "ssh h 'x"),
    *("\x00", "ø", "{", '{"command": "a"}', "<<E", "Monday"),
]
PIECES = st.lists(st.sampled_from(_PIECES) | st.text(max_size=8), max_size=30).map("".join)


@given(PIECES)
def test_no_text_makes_a_reading_fail(text: str) -> None:
    for value in values(text):
        assert text[value.at : value.at + len(value.text)] == value.text and value.norm
    changes.changes(text)
    changes.keeps(text)
    stances.stance(text)
    stances.attribute(text)
    list(supersessions(text))
    for step in steps.of_command(text):
        assert step.words and step.command == " ".join(step.command.split())


@given(PIECES)
def test_the_first_look_at_a_sentence_misses_no_change(text: str) -> None:
    if changes.changes(text):
        assert changes.cue(text)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (
            "cd /srv && sudo docker compose -f a.yml pull 2>&1 | tail -3",
            ("docker", "compose", "pull"),
        ),
        ("ssh -p 22 web1 'systemctl reload caddy'", ("systemctl", "reload", "caddy")),
        ("A=1 uv run python tools/move.py x.txt --n 3", ("move.py",)),
        ("python3 -m build --wheel", ("build",)),
        ("kubectl -n shop-jobs create job --from=cronjob/x y", ("kubectl", "create", "job")),
        (
            "for o in 1 2; do shopctl payments sync --order $o; done",
            ("shopctl", "payments", "sync"),
        ),
        ("bash -c 'obsctl dome open'", ("obsctl", "dome", "open")),
        ("shopctl webhooks replay --since 2h --dry-run", ("shopctl", "webhooks", "replay")),
    ],
)
def test_a_command_is_its_program_and_its_subcommands(command: str, words: tuple[str, ...]) -> None:
    assert words in [step.words for step in steps.of_command(command)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("18,5 grader fra 23:00", [("18.5", "degree"), ("23:00", "time")]),
        ("1,020 orders, 4 194 304 bytes", [("1020", ""), ("4194304", "")]),
        ("above 85 percent, `until=48h`", [("85", "%"), ("until=48h", "code")]),
        ("毎月25日です", [("25", "day")]),
        (
            "druck-01.intern and v2.14.0 in shop_api/money.py",
            [("druck-01.intern", "host"), ("2.14.0", "version"), ("shop_api/money.py", "path")],
        ),
    ],
)
def test_a_value_has_a_normal_form_and_a_class(text: str, found: list[tuple[str, str]]) -> None:
    assert [(value.norm, value.kind) for value in values(text)] == found
