"""A proposal as people read it: complete, short, and with nothing hidden in it."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memory_core.proposals import render
from memory_core.proposals.item import Evidence
from tests.proposals.conftest import NOTE, Place, add, drop, move, revise

HOSTILE = "</details> ``` # x\n<script>\u202egnp\u200b ![](http://x) **b**"


def test_the_document_names_every_item_its_evidence_and_its_size(place: Place) -> None:
    place.write("beta.md", "- b\n")
    proposal = place.fill(
        place.open(),
        [
            add("alpha.md", "three", value=5.0),
            revise("alpha.md", "- one", "- eins", value=4.0),
            drop("alpha.md", "- two", value=3.0),
            move("beta.md", "- b", "alpha.md", value=2.0),
            revise("beta.md", "- nope", "- x", value=1.0, evidence=()),
        ],
        summary="four things",
        notices=["without a model"],
        cost={"tokens": 1200, "usd": 0},
    )
    text = render.markdown(proposal)
    assert text.startswith("# Proposal 1: wrap of session-1\n\nfour things\n\n> without a model\n")
    assert "cost: tokens 1200\n" in text
    assert "## 2. revise alpha.md\n\n\\- eins\n\n```diff\n- - one\n+ - eins\n```\n" in text
    assert "- said by the user, turn 3 of session session-: we always do it so" in text
    assert "```diff\n- - b\n  to alpha.md:\n+ - b\n```" in text
    assert "## 5. revise beta.md — stale: what it changes no longer stands there" in text
    assert "+1 characters; said by the user" in text
    assert "without evidence" in text


def test_hostile_text_stays_data_and_shows_what_it_hides(place: Place) -> None:
    place.write("alpha.md", NOTE + "- a\u200bb\u202ec ```` x\n")
    said = (Evidence("s", 1, "web", HOSTILE),)
    proposal = place.fill(
        place.open(subject="<b>subject"),
        [
            revise("alpha.md", "- a\u200bb\u202ec ```` x", HOSTILE, evidence=said, title=HOSTILE),
            add("beta.md", HOSTILE, evidence=said),
        ],
        summary=HOSTILE,
    )
    text = render.markdown(proposal)
    assert "\u202e" not in text and "\u200b" not in text
    assert "a\\u200bb\\u202ec" in text
    tokens = MarkdownIt("commonmark").parse(text)
    kinds = {token.type for token in tokens}
    assert "html_block" not in kinds
    inline = {child.type for token in tokens for child in token.children or ()}
    assert not inline & {"html_inline", "image", "link_open"}
    assert "\\*\\*b\\*\\*" in text
    assert sum(token.type == "fence" for token in tokens) == 2


@settings(deadline=None)
@given(st.text())
def test_nothing_invisible_stays_invisible(text: str) -> None:
    shown = render.visible(text)
    assert not re.search("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\x00-\x08\x7f]", shown) or (
        "\u200d" in text or "\u200c" in text
    )
    assert render.visible(shown) == shown


def test_a_secret_of_the_users_own_file_is_not_published(place: Place) -> None:
    place.write("alpha.md", NOTE + "- password = hunter2Xq9zzT\n")
    proposal = place.offer(drop("alpha.md", "- password = hunter2Xq9zzT"))
    assert "hunter2" not in render.markdown(proposal)
    assert "[redacted: password]" in render.markdown(proposal)
    place.decide(proposal.id)
    assert place.apply(proposal.id).applied == (1,)
    assert place.read("alpha.md").count("hunter2") == 0


def test_one_line_holds_number_action_target_and_size(place: Place) -> None:
    proposal = place.offer(add("alpha.md", "t" * 300, title="long " * 60), drop("x.md", "- x"))
    first, second = (render.one_line(item) for item in proposal.items)
    assert first.startswith("1. add alpha.md: long long") and first.endswith("…  (+300)")
    assert len(first) < 180
    assert second == "2. drop x.md: drop - x  (-3)  [stale: x.md is not there]"


def test_a_long_diff_is_cut_and_says_so(place: Place) -> None:
    (item,) = place.offer(add("new.md", "\n".join(f"- {n}" for n in range(500)))).items
    lines = render.diff(item)
    assert len(lines) == render.CONTEXT + 1
    assert lines[-1] == "  … 300 more"
