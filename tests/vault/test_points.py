"""A body is taken apart into verbatim points."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.vault.note import parse

DEMO = Path(__file__).parents[2] / "demo" / "vault"


def _texts(body: str) -> list[str]:
    return [point.text for point in parse(body, "n.md").points]


def test_bullets_paragraphs_code_and_tables_are_points() -> None:
    body = (
        "# Title\n\nA paragraph.\n\n- one\n- two\n  goes on\n\n```sh\nls -l\n\nrm x\n```\n\n"
        "| a | b |\n| - | - |\n| 1 | 2 |\n\n1. first\n2. second\n"
    )
    assert _texts(body) == [
        "A paragraph.",
        "- one",
        "- two\n  goes on",
        "```sh\nls -l\n\nrm x\n```",
        "| a | b |\n| - | - |\n| 1 | 2 |",
        "1. first",
        "2. second",
    ]


def test_a_point_knows_its_heading_and_its_line() -> None:
    note = parse("---\nkey: k\n---\n# A\n\n- x\n\n## B\n\n- y\n", "n.md")
    assert [(point.text, point.heading, point.line) for point in note.points] == [
        ("- x", "A", 6),
        ("- y", "B", 10),
    ]


def test_nested_bullets_belong_to_their_parent_unless_the_whole_is_long() -> None:
    assert _texts("- a\n  - b\n  - c\n") == ["- a\n  - b\n  - c"]
    long = "word " * 50
    assert _texts(f"- a {long}\n  - b {long}\n    - c\n") == [
        f"- a {long}".strip(),
        f"- b {long}\n    - c",
    ]


def test_a_heading_with_nothing_below_it_is_a_point() -> None:
    assert _texts("# Ports\n## Postgres is on 5433\n## Redis\n\n- 6380\n") == [
        "## Postgres is on 5433",
        "- 6380",
    ]
    assert _texts("# Only a title") == ["# Only a title"]


def test_code_blocks_and_bullets_are_atomic_and_paragraphs_are_not() -> None:
    points = parse("text\n\n- item\n\n```\ncode\n```\n\n> quote\n", "n.md").points
    assert [point.atomic for point in points] == [False, True, True, False]


def test_plain_is_the_text_without_its_bullet() -> None:
    points = parse("* a *b*\n\n## Alone\n\n1. c\n", "n.md").points
    assert [point.plain for point in points] == ["a *b*", "1. c"]
    assert parse("- - x", "n.md").points[0].plain == "- x"


def test_links_are_found_in_words_and_not_in_code() -> None:
    note = parse(
        "- See [[a]], [[b|the b]] and [[c#part]], [[a]].\n- `[[ -f x ]]`\n\n```\n[[d]]\n```", "n"
    )
    assert note.links == ("a", "b", "c")


def test_every_question_of_the_demo_set_has_its_answer_in_one_point() -> None:
    import json

    lines = (DEMO / ".wellkept/benchmark/working.jsonl").read_text("utf-8").splitlines()
    asked = [question for question in map(json.loads, lines) if question["note"]]
    notes = {file.name: parse(file.read_text("utf-8"), file.name) for file in DEMO.glob("*.md")}
    for question in asked:
        points = notes[question["note"]].points
        assert any(question["answer_point"] in point.text for point in points), question["id"]


@pytest.mark.parametrize(
    "body",
    [
        "[" * 100_000,
        "> " * 50_000,
        "- " * 30_000,
        "`" * 100_000,
        "x" * 256_000,
        "\n".join(" " * depth + "- a" for depth in range(300)),
        "<!-- " * 10_000,
        "\x00- a\n" * 1000,
    ],
    ids=["brackets", "quotes", "bullets", "ticks", "line", "deep", "comments", "nul"],
)
def test_hostile_markdown_is_read(body: str) -> None:
    for point in parse(body, "n.md").points:
        assert point.text in body


_MARKDOWN = st.lists(
    st.sampled_from(
        ["- ", "  - ", "* ", "1. ", "> ", "# ", "```", "~~~", "| a | b |", "|-|-|", "---", "===",
         "\n", "\n", "\n\n", "\r\n", "\r", "\t", "    ", "word", "[[k]]", "[[", "`", "<b>",
         "æøå", "契約", "🙂", "\u2028", "\x0b", "\x00", "\ufeff", "a. B"]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@given(st.one_of(_MARKDOWN, st.text(max_size=300)))
def test_points_are_verbatim_and_nothing_raises(text: str) -> None:
    note = parse(text, "n.md")
    end = 0
    for point in note.points:
        assert point.text in text
        assert point.text.strip()
        start = text.index(point.text, end)
        end = start + len(point.text)
        assert point.line >= 1


@given(_MARKDOWN)
def test_every_word_of_a_body_without_headings_is_in_a_point(text: str) -> None:
    body = text.replace("#", "").replace("=", "").replace("---", "").replace("\x00", "")
    held = " ".join(_texts(f"\n{body}"))
    for word in ("word", "契約", "🙂", "æøå"):
        assert held.count(word) == body.count(word)
