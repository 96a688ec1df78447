"""Fakes that ship: a language model, the only part that a test cannot have for real.

`StubModel` is a real OpenAI-compatible server on loopback, so that litellm, its errors
and its time-outs are the ones a user meets.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

if TYPE_CHECKING:
    from memory_core.settings import Settings

KEY = "sk-stub-4f9d2c7be1a85036"  # what the stub's settings send as the key


@dataclass(frozen=True, slots=True)
class Answer:
    """A scripted answer.

    `content` is the reply's text; with a `status` other than 200 it is the error's
    message, and `body` is sent instead of either as it is. `delay` is in seconds.
    `tokens` are the usage's input and output tokens; None sends no usage.
    """

    content: str = ""
    status: int = 200
    finish: str = "stop"
    delay: float = 0.0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None
    tokens: tuple[int, int] | None = (100, 20)


Scripted = Answer | str | BaseModel | Mapping[str, Any]
Script = Scripted | Iterable[Scripted] | Callable[[dict[str, Any]], Scripted]


class StubModel:
    """A server that answers by a script: `with StubModel([...]) as stub: ...`.

    The script is a list of answers in order, after whose end it answers 500; or one
    answer for every request; or a function of the request's JSON document. A text is a
    reply, an object is one as JSON. `requests` holds the documents received,
    `headers` their headers, names in lower case.
    """

    def __init__(self, script: Script) -> None:
        self._next = _chooser(script)
        self._lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []

    @property
    def url(self) -> str:
        """The base address, `/v1` included."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def sent(self) -> str:
        """Every text that it received, in order."""
        messages = (one for request in self.requests for one in request["messages"])
        return "\n".join(str(one["content"]) for one in messages)

    def settings(self, **changes: Any) -> Settings:
        """Settings whose language model it is."""
        from memory_core.settings import load

        own = {"llm_model": "openai/stub", "llm_api_base": self.url, "llm_api_key": KEY}
        return load(**own | changes)

    def __enter__(self) -> StubModel:
        stub = self

        class Handler(_Handler):
            model = stub

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: dict[str, Any], headers: dict[str, str]) -> Answer:
        """The script's answer to a request, which is kept."""
        with self._lock:
            self.requests.append(request)
            self.headers.append(headers)
            return _answer(self._next(request))


class _Handler(BaseHTTPRequestHandler):
    model: StubModel

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.model.answer(request, headers)
        time.sleep(answer.delay)
        body = (_document(answer, request) if answer.body is None else answer.body).encode()
        try:
            self.send_response(answer.status)
            own = {"Content-Type": "application/json", "Content-Length": str(len(body))}
            for name, value in (own | dict(answer.headers)).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # the caller has given up

    def log_message(self, format: str, *arguments: Any) -> None:
        """Say nothing."""


def _chooser(script: Script) -> Callable[[dict[str, Any]], Scripted]:
    if isinstance(script, (Answer, str, BaseModel, Mapping)):
        return lambda _: script
    if callable(script):
        return script
    answers = iter(script)
    return lambda _: next(answers, Answer("the script has ended", status=500))


def _answer(scripted: Scripted) -> Answer:
    if isinstance(scripted, Answer):
        return scripted
    if isinstance(scripted, BaseModel):
        return Answer(scripted.model_dump_json())
    return Answer(scripted if isinstance(scripted, str) else json.dumps(dict(scripted)))


def _document(answer: Answer, request: Mapping[str, Any]) -> str:
    if answer.status != 200:
        return json.dumps({"error": {"message": answer.content, "type": "stub", "code": None}})
    message = {"role": "assistant", "content": answer.content}
    document: dict[str, Any] = {
        "id": "stub", "object": "chat.completion", "created": 0, "model": request.get("model", ""),
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish}],
    }  # fmt: skip
    if answer.tokens is not None:
        tokens_in, tokens_out = answer.tokens
        document["usage"] = {
            "prompt_tokens": tokens_in, "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        }  # fmt: skip
    return json.dumps(document)
