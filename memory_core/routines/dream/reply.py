"""What the model replies to dream.md and dream_reduce.md; the prompts say what each field means."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

NOTED = 24  # observations of one part
MOST = 14  # claims of a run
Kind = Literal["procedure", "contradiction"]


class Noted(BaseModel):
    """One observation of a part."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    says: str = Field(min_length=8, max_length=700)
    cites: list[int] = Field(description="numbers of the pieces that prove it")
    file: str | None = Field(None, description="the note that it contradicts, or null")
    point: int | None = Field(None, description="the number of the note's point, or null")


class Part(BaseModel):
    """The observations of one part of the window."""

    model_config = ConfigDict(extra="forbid")

    observations: list[Noted] = Field(max_length=NOTED)


class Claim(BaseModel):
    """One thing that the notes should say, and the observations that it rests on."""

    model_config = ConfigDict(extra="forbid")

    kind: Kind
    statement: str = Field(min_length=8, max_length=900)
    observations: list[int] = Field(description="numbers of the observations that it rests on")
    goes_to: str = Field(description='a file shown, or "new"')
    replaces: int | None = Field(None, description="number of the point that it replaces, or null")
    note: str | None = Field(None, max_length=80, description="short name of a new note, or null")
    description: str | None = Field(
        None, max_length=300, description="what a new note holds, or null"
    )
    worth: int = Field(ge=1, le=5)


class Dismissal(BaseModel):
    """A finding of the rules that is wrong, and why."""

    model_config = ConfigDict(extra="forbid")

    observation: int
    reason: str = Field(min_length=4, max_length=300)


class Whole(BaseModel):
    """What the observations show when they are laid side by side."""

    model_config = ConfigDict(extra="forbid")

    claims: list[Claim] = Field(max_length=MOST)
    dismissed: list[Dismissal] = Field(default_factory=list, max_length=40)
