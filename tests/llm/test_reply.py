"""From a model's words to an object: what is forgiven and what is a fault."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from memory_core.llm.reply import Unusable, parse


class Fact(BaseModel):
    text: str
    turns: list[int] = []


class Facts(BaseModel):
    facts: list[Fact] = []


GOOD = '{"facts": [{"text": "use {braces} and \\"quotes\\"", "turns": [3]}]}'
READ = Facts(facts=[Fact(text='use {braces} and "quotes"', turns=[3])])


@pytest.mark.parametrize(
    "said",
    [
        GOOD,
        f"\ufeff\n{GOOD}\n",
        f"```json\n{GOOD}\n```",
        f"Here is what I found (see {{x}}):\n\n{GOOD}\n\nLet me know!",
        f'<think>A draft: {{"facts": []}} or so</think>\n{GOOD}',
        f"so the user wants facts\n</think>\n```\n{GOOD}\n```",
    ],
    ids=["bare", "byte order mark", "fence", "prose", "thoughts", "thoughts without a beginning"],
)
def test_what_stands_around_the_one_object_is_left_out(said: str) -> None:
    assert parse(said, Facts) == READ


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("{'facts': [{'text': 'a', 'turns': [1]}]}", "broken"),
        ('{"facts": [{"text": "a", "turns": [1],}]}', "broken"),
        ('{"facts": [{"text": NaN}]}', "NaN"),
        ('{"fakta": [{"text": "a"}]}', "fakta"),
        ('{"facts": [{"statement": "a"}]}', "statement"),
        ('{"facts": [{"text": "a", "turns": "all"}]}', "turns"),
        ('{"facts": [], "facts": [{"text": "a"}]}', "twice"),
        ("", "empty"),
        (" \n ", "empty"),
        ('{"facts": [{"text": "a", "turns": [1]}, {"text": "b', "cut"),
        ('{"facts": [{"text": "a", "turns": [1]}, {"text": "b"}', "cut"),
        ("<think>I should look at", "<think>"),
        ("Invalid API key · Please run /login", "no JSON"),
        ("insufficient balance", "no JSON"),
        ("<!DOCTYPE html><html>{}</html>", "web page"),
        ('[{"facts": []}]', "list"),
        ('{"facts": []} or rather {"facts": [{"text": "b"}]}', "2 JSON objects"),
        ('{"error": {"message": "insufficient balance"}}', "error"),
    ],
)
def test_what_is_unclear_is_a_fault_and_never_a_guess(said: str, fault: str) -> None:
    with pytest.raises(Unusable) as caught:
        parse(said, Facts)
    assert fault in str(caught.value)


@given(st.text(max_size=60), st.sampled_from(["", "Sure:\n", "```json\n"]))
def test_no_text_within_the_object_is_changed(text: str, before: str) -> None:
    written = json.dumps({"facts": [{"text": text + "</think> {'a': 1} ```"}]})
    assert parse(before + written, Facts).facts[0].text == text + "</think> {'a': 1} ```"


@given(st.integers(min_value=1, max_value=len(GOOD) - 1))
def test_a_reply_cut_anywhere_is_never_used(length: int) -> None:
    with pytest.raises(Unusable):
        parse(GOOD[:length], Facts)


def test_a_fault_does_not_repeat_what_the_reply_said() -> None:
    document: dict[str, Any] = {"facts": [{"text": 1, "turns": ["hemmelig"]}]}
    with pytest.raises(Unusable) as caught:
        parse(json.dumps(document), Facts)
    assert "hemmelig" not in str(caught.value)
