"""`wellkept init`: a folder becomes the vault."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def init(
    vault: Annotated[Path, typer.Argument(help="The folder of notes; made if it is missing.")],
) -> None:
    """Use a folder as the vault; its files stay where and as they are."""
    from memory_core import settings
    from memory_core.cli import demo
    from memory_core.errors import VaultError
    from memory_core.vault.vault import Vault

    folder = vault.expanduser().absolute()
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise VaultError(
            f"{folder} is no folder and cannot be made one: {error.strerror}",
            remedy="name a folder you may write",
        ) from None
    scan = Vault(folder).scan()
    demo_was_used = settings.load().vault == demo.folder()
    written = settings.save({"vault": str(folder)}, drop=("quiet",) if demo_was_used else ())
    typer.echo(f"Vault {folder}{' (made)' if made else ''}: {len(scan.notes)} notes.")
    for problem in scan.problems:
        typer.echo(f"  {problem.file}: {problem.message}")
    typer.echo(f"Settings are in {written}. Next: wellkept up --detach")
