"""Puts the events of a transcript together into exchanges, each of a bounded size.

Texts are cleaned of our own injections, redacted and cut in the middle as they come in;
what stands in memory is one exchange, whatever the length of the transcript.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from memory_core.record.exchange import Exchange, Provenance, Span
from memory_core.record.injected import without_injections, without_own
from memory_core.record.redact import Redactor
from memory_core.record.transcripts.event import Event
from memory_core.record.transcripts.lines import CUT
from memory_core.text import without_surrogates

SPEECH = 100_000  # characters of one thing said
INPUT = 8_000  # characters of a tool's input
OUTPUT = 32_000  # characters of a tool's output
SPENT = 400  # the same, once the outputs of an exchange hold `BUDGET` characters
BUDGET = 2_000_000
SPANS = 4_000
_MARGIN = 4_000  # a secret at a cut is seen whole, then cut away
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
FROM_MEMORY = "[from memory, not recorded]"
_OWN_TOOLS = re.compile(r"(?:^|__|wellkept_)(?:recall_memories|remember|forget_memory)$")
_OWN_COMMAND = re.compile(r"(?:^|[;&|]\s*|/)wellkept(?:-hook)?\s")
_WEB_TOOL = re.compile(r"web[_-]?(?:fetch|search)|browser|^fetch|fetch_url|search_web", re.I)
_WEB_COMMAND = re.compile(
    r"\b(?:curl|wget|lynx|w3m)\b[^\n|;]*\bhttps?://(?!localhost|127\.|\[::1)", re.I
)


class Assembly:
    """One exchange in the making."""

    def __init__(self, client: str, session: str) -> None:
        self._client, self._session = client, session
        self._exchange: Exchange | None = None
        self._redactor = Redactor()
        self._calls: dict[str, Span] = {}
        self._called_once: set[str] = set()
        self._tentative, self._budget = False, BUDGET

    def begins(self, event: Event) -> bool:
        """Whether the event belongs to the next exchange."""
        return event.kind in ("request", "command")

    def add(self, event: Event, position: int, end: int) -> None:
        """Take an event in; `position` and `end` are its row's bytes."""
        if event.kind == "skipped":
            return
        if event.kind == "local":
            if self._tentative:  # the client answered its own command: nobody was asked
                self._forget()
            return
        if self._exchange is None:
            if event.kind in ("interrupted", "failed"):
                return
            self._exchange = self._begun(event, position)
        exchange = self._exchange
        exchange.rows += 1
        exchange.end = end
        exchange.until = max(exchange.until, event.at or exchange.until)
        self._take(exchange, event)

    def finished(self) -> Exchange | None:
        """The exchange so far, as it is stored; None when there is nothing to store.

        More events may follow.
        """
        exchange = self._exchange
        if exchange is None or self._tentative or not exchange.spans:
            return None
        if exchange.state == "unanswered" and any(s.source != "user" for s in exchange.spans):
            exchange.state = "answered"
        for span in exchange.spans:
            span.text = self._redactor.swept(span.text)
            span.input = self._redactor.swept(span.input)
            span.output = self._redactor.swept(span.output)
        exchange.redactions = dict(sorted(self._redactor.kinds.items()))
        return exchange

    def _begun(self, event: Event, position: int) -> Exchange:
        self._tentative = event.kind == "command"
        at = event.at or EPOCH
        return Exchange(
            uuid=event.uuid or f"{self._session}/{position}",
            session=self._session,
            client=self._client,
            at=at,
            until=at,
            prompt=event.prompt,
            position=position,
        )

    def _forget(self) -> None:
        self._exchange, self._tentative = None, False

    def _take(self, exchange: Exchange, event: Event) -> None:
        match event.kind:
            case "request" | "command" | "added":
                self._speech(exchange, "user", event)
            case "reply":
                self._tentative = False
                self._speech(exchange, "agent", event)
            case "call":
                self._tentative = False
                self._called(exchange, event)
            case "output":
                self._answered(event)
            case "interrupted" | "failed":
                self._tentative = False
                exchange.state = "interrupted" if event.kind == "interrupted" else "failed"

    def _speech(self, exchange: Exchange, source: Provenance, event: Event) -> None:
        text, _ = self._cleaned(without_injections(event.text).strip(), SPEECH)
        last = exchange.spans[-1] if exchange.spans else None
        if not text or (last and last.source == source and last.text == text):
            return
        if source == "agent" and exchange.state == "failed":
            exchange.state = "answered"  # a later try went through
        self._append(exchange, Span(source, text, ref=event.ref))

    def _called(self, exchange: Exchange, event: Event) -> None:
        if event.call in self._called_once:
            return  # a row that is written again as it grows
        web = _WEB_TOOL.search(event.name) or _WEB_COMMAND.search(event.text)
        text, _ = self._cleaned(without_own(event.text), INPUT)
        span = Span("web" if web else "tool", ref=event.ref, name=event.name[:200], input=text)
        self._append(exchange, span)
        if event.call:
            self._calls[event.call] = span
            self._called_once.add(event.call)

    def _answered(self, event: Event) -> None:
        span = self._calls.pop(event.call, None)
        if span is None:
            return
        span.failed = event.failed
        if _OWN_TOOLS.search(span.name) or _OWN_COMMAND.search(span.input):
            span.output = FROM_MEMORY
            return
        limit = OUTPUT if self._budget > 0 else SPENT
        span.output, span.size = self._cleaned(without_own(event.text), limit)
        self._budget -= len(span.output)

    def _append(self, exchange: Exchange, span: Span) -> None:
        """The first and the last spans of a very long exchange stay."""
        exchange.spans.append(span)
        if len(exchange.spans) > SPANS:
            del exchange.spans[SPANS // 2]
            exchange.left_out += 1

    def _cleaned(self, text: str, limit: int) -> tuple[str, int]:
        """The text to store, and how many characters it had."""
        text = without_surrogates(text).replace("\0", "\ufffd")
        head, tail, size = _halves(text, limit + 2 * _MARGIN)
        if not tail and len(head) <= limit and size == len(head):
            return self._redactor.redacted(head), size
        if not tail:
            head = self._redactor.redacted(head)
            head, tail = head[: limit // 2], head[-(limit // 2) :]
        else:
            head = self._redactor.redacted(head)[: limit // 2]
            tail = self._redactor.redacted(tail)[-(limit // 2) :]
        left = max(0, size - len(head) - len(tail))
        return f"{head}\n[… {left:,} characters left out …]\n{tail}", size


def _halves(text: str, limit: int) -> tuple[str, str, int]:
    """Beginning and end of a text that is too long or was cut on the way, and its size."""
    if cut := CUT.search(text):
        head, tail = text[: cut.start()], text[cut.end() :]
        size = len(head) + len(tail) + int(cut[1])
        return head[: limit // 2], tail[-(limit // 2) :], size
    if len(text) <= limit:
        return text, "", len(text)
    return text[: limit // 2], text[-(limit // 2) :], len(text)
