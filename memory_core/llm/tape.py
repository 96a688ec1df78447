"""Replies on record: what a model said to a prompt and its values, played again later.

A tape is a JSONL file, `{key, prompt, reply}` a line; the key is a hash of the prompt,
the values and the schema, so it holds nothing of what was sent. A replay needs neither
model nor network.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from memory_core.errors import BadInput, NotFound
from memory_core.llm.call import Complete
from memory_core.prompts import Prompt

R = TypeVar("R", bound=BaseModel)


class Recorder:
    """A `Complete` that asks another one and writes its replies to a tape, each at once."""

    def __init__(self, file: Path, complete: Complete) -> None:
        self._file, self._complete = file, complete
        _written(file, "")

    def __call__(self, *, prompt: Prompt, values: Mapping[str, str | int], schema: type[R]) -> R:
        reply = self._complete(prompt=prompt, values=values, schema=schema)
        row = {"key": key(prompt, values, schema), "prompt": prompt.id}
        _written(self._file, json.dumps(row | {"reply": reply.model_dump(mode="json")}) + "\n")
        return reply


class Player:
    """A `Complete` that answers from a tape; the last reply to a request counts.

    Raises `NotFound` for a file that is not there, `BadInput` for one that is no tape.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._replies = _read(file)

    def __call__(self, *, prompt: Prompt, values: Mapping[str, str | int], schema: type[R]) -> R:
        """Raises `NotFound` when the tape holds no reply to this request."""
        found = self._replies.get(key(prompt, values, schema))
        if found is None:
            prompts = {name for name, _ in self._replies.values()}
            why = "other values" if prompt.id in prompts else "another text of the prompt"
            raise NotFound(
                f"{self._file} holds no reply to this request of {prompt.id}: it has {why}",
                remedy="record it again",
            )
        try:
            return schema.model_validate(found[1], extra="forbid")
        except ValidationError as error:
            raise BadInput(f"{self._file}: a reply to {prompt.id} is broken: {error}") from None


def key(prompt: Prompt, values: Mapping[str, str | int], schema: type[BaseModel]) -> str:
    """What a request is known by."""
    document = [prompt.id, dict(values), schema.model_json_schema()]
    written = json.dumps(document, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _read(file: Path) -> dict[str, tuple[str, object]]:
    try:
        lines = file.read_text("utf-8").splitlines()
    except OSError as error:
        raise NotFound(f"the tape {file} cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise BadInput(f"the tape {file} is not UTF-8: {error}") from None
    replies = {}
    for number, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            replies[row["key"]] = (row["prompt"], row["reply"])
        except (ValueError, KeyError, TypeError):
            raise BadInput(
                f"{file}, line {number}, is no reply of a tape", remedy="record it again"
            ) from None
    return replies


def _written(file: Path, line: str) -> None:
    try:
        with file.open("a", encoding="utf-8") as tape:
            tape.write(line)
    except OSError as error:
        raise BadInput(f"the tape {file} cannot be written: {error.strerror}") from None
