"""What the model replies to the wrap prompt; prompts/wrap.md says what each field means."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field

MOST = 12  # facts of one reply
ALWAYS, NEW = "always", "new"


class Fact(BaseModel):
    """One fact, the pieces that prove it, and where it goes."""

    model_config = ConfigDict(extra="forbid")

    statement: str = Field(min_length=8, max_length=900)
    cites: list[int] = Field(description="numbers of the pieces that prove it")
    goes_to: str = Field(description='a file shown, "new", or "always"')
    replaces: int | None = Field(None, description="number of the point that it replaces, or null")
    note: str | None = Field(None, max_length=80, description="short name of a new note, or null")
    description: str | None = Field(
        None, max_length=300, description="what a new note holds, or null"
    )
    worth: int = Field(ge=1, le=5)


class Reply(BaseModel):
    """The facts of one part of a session."""

    model_config = ConfigDict(extra="forbid")

    facts: list[Fact] = Field(max_length=MOST)
    withdrawn: list[int] = Field(
        default_factory=list, description="numbers of earlier findings that no longer hold"
    )
