"""The arguments a model wrote for a tool, checked before anything is done with them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from memory_core.banks.memory import EntityRef, Tag
from memory_core.banks.schema import NAMES
from memory_core.errors import BadInput


class _Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Ref(_Arguments):
    type: str
    id: str


class _Tag(_Arguments):
    kind: str
    id: str


def _refs(value: list[_Ref]) -> list[EntityRef]:
    return [EntityRef(ref.type, ref.id) for ref in value]


def _tags(value: list[_Tag]) -> list[Tag]:
    return [Tag(tag.kind, tag.id) for tag in value]


class _Remember(_Arguments):
    key: str
    description: str
    content: str
    bank: str = "private"
    refs: Annotated[list[_Ref], AfterValidator(_refs)] | None = None
    tags: Annotated[list[_Tag], AfterValidator(_tags)] | None = None
    if_version: int | None = None


class _Recall(_Arguments):
    query: str
    limit: int = Field(5, ge=1, le=20)


class _Forget(_Arguments):
    key: str
    bank: str | None = None
    reason: str = Field("", max_length=200)


_MODELS: dict[str, type[_Arguments]] = {
    "remember": _Remember,
    "recall_memories": _Recall,
    "forget_memory": _Forget,
}


def parse(name: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
    """The keyword arguments of the tool's call; those left out are absent.

    Raises `BadInput` that names the argument.
    """
    if name not in _MODELS:
        raise BadInput(f"there is no tool {name!r}", remedy=f"use one of {', '.join(NAMES)}")
    try:
        values = json.loads(arguments) if isinstance(arguments, str) else arguments
        model = _MODELS[name].model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "arguments"
        raise BadInput(
            f"{name}: {where}: {first['msg'].lower()}",
            remedy=f"its arguments are {', '.join(_MODELS[name].model_fields)}",
        ) from None
    except ValueError as error:
        raise BadInput(f"{name}: the arguments are not JSON: {error}", remedy="send JSON") from None
    return {field: getattr(model, field) for field in model.model_fields_set}
