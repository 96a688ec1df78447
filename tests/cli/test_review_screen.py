"""Screens fit their terminal and show no character that does something to it."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from memory_core.cli.review.page import ansi
from memory_core.cli.review.screen import help_page, item_page, summary_page
from memory_core.cli.review.sitting import Choice, Sitting
from memory_core.proposals.item import Evidence
from memory_core.vault.question import WORKING_SET
from tests.cli.offers import SAID, numbered, proposal

_STYLE = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = st.text(max_size=300) | st.text(
    st.sampled_from("a \n\t日本👍🏽\u200d\u200b\x1b[2J\x07\x9b\u202e\u2028\u3164\ud800-+│"),
    max_size=300,
)
SIZES = st.tuples(st.integers(20, 120), st.integers(10, 50))


def drawn(sitting: Sitting, width: int, height: int, offset: int = 0) -> list[str]:
    make = summary_page if sitting.finished else item_page
    page = make(sitting, "proposal 1 of 1", "", width)
    return ansi(page.lines(width, height, offset))


@given(HOSTILE, HOSTILE, HOSTILE, HOSTILE, SIZES, st.integers(0, 30))
@settings(deadline=None, max_examples=60)
def test_any_text_fits_and_does_nothing_to_the_terminal(
    title: str, before: str, after: str, quote: str, size: tuple[int, int], offset: int
) -> None:
    said = Evidence("s\x1b", 1, "web", quote, at=title)
    item = numbered(
        title=title, before=before, after=after, evidence=(said,), target=f"a{title}.md",
        detail={"description": quote, title: [[before, after]]}, reason=quote,
    )  # fmt: skip
    hostile = proposal(
        item, subject=title, scope=quote, summary=before, notices=(quote,),
        cost={"models": [title], "calls": 1},
    )  # fmt: skip
    sitting = Sitting.of(hostile)
    for _ in range(2):
        lines = drawn(sitting, *size, offset)
        assert len(lines) <= size[1]
        for line in lines:
            plain = _STYLE.sub("", line)
            assert cell_len(plain) <= size[0]
            assert not re.search(r"[\x00-\x1f\x7f-\x9f\u200b\u202e\u2028\u3164]", plain), ascii(
                plain
            )
        sitting.comment = quote
        sitting.all_of_it()


def test_wide_characters_are_measured_as_they_are_drawn() -> None:
    sitting = Sitting.of(proposal(numbered(after="日本語" * 40 + "👍" * 30)))
    lines = drawn(sitting, 40, 40)
    folded = [_STYLE.sub("", line) for line in lines if "日本" in line or "👍" in line]
    assert all(cell_len(line) <= 40 for line in folded)
    assert "".join(line[2:] for line in folded) == "日本語" * 40 + "👍" * 30


def test_signs_tell_what_goes_and_comes_also_without_colour(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sitting = Sitting.of(proposal())
    coloured = "\n".join(drawn(sitting, 80, 24))
    assert "\x1b[31m- " in coloured and "\x1b[32m+ " in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    plain = "\n".join(drawn(sitting, 80, 24))
    assert "- - We deploy on" in _STYLE.sub("", plain)
    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", plain)


def test_the_words_that_changed_are_underlined() -> None:
    lines = drawn(Sitting.of(proposal()), 80, 24)
    assert any("\x1b[1;4;31mFridays" in line for line in lines)
    assert any("\x1b[1;4;32mTuesdays" in line for line in lines)


def test_a_memory_is_shown_with_its_description_and_where_it_applies() -> None:
    item = numbered(
        action="add", kind="memory", target="user:ada:deploy-day", before="", after="At ten.",
        detail={"description": "When we deploy", "refs": [["project", "shop"], ["item", "42"]]},
    )  # fmt: skip
    shown = _STYLE.sub("", "\n".join(drawn(Sitting.of(proposal(item)), 80, 24)))
    assert "add  user:ada:deploy-day (memory)" in shown
    assert "description: When we deploy" in shown and "refs: project:shop, item:42" in shown
    assert "+ At ten." in shown


@pytest.mark.parametrize(
    ("source", "told"),
    [("user", "said by the user"), ("agent", "said by the agent"), ("tool", "in tool output"),
     ("web", "on a web page")],
)  # fmt: skip
def test_every_quote_says_where_it_is_from(source: str, told: str) -> None:
    item = numbered(evidence=(replace(SAID, source=source), replace(SAID, input=True)))
    shown = "\n".join(drawn(Sitting.of(proposal(item)), 80, 24))
    assert f"{told}, turn 9 of session 3f2a9c1e" in shown
    assert "a command the agent ran, turn 9 of session 3f2a9c1e" in shown


def test_the_summary_shows_remarks_and_what_went_stale() -> None:
    stale = numbered(2, state="stale", reason="topic.md was changed meanwhile")
    sitting = Sitting.of(proposal(numbered(1), stale, notices=("The panel has doubts.",)))
    assert "1 remark in the summary" in " ".join(drawn(sitting, 120, 24))
    sitting.choose(Choice.APPLY)
    shown = _STYLE.sub("", "\n".join(drawn(sitting, 80, 24)))
    assert "The panel has doubts." in shown
    assert "stale 2  release.md: topic.md was changed meanwhile" in shown
    assert "(apply 1)" in shown


def test_every_key_is_explained_in_the_help() -> None:
    shown = "\n".join(line.plain for line in help_page(80).body)
    assert all(f"\n{key} " in f"\n{shown}" for key in "ynxecbaNRlq")
    assert len(help_page(80).lines(80, 24, 0)) == 24


def test_all_spares_what_is_never_to_come_again_and_none_spares_nothing_else() -> None:
    sitting = Sitting.of(proposal(numbered(1), numbered(2), numbered(3)))
    sitting.choose(Choice.NEVER)
    sitting.choose(Choice.SKIP)
    sitting.all_of_it()
    decision = sitting.decision()
    assert (decision.choice, decision.chosen, decision.never) == ("apply chosen", (2, 3), (1,))
    sitting.none_of_it()
    assert (sitting.decision().choice, sitting.decision().never) == ("apply none", (1,))


def test_back_from_a_rejected_run_comes_to_the_same_item() -> None:
    sitting = Sitting.of(proposal(numbered(1), numbered(2)))
    sitting.choose(Choice.APPLY)
    sitting.rejected()
    assert sitting.finished and sitting.decision().choice == "reject run"
    sitting.back()
    assert not sitting.finished and sitting.item.number == 2
    assert sitting.choices == {1: Choice.APPLY}


def test_a_stale_item_loses_its_choice_and_its_edit() -> None:
    sitting = Sitting.of(proposal(numbered(1), numbered(2)))
    sitting.edit("mine")
    sitting.choose(Choice.APPLY)
    moved = proposal(numbered(1, state="stale", reason="gone"), numbered(2))
    assert sitting.refreshed(moved) == (1,)
    sitting.choose(Choice.APPLY)
    decision = sitting.decision()
    assert decision.choice == "apply all" and not decision.edits


def test_what_is_read_at_a_glance_comes_first() -> None:
    long = numbered(1, after="- one\n- two\n- three")
    sitting = Sitting.of(proposal(long, numbered(2), numbered(3)))
    assert sitting.walk == (2, 3, 1) and sitting.open == (1, 2, 3)


@pytest.mark.parametrize(
    ("spent", "told"),
    [
        ({}, "no model used"),
        ({"calls": 0, "models": [], "usd": 0.0}, "no model used"),
        (
            {"calls": 1, "models": ["a/b"], "tokens_in": 10, "usd": None},
            "a/b, 10 tokens, price not",
        ),
        (
            {"calls": 2, "models": ["a", "b"], "tokens_out": 5, "usd": 0.0012},
            "a, b, 5 tokens, $0.0012",
        ),
        ({"calls": 1, "models": ["local"], "usd": 0.0}, "local, 0 tokens, $0.00"),
    ],
)
def test_the_head_says_which_model_and_at_what_price(spent: dict[str, object], told: str) -> None:
    shown = "\n".join(drawn(Sitting.of(proposal(cost=spent)), 120, 24))
    assert f"github.com/acme/shop; {told}" in shown


def test_a_question_is_whole_on_a_screen_a_field_a_line() -> None:
    row = {
        "id": "w1",
        "query": "Hvor? " + "a" * 90,
        "note": "a.md",
        "answer_point": "b",
        "kind": "x",
    }
    after = json.dumps({**row, "kind": "y"}, ensure_ascii=False)
    item = numbered(kind="question", target=WORKING_SET, title="w1 is of the kind y",
                    before=json.dumps(row, ensure_ascii=False), after=after)  # fmt: skip
    shown = _STYLE.sub("", "\n".join(drawn(Sitting.of(proposal(item)), 80, 24)))
    assert "revise  the working set" in shown and "as many questions" in shown
    assert "  note: a.md\n" in "\n".join(map(str.rstrip, shown.split("\n"))) + "\n"
    assert "- kind: x" in shown and "+ kind: y" in shown and "y apply" in shown
