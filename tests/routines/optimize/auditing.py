"""What is audited, from a folder; and items laid on a copy of it."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

from memory_core.benchmark.questions import WORKING, load
from memory_core.errors import NotFound, RecallUnavailable
from memory_core.proposals.desk import Desk
from memory_core.proposals.item import Item
from memory_core.routines.optimize.audited import Audited, question_lines
from memory_core.routines.optimize.finding import Finding
from memory_core.routines.place import Ask, Place
from memory_core.settings import Settings
from memory_core.vault.vault import Vault

ROOT = Path(__file__).parents[3]
SETS = ROOT / "tests" / "data" / "optimize"
TODAY = date(2026, 11, 20)


def audited(root: Path, ask: Ask, **more: Any) -> Audited:
    """The vault as it is now, its working set with it, nothing scored."""
    vault = Vault(root)
    spot = Place.of(vault, user="ada", scope="", session="")
    with contextlib.suppress(NotFound):
        more.setdefault("questions", load(root, WORKING).questions)
    return Audited(spot, ask, more.pop("today", TODAY), vault.read,
                   lines=question_lines(root), **more)  # fmt: skip


def vault(folder: Path, **notes: str) -> Path:
    """A vault of notes by key, each given as its body or as its whole text."""
    folder.mkdir(parents=True, exist_ok=True)
    for key, text in notes.items():
        name = key.replace("_", "-")
        head = f"---\nkey: {name}\ndescription: About {name}\n---\n\n"
        whole = text if text.startswith("---") or key == "MEMORY" else head + text
        (folder / f"{name}.md").write_text(whole + "\n")
    return folder


def laid(root: Path, copy: Path, *items: Item) -> dict[str, str]:
    """The files that the items change, as they would be; raises where one does not fit."""
    shutil.copytree(root, copy)
    desk = Desk(copy, Settings())
    for item in items:
        desk.lay(item)
    return {file: snapshot.text for file, snapshot in desk.texts.items()}


def of(found: Iterable[Finding], *codes: str) -> list[Finding]:
    """The findings of these codes."""
    return [one for one in found if one.code in codes]


def no_vectors(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
    """A server that searches by words alone."""
    raise RecallUnavailable("words only: no embedder")
