"""`wellkept demo`: a small vault, one request through the real hook, one session to its end.

Everything goes the way it goes in an agent; only the words were written beforehand.
"""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from memory_core.settings import Settings

REQUEST = "Write the migration that renames shipments.carrier to shipments.carrier_code."
QUIET = 0.96  # the strict floor answers too little for a first look
DEADLINE_MS = "10000"  # a first look waits for a slow machine; agents wait one second
OFFERED_S = 120  # a wrap takes seconds; on a busy machine more
SOURCE = Path(__file__).parents[2] / "demo"

NEXT = """
Next:
  .venv/bin/wellkept recall "how do I roll back shop-api?" --explain
  .venv/bin/wellkept demo --session s01   let a recorded session end, then: wellkept review
  .venv/bin/wellkept status
  .venv/bin/wellkept init FOLDER          use your own notes
  make down                               stop what runs"""


def demo(
    up: Annotated[bool, typer.Option("--up", help="Also start what is not running.")] = False,
    session: Annotated[
        str | None, typer.Option(help="Let this recorded session end: s01, s02, ...")
    ] = None,
) -> None:
    """Ask one request of a small vault through the real hook, and show what an agent gets."""
    from memory_core import settings
    from memory_core.cli.setup import init

    transcript = None if session is None else _transcript(session)
    if settings.load().vault is None:
        init(_vault())
        settings.save({"quiet": QUIET})
    if up:
        from memory_core.cli.server import up as start

        start(detach=True)
    if transcript:
        _end(transcript)
        return
    if settings.load().vault == folder():
        _ask_through_the_hook()
    typer.echo(NEXT)


def folder() -> Path:
    """Where the copy of the demo vault lies."""
    from memory_core import paths

    return (paths.home() / "demo-vault").resolve()


def _vault() -> Path:
    """A copy of the demo vault in the state folder, so that trying it changes no repository."""
    from memory_core import paths

    source = _required(SOURCE / "vault")
    paths.ensure_home()
    target = folder()
    if not target.exists():
        unfinished = target.with_suffix(".new")
        shutil.rmtree(unfinished, ignore_errors=True)
        shutil.copytree(source, unfinished)
        _commit(unfinished)
        unfinished.replace(target)
    return target


def _required(part: Path) -> Path:
    from memory_core.errors import VaultError

    if not part.is_dir():
        raise VaultError(
            "the demo comes with the repository, not with the package",
            remedy="wellkept init FOLDER names a vault of your own",
        )
    return part


def _commit(vault: Path) -> None:
    """Make it a git repository, as most vaults are; without git it stays a folder."""
    import subprocess

    name = ("-c", "user.name=Wellkept demo", "-c", "user.email=demo@localhost")
    plain = ("-c", "commit.gpgsign=false", "-c", "core.hooksPath=")
    for arguments in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Begin the vault"]):
        command = ["git", "-C", str(vault), *name, *plain, *arguments]
        try:
            subprocess.run(command, capture_output=True, check=True, stdin=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            shutil.rmtree(vault / ".git", ignore_errors=True)
            return


def _transcript(name: str) -> Path:
    from memory_core.errors import NotFound

    known = {file.stem: file for file in sorted(_required(SOURCE / "sessions").glob("*.jsonl"))}
    if name not in known:
        raise NotFound(f"there is no session {name!r}", remedy=f"choose of {', '.join(known)}")
    return known[name]


def _end(transcript: Path) -> None:
    """Leave what an agent's session-end hook leaves, and wait for what wrap makes of it."""
    from memory_core import settings
    from memory_core.hooks import session_end
    from memory_core.hooks.payload import Payload
    from memory_core.record.transcripts import neutral

    session_end.run(
        Payload(
            transcript.stem, str(folder()), transcript=str(transcript), reason="demo",
            client=neutral.NAME,
        )
    )  # fmt: skip
    typer.echo(f"Session {transcript.stem} has ended.")
    typer.echo(_offered(settings.load(), transcript.stem))


def _offered(chosen: Settings, session: str) -> str:
    """What wrap offers of the session, once it does."""
    from memory_core.proposals import queue
    from memory_core.store.database import Database

    database = Database(chosen.resolved_database_url)
    until = time.monotonic() + OFFERED_S
    while time.monotonic() < until:
        for one in queue.listed(database, limit=50):
            if one.routine == "wrap" and one.subject == session and one.state != "drafting":
                waits = one.state == "open"
                told = f"Proposal {one.id}: {len(one.numbered)} changes ({one.state})."
                return f"{told}\nNext: wellkept review" if waits else told
        time.sleep(0.3)
    return "Nothing is offered yet: is `wellkept up` running? wellkept review shows it later."


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
        "prompt": REQUEST,
    }
    hook = Path(sys.executable).with_name("wellkept-hook")
    began = time.perf_counter()
    done = subprocess.run(
        [hook, "front"],
        input=json.dumps(payload),
        env=os.environ | {"WELLKEPT_DEADLINE_MS": DEADLINE_MS},
        capture_output=True,
        text=True,
        check=False,
    )
    took = round((time.perf_counter() - began) * 1000)
    typer.echo(f"\nA person types:\n\n    {REQUEST}\n")
    typer.echo(f"The agent reads above it, {took} ms later:\n")
    context = json.loads(done.stdout or "{}").get("hookSpecificOutput", {})
    for line in context.get("additionalContext", "(nothing)").splitlines():
        typer.echo(f"    {line}")
