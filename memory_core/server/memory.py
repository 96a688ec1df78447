"""The banks as the warm server offers them: tool calls, and the digest of a session.

Opens the database at the first call and reads the rules anew with each, so an edited
ontology holds at once. Works whether or not the models are there.
"""

from __future__ import annotations

import hashlib
import logging
from threading import Lock
from typing import Any

from memory_core.banks.banks import Banks, open_banks
from memory_core.banks.context import Context
from memory_core.banks.digest import Digest, digest
from memory_core.banks.project import context_at
from memory_core.banks.toolbox import call_tool, refusal
from memory_core.errors import BadInput, WellkeptError
from memory_core.proposals import queue
from memory_core.server.bodies import RecallBody, SessionStartBody, ToolBody
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.store.shown import Shown

log = logging.getLogger("wellkept.server")
_SHOWN = "digest:"  # the digest among what a session was shown


class MemoryDesk:
    """Safe to call from any thread."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._database: Database | None = None
        self._shown: Shown | None = None
        self._lock = Lock()

    def banks(self) -> Banks:
        """The banks under the rules of this moment.

        Raises `SettingsError` for rules that do not hold.
        """
        with self._lock:
            if self._database is None:
                self._database = Database(self._settings.resolved_database_url)
            return open_banks(self._settings, self._database)

    def call(self, name: str, body: ToolBody) -> dict[str, Any]:
        """One tool call; a refusal is an answer too."""
        try:
            banks = self.banks()
            context = self._context(banks, body.user, body.cwd, body.scope, body.refs, body.tags)
        except WellkeptError as error:
            return refusal(error)
        source = f"session {body.session}" if body.session else ""
        return call_tool(banks, name, body.arguments, context, actor=body.actor, source=source)

    def at_start(self, body: SessionStartBody) -> str:
        """The section for a session that starts, and a note that the session has it.

        Raises `DigestUnavailable` or another error of the tree.
        """
        section = self._digest("", body.cwd, "").shortened()
        self.delivered(body.session, section)
        return section

    def waiting(self) -> int:
        """How many proposals wait for the user's decision."""
        return len(queue.waiting(self.banks().database, user=self._settings.user))

    def when_changed(self, body: RecallBody) -> str:
        """The section if it is not the one that the session has; else nothing.

        Raises `DigestUnavailable` or another error of the tree.
        """
        if not body.session or not (body.cwd or body.scope):
            return ""
        found = self._digest(body.user, body.cwd, body.scope)
        known = self._sessions().of(body.session).get(_SHOWN)
        if known is None and not found.lines:
            return ""  # a session that was told of no memory need not hear that there is none
        section = found.shortened()
        return "" if known == _hash(section) else section

    def delivered(self, session: str, section: str) -> None:
        """The session has this section now."""
        if session and section:
            self._sessions().add(session, [(_SHOWN, _hash(section))])

    def _digest(self, user: str, cwd: str, scope: str) -> Digest:
        banks = self.banks()
        return digest(banks, self._context(banks, user, cwd, scope))

    def _context(
        self,
        banks: Banks,
        user: str,
        cwd: str,
        scope: str,
        refs: tuple[str, ...] = (),
        tags: tuple[str, ...] = (),
    ) -> Context:
        if not cwd and not scope:
            raise BadInput("the call names no folder and no scope", remedy="send cwd or scope")
        who = user or self._settings.user
        return context_at(banks.rules, who, cwd, scope=scope or None, refs=refs, tags=tags)

    def _sessions(self) -> Shown:
        with self._lock:
            if self._shown is None:
                self._shown = Shown()
            return self._shown


def _hash(section: str) -> str:
    return hashlib.sha256(section.encode()).hexdigest()
