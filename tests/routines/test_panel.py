"""Outsiders object to a draft by number; they have no vote, and a missing one is said to be so."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memory_core import llm
from memory_core.proposals.item import Evidence, Item
from memory_core.routines.draft import Draft
from memory_core.routines.dreaming import completes
from memory_core.routines.panel import challenged
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.testing import KEY, Answer, StubModel

DOUBT = "Only one session says so, and it may have meant another host. The logs would settle it."
SAID = Evidence("s1", 7, "user", "the canary takes 25 minutes now", at="2026-11-03T09:00:00+00:00")


def item(text: str = "- The canary takes 25 minutes.", **more: Any) -> Item:
    values = {"before": "- The canary takes ten minutes.", "evidence": (SAID,), **more}
    return Item("revise", "note", "deploys.md", "the canary is slower", after=text, **values)


def objection(change: int, paragraph: str = DOUBT) -> dict[str, Any]:
    return {"change": change, "paragraph": paragraph}


@contextmanager
def panel(*scripts: Any) -> Iterator[tuple[Settings, list[StubModel]]]:
    """Settings with a stub a member."""
    with StubModel(scripts[0]) as birch, StubModel(scripts[1]) as cedar:
        yield (
            Settings(
                panel_models=("openai/birch", "openai/cedar"), panel_vendors=("Birch", "Cedar"),
                panel_api_bases=(birch.url, cedar.url), panel_api_keys=(KEY, KEY),
            ),
            [birch, cedar],
        )  # fmt: skip


def heard(settings: Settings, database: Database, *items: Item) -> Draft:
    return challenged(Draft(items), llm.panel(settings), completes(database, "r1"))


def test_objections_stand_beside_their_items(database: Database) -> None:
    both = {"objections": [objection(2)]}, {"objections": [objection(1), objection(2)]}
    with panel(*both) as (settings, stubs):
        found = heard(settings, database, item(), item("- It takes 26 minutes."))
        assert all("25 minutes now" in stub.sent for stub in stubs)
    one, other = (each.detail["objections"] for each in found.items)
    assert [said["model"] for said in one] == ["openai/cedar"]
    assert [said["model"] for said in other] == ["openai/birch", "openai/cedar"]
    assert one[0]["says"] == DOUBT
    assert found.notices == (
        "panel: openai/birch objects to 1 of 2 changes",
        "panel: openai/cedar objects to 2 of 2 changes",
    )


def test_the_draft_itself_is_not_changed_by_it(database: Database) -> None:
    with panel({"objections": [objection(1)]}, {"objections": []}) as (settings, _):
        (after,) = heard(settings, database, before := item()).items
    assert (after.after, after.value, after.fingerprint) == (
        before.after, before.value, before.fingerprint,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Answer("Insufficient balance", 402), "402"),
        (Answer("overloaded", 503), "503"),
        ("I would rather not.", "no usable reply"),
        ({"objections": [{"change": 1}]}, "no usable reply"),
    ],
)
def test_a_member_that_fails_is_missing_and_the_other_is_heard(
    database: Database, answer: Any, why: str
) -> None:
    with panel(answer, {"objections": [objection(1)]}) as (settings, _):
        found = heard(settings, database, item())
    assert found.notices[0].startswith("panel: openai/birch is missing: ")
    assert why in found.notices[0]
    (only,) = found.items
    assert only.detail["panel"] == ["openai/cedar"]
    assert [said["model"] for said in only.detail["objections"]] == ["openai/cedar"]


def test_with_both_missing_nothing_is_invented(database: Database) -> None:
    with panel(Answer("no", 401), Answer("no", 401)) as (settings, _):
        found = heard(settings, database, before := item())
    assert found.items == (before,) and len(found.notices) == 2


def test_an_objection_to_what_is_not_there_is_left_out(database: Database) -> None:
    with panel({"objections": [objection(9), objection(0)]}, {"objections": []}) as (settings, _):
        (only,) = heard(settings, database, item()).items
    assert "objections" not in only.detail and len(only.detail["panel"]) == 2


def test_secrets_are_redacted_again_on_the_way_out(database: Database) -> None:
    token = "ghp_" + "x7Kq2mP9vR4tW8zB1nC5dF3gH6jL0sA" + "QyEuIo"
    leaky = item(evidence=(Evidence("s1", 1, "tool", f"export GITHUB_TOKEN={token}"),))
    with panel({"objections": []}, {"objections": []}) as (settings, stubs):
        heard(settings, database, leaky)
        assert all(token not in stub.sent and "redacted" in stub.sent for stub in stubs)


def test_a_budget_that_is_used_up_silences_the_panel_and_not_the_run(database: Database) -> None:
    with panel({"objections": []}, {"objections": []}) as (settings, stubs):
        poor = settings.model_copy(update={"llm_tokens_a_run": 300})
        found = heard(poor, database, item())
        assert not stubs[0].requests and not stubs[1].requests
    assert len(found.items) == 1 and all("is missing" in line for line in found.notices)


def test_nothing_drafted_asks_nobody(database: Database) -> None:
    with panel({"objections": []}, {"objections": []}) as (settings, stubs):
        assert heard(settings, database) == Draft()
        assert not stubs[0].requests
