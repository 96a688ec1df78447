"""Sentences, and which text is somebody's own words."""

from __future__ import annotations

import pytest

from memory_core.routines.speech import of_agent, of_user, sentences


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("it works. thanks!", ["it works.", "thanks!"]),
        ("p95 is 0.88 s. With 60 it holds.", ["p95 is 0.88 s.", "With 60 it holds."]),
        ("die Frist ist der 10. jedes Monats.", ["die Frist ist der 10. jedes Monats."]),
        ("starts 23:00, not 22:30. ends 05:15.", ["starts 23:00, not 22:30.", "ends 05:15."]),
        ("see e.g. the log, kl. 8.", ["see e.g. the log, kl. 8."]),
        ("use `a. b` here. ok", ["use `a. b` here.", "ok"]),
        ("5時半にしました。手動でも成功。", ["5時半にしました。", "手動でも成功。"]),
        ("", []),
    ],
)
def test_a_line_is_cut_at_sentence_ends_alone(line: str, parts: list[str]) -> None:
    assert sentences(line) == parts


def test_what_follows_an_announced_paste_is_not_the_users() -> None:
    assert of_user("answer this mail:\n\nDear team,\nalways pay at once.") == ["answer this mail:"]


def test_a_long_paragraph_is_a_document() -> None:
    assert of_user("short remark\n\n" + "always do this and that " * 60) == ["short remark"]


def test_code_blocks_quotes_and_headings_of_an_agent_are_left_out() -> None:
    told = of_agent("## Summary\n- It must be set.\n> never mind\n```sh\nrm -r x\n```\nThe end.")
    assert told == ["It must be set.", "The end."]
