"""What `bench wrap` and `bench dream` are told: a gold file, and what lies beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Transcripts = Annotated[
    Path | None, typer.Option(help="Folder of SESSION.jsonl; by default beside the gold.")
]
Notes = Annotated[
    Path | None, typer.Option(help="The notes; by default beside the gold, else the setting.")
]
Model = Annotated[str, typer.Option(help="Draft by this language model; none = by rules.")]
Record = Annotated[
    Path | None, typer.Option(help="Draft by the model and keep its replies in this tape.")
]
Replay = Annotated[Path | None, typer.Option(help="Draft from this tape; no model is asked.")]


def demo_gold() -> Path:
    """The demo's gold; raises `NotFound` where only the package is there."""
    from memory_core.errors import NotFound

    file = Path(__file__).parents[2] / "demo" / "gold.json"
    if not file.is_file():
        raise NotFound(
            "the demo's sessions come with the repository, not with the package",
            remedy="name a gold file: --gold FILE",
        )
    return file


def beside(file: Path, *names: str) -> Path:
    """The folder of that name beside a gold file, else the gold's own folder."""
    return next((p for name in names if (p := file.parent / name).is_dir()), file.parent)


def vault_beside(file: Path, *, given: bool) -> Path | None:
    """The vault beside a gold file; None for the setting's."""
    from memory_core import settings

    beside = [p for name in ("vault", "notes") if (p := file.parent / name).is_dir()]
    if given and settings.load().vault is not None:
        return None
    return beside[0] if beside else None
