"""The agent's three tools for a Python harness: calls, schemas and a dispatcher.

The calls raise errors of the tree; `call` never does: it answers with
`{"ok": false, "error": ..., "next": what to do}`, written for the model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from memory_core.banks import schema
from memory_core.banks.arguments import parse
from memory_core.banks.bank import BankId
from memory_core.banks.banks import Banks
from memory_core.banks.context import Context, applicable, in_scope
from memory_core.banks.digest import Digest, digest
from memory_core.banks.memory import Draft, EntityRef, Memory, Tag
from memory_core.banks.search import MemorySearch
from memory_core.banks.writer import By, Written
from memory_core.errors import BadInput, Conflict, WellkeptError

LIMIT = 5
_SEARCH = MemorySearch()


class Toolbox:
    """Memory as one conversation sees it; make one a conversation, or one a turn.

    `actor` and `source` (such as the session's id) go into the ledger with each change.
    """

    def __init__(
        self, banks: Banks, context: Context, *, actor: str = "agent", source: str = ""
    ) -> None:
        banks.rules.check_context(context)
        self.banks = banks
        self.context = context
        self._actor = actor
        self._source = source

    def digest(self) -> Digest:
        """The standing index for the system prompt.

        Raises `DigestUnavailable`: end the turn then, rather than run without a memory.
        """
        return digest(self.banks, self.context)

    def remember(
        self,
        key: str,
        description: str,
        content: str,
        bank: str = "private",
        refs: Sequence[EntityRef] | None = None,
        tags: Sequence[Tag] | None = None,
        if_version: int | None = None,
    ) -> Written:
        """Add or rewrite a memory; `refs` or `tags` None keeps those the key had.

        Raises `BadInput`, `FieldTooLong`, `UnknownId`, `BankFull`, `Conflict`.
        """
        draft = Draft(
            key,
            description,
            content,
            None if refs is None else tuple(refs),
            None if tags is None else tuple(tags),
        )
        by = self._by("remember")
        return self.banks.remember(self.context.bank(bank), draft, by, if_version=if_version)

    def recall_memories(self, query: str, limit: int = LIMIT) -> list[Memory]:
        """The memories that match, best first, in full."""
        found = self.banks.findable(self.context)
        hits = _SEARCH.search(found, query, limit, self.banks.rules.ontology)
        return [memory for memory, _ in hits]

    def forget_memory(
        self, key: str, bank: str | None = None, reason: str = "", if_version: int | None = None
    ) -> Written:
        """Remove the memory of a key (the narrowest that applies) or of a full id.

        Raises `NotFound`, `BadInput`, `Conflict`.
        """
        where, key = self._meant(key, bank)
        by = self._by(reason or "forget_memory")
        return self.banks.forget(where, key, by, if_version=if_version)

    def _meant(self, key: str, bank: str | None) -> tuple[BankId, str]:
        for seen in self.context.banks:
            name, _, last = key.rpartition(":")
            if name == str(seen):
                return seen, last
        if bank is not None:
            return self.context.bank(bank), key
        found = self.banks.find(self.context, key)
        return found.bank, found.key

    def openai_tools(self) -> list[dict[str, Any]]:
        """The schemas for an OpenAI-style call."""
        return schema.openai_tools(*self._vocabulary)

    def anthropic_tools(self) -> list[dict[str, Any]]:
        """The schemas for an Anthropic call."""
        return schema.anthropic_tools(*self._vocabulary)

    def call(self, name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """Run a tool call of a model; `arguments` may be the JSON text it wrote."""
        try:
            return {"ok": True, **self.answer(name, parse(name, arguments))}
        except WellkeptError as error:
            return refusal(error)

    def answer(self, name: str, values: dict[str, Any]) -> dict[str, Any]:
        """A tool's document for checked arguments; raises what the tool's call raises."""
        answers = {
            "remember": self._remember,
            "recall_memories": self._recall_memories,
            "forget_memory": self._forget_memory,
        }
        return answers[name](values)

    async def acall(self, name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """`call` beside the event loop."""
        return await asyncio.to_thread(self.call, name, arguments)

    @property
    def _vocabulary(self) -> tuple[Sequence[str], Sequence[str]]:
        rules = self.banks.rules
        return rules.reference_types, rules.ontology.kinds

    def _by(self, reason: str) -> By:
        return By(self._actor, f"{reason} ({self._source})" if self._source else reason)

    def _remember(self, values: dict[str, Any]) -> dict[str, Any]:
        written = self.remember(**values)
        after = written.after
        assert after is not None
        state = self.banks.state(after.bank)
        answer: dict[str, Any] = {
            "action": written.action,
            "id": after.id,
            "version": after.version,
            "bank": f"{after.bank.kind}, {state.count} of {self.banks.caps.hard}",
        }
        if written.action == "revise" and written.before is not None:
            answer["replaced"] = shown(written.before)
        if not applicable(self.context, [after], self.banks.rules.ontology):
            answer["note"] = self._hidden(after)
        return answer

    def _hidden(self, memory: Memory) -> str:
        where = "it is found by search only"
        if not in_scope(self.context, memory):
            where = "it is neither listed nor found; to see it here, save it again with refs []"
        located = ", ".join(map(str, (*memory.refs, *memory.tags)))
        return f"this conversation is not about {located}, so {where}"

    def _recall_memories(self, values: dict[str, Any]) -> dict[str, Any]:
        found = self.recall_memories(**values)
        if found:
            return {"memories": [shown(memory) for memory in found]}
        return {"memories": [], "note": "no memory shares a word with the query; try other words"}

    def _forget_memory(self, values: dict[str, Any]) -> dict[str, Any]:
        written = self.forget_memory(**values)
        assert written.before is not None
        return {
            "forgot": shown(written.before),
            "note": f"the user can bring it back: wellkept undo {written.number}",
        }


def call_tool(
    banks: Banks,
    name: str,
    arguments: Mapping[str, Any] | str,
    context: Context,
    *,
    actor: str = "agent",
    source: str = "",
) -> dict[str, Any]:
    """One tool call in one context; never raises an error of the tree."""
    try:
        return Toolbox(banks, context, actor=actor, source=source).call(name, arguments)
    except WellkeptError as error:
        return refusal(error)


def session_start_digest(banks: Banks, context: Context) -> str:
    """The section as a hook prints it, in at most 6,000 UTF-16 units.

    Raises `DigestUnavailable`.
    """
    return digest(banks, context).shortened()


def shown(memory: Memory) -> dict[str, Any]:
    """A memory as a document for a model or a program."""
    document: dict[str, Any] = {
        "id": memory.id,
        "key": memory.key,
        "bank": memory.bank.kind,
        "description": memory.description,
        "content": memory.content,
        "updated": memory.updated_at.isoformat(timespec="seconds"),
        "version": memory.version,
    }
    if memory.refs:
        document["refs"] = [{"type": ref.type, "id": ref.id} for ref in memory.refs]
    if memory.tags:
        document["tags"] = [{"kind": tag.kind, "id": tag.id} for tag in memory.tags]
    return document


def refusal(error: WellkeptError) -> dict[str, Any]:
    """An error as the model reads it: what is wrong, and what to do next."""
    answer = {"ok": False, "error": error.message, "next": error.remedy or "tell the user"}
    if isinstance(error, Conflict):
        answer["current"] = error.current
    if isinstance(error, BadInput):
        answer["next"] = f"{error.remedy}; nothing was saved" if error.remedy else "correct it"
    return answer
