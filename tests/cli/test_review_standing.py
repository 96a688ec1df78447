"""What waits is said where a person looks: `wellkept status` and the start of a session."""

from __future__ import annotations

import json
from datetime import timedelta

from memory_core import settings
from memory_core.cli.review import standing
from memory_core.cli.review.told import lasting
from memory_core.hooks.session_start import _rendered
from memory_core.proposals import queue
from memory_core.proposals.decision import Decision, decide
from memory_core.proposals.item import Item
from memory_core.server import protocol
from memory_core.store.database import Database
from tests.cli.offers import SAID, Offer, revision
from tests.cli.test_status import status
from tests.warm import Warm


def test_status_counts_what_waits_and_names_the_last_runs(offer: Offer, database: Database) -> None:
    first = offer(revision(1), revision(2), subject="one")
    offer(revision(3), subject="two")
    plain, document = status(), json.loads(status("--json").stdout)
    assert "proposals    2 wait (3 items), the oldest for a moment: wellkept review" in plain.stdout
    assert "last runs    wrap just now, open" in plain.stdout
    assert document["proposals"]["waiting"] == 2 and document["proposals"]["items"] == 3
    decide(database, first, Decision("apply none"))
    held = standing.read(database, "ada")
    assert held["waiting"] == 1 and [run["state"] for run in held["runs"]] == ["open"]


def test_with_nothing_waiting_status_says_so(home: object) -> None:
    assert "proposals    none waits" in status().stdout


def test_another_user_s_proposals_do_not_wait_for_this_one(
    offer: Offer, database: Database
) -> None:
    offer(revision(1))
    assert standing.read(database, "eve")["waiting"] == 0


def test_a_span_is_told_in_its_largest_unit() -> None:
    spans = [timedelta(seconds=5), timedelta(minutes=61), timedelta(days=3, hours=5)]
    assert [lasting(span) for span in spans] == ["a moment", "1 hour", "3 days"]


def test_a_session_starts_with_a_line_that_something_waits(warm: Warm) -> None:
    database = Database(f"sqlite:///{warm.home / 'wellkept.sqlite'}")
    user = settings.load().user
    body = {"cwd": str(warm.vault), "session": "s", "source": "startup", "client": "claude-code"}
    before = warm.call(protocol.SESSION_START, body)["proposals"]
    run = queue.open_run(
        database, routine="wrap", subject="s", run="waits", user=user, scope="", window={}
    )
    item = Item("add", "memory", f"user:{user}:tea", "Tea", after="Green.", evidence=(SAID,))
    made = queue.offer(database, warm.vault, settings.load(), run.id, [item])
    assert made.state == "open", made
    started = warm.call(protocol.SESSION_START, body)
    decide(database, made.id, Decision("apply none"))
    database.close()
    assert started["proposals"] == before + 1
    line = "1 proposal waits for a person's decision (wellkept review)"
    assert line in _rendered(started | {"proposals": 1})
