"""Several hosts, each with a vault of its own, share a database: none does another's work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event, text

from memory_core.errors import DatabaseUnavailable, VaultError
from memory_core.proposals import queue
from memory_core.proposals.apply import drain
from memory_core.settings import Settings
from memory_core.store.database import Database
from tests import stores
from tests.proposals.conftest import NOTE, Place, add

pytestmark = stores.postgres_only


@pytest.fixture
def other(place: Place, tmp_path: Path) -> Iterator[Place]:
    """Another host's vault and user over the same database."""
    root = tmp_path / "other"
    root.mkdir()
    found = Place(Database(place.database.url), root, Settings(vault=root, user="bob"))
    found.write("beta.md")
    yield found
    found.database.close()


def drained(place: Place) -> list[int]:
    return [one.proposal for one in drain(place.database, place.root, place.settings)]


def test_what_a_host_decided_is_written_by_that_host(place: Place, other: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    place.decide(proposal.id)
    assert drained(other) == []
    assert place.get(proposal.id).state == "decided"
    assert drained(place) == [proposal.id]
    assert "three" in place.read("alpha.md")


def test_what_a_killed_host_owes_is_left_to_it(
    place: Place, other: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    place.decide(proposal.id)
    with monkeypatch.context() as patch:
        patch.setattr("memory_core.proposals.owing._write_files", _killed)
        with pytest.raises(KeyboardInterrupt):
            place.apply(proposal.id)
    away = place.root.rename(place.root.with_name("on another host"))
    assert drained(other) == []
    with pytest.raises(VaultError, match="is not there"):
        other.apply(proposal.id)
    assert not (other.root / "alpha.md").exists()
    away.rename(place.root)
    assert drained(place) == [proposal.id]
    assert place.get(proposal.id).items[0].state == "applied"
    assert "three" in place.read("alpha.md")


def test_nothing_is_stale_because_another_vault_lacks_it(place: Place, other: Place) -> None:
    proposal = place.offer(add("alpha.md", "three"))
    place.write("alpha.md", "# changed\n")
    assert queue.refresh(other.database, other.root, other.settings) == 0
    assert place.get(proposal.id).items[0].state == "open"
    assert queue.refresh(place.database, place.root, place.settings) == 1


@pytest.mark.parametrize("statement", [2, 6, 12])
def test_a_connection_lost_in_mid_apply_leaves_nothing_half_done(
    place: Place, statement: int
) -> None:
    proposal = place.offer(
        add("alpha.md", "three"), add("user:ada:tea", "likes tea", detail={"description": "tea"})
    )
    place.decide(proposal.id)
    broken = Place(Database(place.database.url), place.root, place.settings)
    left = [statement]

    @event.listens_for(broken.database.engine, "before_cursor_execute")
    def _cut(connection, cursor, told, *_):  # type: ignore[no-untyped-def]
        if "INSERT" in told or "UPDATE" in told:
            left[0] -= 1
        if left[0] == 0:
            left[0] = -1
            (pid,) = cursor.execute("SELECT pg_backend_pid()").fetchone()
            with place.database.engine.connect() as admin:
                admin.execute(text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})

    with pytest.raises(DatabaseUnavailable):
        broken.apply(proposal.id)
    broken.database.close()
    assert not list(place.root.rglob(".wellkept-*"))
    if place.get(proposal.id).applied_at is None:
        assert place.read("alpha.md") == NOTE and place.entries() == []
    assert drained(place) == [proposal.id]
    assert place.read("alpha.md").count("three") == 1
    assert [item.state for item in place.get(proposal.id).items] == ["applied"] * 2
    assert len(place.entries()) == 2


def _killed(*_: object) -> None:
    raise KeyboardInterrupt
