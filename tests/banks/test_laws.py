"""Any sequence of changes keeps the caps, the ledger and the digest's bounds."""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sqlmodel import select

from memory_core.banks.banks import Banks
from memory_core.banks.caps import Caps, as_json
from memory_core.banks.context import Context
from memory_core.banks.digest import CEILING, digest
from memory_core.banks.memory import Draft, EntityRef, Memory
from memory_core.banks.row import restored
from memory_core.banks.rules import Rules
from memory_core.banks.writer import By
from memory_core.errors import Permanent
from memory_core.store.database import Database
from memory_core.store.tables import LedgerRow
from tests import stores
from tests.banks.hostile import hostile

ADA = Context("ada", "shop")
BY = By("agent")
CAPS = Caps(hard=4, soft=3, target=2)
kinds = st.sampled_from(("private", "shared", "global"))
keys = st.one_of(st.sampled_from("abcdef"), hostile)
refs = st.one_of(st.none(), st.just(()), st.just((EntityRef("item", "A"),)))


def _same(one: Memory | None, two: Memory | None) -> bool:
    """Equal but for the version, which no two changes share."""
    texts = [
        memory and (memory.id, memory.description, memory.content, memory.refs, memory.updated_at)
        for memory in (one, two)
    ]
    return texts[0] == texts[1]


class Changes(RuleBasedStateMachine):
    """Remember, forget, move, end a run, undo; every refusal must leave no trace."""

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.url = stores.fresh(Path(self.folder.name) / "laws.sqlite")
        self.banks = Banks(Database(self.url), Rules(CAPS))
        self.number = 0

    @rule(kind=kinds, key=keys, description=hostile, content=hostile, where=refs)
    def remember(
        self, kind: str, key: str, description: str, content: str,
        where: tuple[EntityRef, ...] | None,
    ) -> None:  # fmt: skip
        before = self._state()
        try:
            written = self.banks.remember(
                ADA.bank(kind), Draft(key, description, content, where), BY
            )
        except Permanent:
            assert self._state() == before
        else:
            self.number = written.number

    @rule(kind=kinds, key=keys)
    def forget(self, kind: str, key: str) -> None:
        with suppress(Permanent):
            self.number = self.banks.forget(ADA.bank(kind), key, BY).number

    @rule(source=kinds, key=keys, to=kinds)
    def move(self, source: str, key: str, to: str) -> None:
        before = self._state()
        try:
            with self.banks.writing() as writer:
                self.number = writer.move(ADA.bank(source), key, ADA.bank(to), BY).number
        except Permanent:
            assert self._state() == before

    @rule(kind=kinds, latched=st.booleans())
    def end_run(self, kind: str, latched: bool) -> None:
        self.banks.end_run(ADA.bank(kind), latched=latched)

    @rule()
    def undo_twice(self) -> None:
        before = self._state()
        try:
            once = self.banks.undo(self.number, BY)
        except Permanent:
            assert self._state() == before
            return
        try:
            twice = self.banks.undo(once.number, BY)
        except Permanent:  # a latched bank takes no new key
            self.number = once.number
            return
        assert _same(twice.before, once.after)
        assert _same(twice.after, once.before)
        self.number = twice.number

    @invariant()
    def caps_hold(self) -> None:
        held = self._state()[0]
        for memory in held:
            assert len(memory.key) <= CAPS.key
            assert len(as_json(memory.description)) - 2 <= CAPS.description
            assert len(memory.content) <= CAPS.content
        for bank in ADA.banks:
            state = self.banks.state(bank)
            assert state.count <= CAPS.hard
            assert not state.latched or state.count > CAPS.soft
        assert len(digest(self.banks, ADA).text) <= CEILING

    @invariant()
    def the_ledger_tells_the_state(self) -> None:
        """Replaying the ledger gives exactly what the banks hold."""
        held, rows = self._state()
        replayed: dict[str, Memory] = {}
        for row in rows:
            if (gone := restored(row.before)) is not None:
                assert _same(replayed.pop(gone.id), gone)
            if (there := restored(row.after)) is not None:
                assert there.id not in replayed
                replayed[there.id] = there
        assert set(replayed) == {memory.id for memory in held}
        assert all(_same(replayed[memory.id], memory) for memory in held)

    def _state(self) -> tuple[list[Memory], list[LedgerRow]]:
        if not hasattr(self, "banks"):
            return [], []
        with self.banks.database.read() as session:
            rows = list(session.exec(select(LedgerRow).order_by(LedgerRow.id)))  # type: ignore
        return self.banks.held(ADA.banks), rows

    def teardown(self) -> None:
        if hasattr(self, "banks"):
            self.banks.database.close()
            stores.give_back(self.url)
            self.folder.cleanup()


TestChanges = Changes.TestCase
TestChanges.settings = settings(
    max_examples=12,
    stateful_step_count=25,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),  # shrinking a history takes minutes
)
