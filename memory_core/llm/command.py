"""An agent's own CLI as a model: the prompt on standard input, the reply on standard output.

It runs in an empty folder of its own, with the guard variable set, so that our hooks do
nothing in it and it is not recorded; it and its children end with the time limit.
"""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile

from memory_core.errors import ModelRefused, ModelUnavailable
from memory_core.llm import failure
from memory_core.llm.answer import Answer
from memory_core.llm.frame import Message
from memory_core.server.protocol import GUARD
from memory_core.settings import Settings

PREFIX = "command:"
_MARKS = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT")  # with them a client takes itself for a child


def is_command(model: str) -> bool:
    """Whether a model is a command."""
    return model.startswith(PREFIX)


def ask(settings: Settings, messages: list[Message]) -> Answer:
    """Its reply.

    Raises `ModelUnavailable` when it takes too long or says that it cannot now, and
    `ModelRefused` when it is not there or fails otherwise.
    """
    words = _words(settings.llm_model)
    name = f"{PREFIX}{words[0]}"
    given = "\n\n".join(_told(message) for message in messages)
    with tempfile.TemporaryDirectory(prefix="wellkept-") as folder:
        try:
            code, out, err = _run(words, given, folder, settings.llm_timeout_s)
        except subprocess.TimeoutExpired:
            out = None
        except OSError as error:
            raise ModelRefused(
                f"{name} cannot be run: {error.strerror}", remedy="check llm_model"
            ) from None
    if out is None:
        raise ModelUnavailable(
            f"{name} did not end within {settings.llm_timeout_s} s", remedy="raise llm_timeout_s"
        )
    if code != 0:
        raise failure.of_words(name, failure.told(err or out, [given]))
    return Answer(out)


def _run(words: list[str], given: str, folder: str, limit: int) -> tuple[int, str, str]:
    """Exit code, standard output and standard error; raises `TimeoutExpired` and `OSError`."""
    environment = {name: value for name, value in os.environ.items() if name not in _MARKS}
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        cwd=folder, env=environment | {GUARD: "1"}, start_new_session=True,
        encoding="utf-8", errors="replace",
    ) as child:  # fmt: skip
        try:
            out, err = child.communicate(given, timeout=limit)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
        return child.returncode, out, err


def _words(model: str) -> list[str]:
    try:
        words = shlex.split(model.removeprefix(PREFIX))
    except ValueError as error:
        raise ModelRefused(f"llm_model is no command: {error}", remedy="check its quotes") from None
    if not words:
        raise ModelRefused("llm_model names no command", remedy=f"such as {PREFIX}claude -p")
    return words


def _told(message: Message) -> str:
    """A message as text; what the model said before is shown as such."""
    if message["role"] == "assistant":
        return f"Your reply was:\n{message['content']}"
    return message["content"]
