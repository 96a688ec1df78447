"""`wellkept init` and `wellkept demo`: from nothing to a first answer."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Annotated

import typer

DEMO_REQUEST = "Write the migration that renames shipments.carrier to shipments.carrier_code."
DEMO_QUIET = 0.96  # the strict floor answers too little for a first look
DEMO_DEADLINE_MS = "10000"  # a first look waits for a slow machine; agents wait one second


def init(
    vault: Annotated[Path, typer.Argument(help="The folder of notes; made if it is missing.")],
) -> None:
    """Use a folder as the vault; its files stay where and as they are."""
    from memory_core import settings
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
    demo_was_used = settings.load().vault == _demo_folder()
    written = settings.save({"vault": str(folder)}, drop=("quiet",) if demo_was_used else ())
    typer.echo(f"Vault {folder}{' (made)' if made else ''}: {len(scan.notes)} notes.")
    for problem in scan.problems:
        typer.echo(f"  {problem.file}: {problem.message}")
    typer.echo(f"Settings are in {written}. Next: wellkept up --detach")


def demo(
    up: Annotated[bool, typer.Option("--up", help="Also start what is not running.")] = False,
) -> None:
    """Ask one request of a small vault through the real hook, and show what an agent gets."""
    from memory_core import settings

    if settings.load().vault is None:
        init(_demo_vault())
        settings.save({"quiet": DEMO_QUIET})
    if up:
        from memory_core.cli.server import up as start

        start(detach=True)
    if settings.load().vault == _demo_folder():
        _ask_through_the_hook()
    typer.echo(NEXT)


def _demo_folder() -> Path:
    from memory_core import paths

    return (paths.home() / "demo-vault").resolve()


def _demo_vault() -> Path:
    """A copy of the demo vault in the state folder, so that trying it changes no repository."""
    from memory_core import paths
    from memory_core.errors import VaultError

    source = Path(__file__).parents[2] / "demo" / "vault"
    if not source.is_dir():
        raise VaultError(
            "the demo vault comes with the repository, not with the package",
            remedy="wellkept init FOLDER names a vault of your own",
        )
    paths.ensure_home()
    target = _demo_folder()
    if not target.exists():
        unfinished = target.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(source, unfinished)
        unfinished.replace(target)
    return target


def _ask_through_the_hook() -> None:
    """Run `wellkept-hook front` as an agent does, with its payload on standard input."""
    import json
    import os
    import subprocess
    import sys
    import time
    import uuid

    payload = {
        "session_id": str(uuid.uuid4()),
        "cwd": str(Path.cwd()),
        "hook_event_name": "UserPromptSubmit",
        "prompt": DEMO_REQUEST,
    }
    hook = Path(sys.executable).with_name("wellkept-hook")
    began = time.perf_counter()
    done = subprocess.run(
        [hook, "front"],
        input=json.dumps(payload),
        env=os.environ | {"WELLKEPT_DEADLINE_MS": DEMO_DEADLINE_MS},
        capture_output=True,
        text=True,
        check=False,
    )
    took = round((time.perf_counter() - began) * 1000)
    typer.echo(f"\nA person types:\n\n    {DEMO_REQUEST}\n")
    typer.echo(f"The agent reads above it, {took} ms later:\n")
    context = json.loads(done.stdout or "{}").get("hookSpecificOutput", {})
    for line in context.get("additionalContext", "(nothing)").splitlines():
        typer.echo(f"    {line}")


NEXT = """
Next:
  .venv/bin/wellkept recall "how do I roll back shop-api?" --explain
  .venv/bin/wellkept status
  .venv/bin/wellkept init FOLDER        use your own notes
  make down                             stop the server"""
