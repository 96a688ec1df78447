"""What a request may hold; anything else is refused with the field's name."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from memory_core.errors import BadInput
from memory_core.recall.reading import GROUP
from memory_core.text import without_surrogates


def _sound(value: Any) -> Any:
    return without_surrogates(value) if isinstance(value, str) else value


Text = Annotated[str, BeforeValidator(_sound)]
Texts = Annotated[tuple[Text, ...], Field(max_length=32, strict=False)]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class RecallBody(_Body):
    """POST /recall; see protocol.py."""

    query: Text
    session: Text = ""
    cwd: Text = ""
    user: Text = ""
    scope: Text = ""
    limit: int | None = Field(None, ge=1, le=10)
    explain: bool = False
    deadline_ms: int = Field(10_000, ge=1, le=600_000)
    hook_ms: int | None = Field(None, ge=0, le=600_000)
    bulk: bool = False


class SessionStartBody(_Body):
    """POST /session-start."""

    cwd: Text = ""
    session: Text = ""
    source: Text = ""
    client: Text = ""


class ToolBody(_Body):
    """POST /tools/{name}; `refs` are `type:id`, `tags` are `kind:id`."""

    arguments: dict[str, Any] | str = Field(default_factory=dict)
    cwd: Text = ""
    user: Text = ""
    scope: Text = ""
    refs: Texts = ()
    tags: Texts = ()
    actor: Text = Field("agent", max_length=200)
    session: Text = Field("", max_length=200)


class EmbedBody(_Body):
    """POST /embed."""

    texts: list[Text] = Field(max_length=5000)


class RerankBody(_Body):
    """POST /rerank."""

    query: Text
    passages: list[Text] = Field(max_length=5000)


class Group(_Body):
    """Passages that are read at once for one query."""

    query: Text
    passages: list[Text] = Field(max_length=GROUP)


class ReadBody(_Body):
    """POST /read."""

    groups: list[Group] = Field(max_length=500)


B = TypeVar("B", bound=_Body)


def parse(body: type[B], document: dict[str, Any]) -> B:
    """The typed body; raises `BadInput` that names the first wrong field."""
    try:
        return body.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "body"
        raise BadInput(f"{field}: {first['msg']}", remedy="see the table in protocol.py") from None
