"""One import: read, sorted, offered as a proposal that a person decides; never applied here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_core.banks.bank import BankId, bank_id
from memory_core.banks.banks import open_banks
from memory_core.banks.memory import Memory
from memory_core.importers import kinds
from memory_core.importers.piece import Piece, Reading
from memory_core.importers.routing import Router, Sorted
from memory_core.proposals import queue
from memory_core.proposals.proposal import OPEN, Proposal
from memory_core.proposals.selection import IMPORT
from memory_core.routines.place import Place
from memory_core.routines.repetition import Told
from memory_core.settings import Settings
from memory_core.store.database import Database
from memory_core.text import without_surrogates
from memory_core.vault.note import parse
from memory_core.vault.vault import Vault

SHOWN = 8  # texts that a notice names


@dataclass(frozen=True, slots=True)
class Import:
    """What was found. `proposal` waits for a decision, or shows what would be offered.

    Its state is `empty` where nothing is new; `dry` where nothing was stored.
    """

    kind: str
    source: str
    pieces: int
    found: Sorted
    notices: tuple[str, ...]
    proposal: Proposal
    dry: bool

    @property
    def waits(self) -> bool:
        """Whether a person has something to decide."""
        return self.proposal.state == OPEN


def offer(
    database: Database,
    vault: Vault,
    settings: Settings,
    path: Path,
    kind: str,
    *,
    user: str,
    scope: str,
    whose: str = "",
    dry: bool = False,
) -> Import:
    """Read a source and offer what is new in it; the same source again gives nothing new.

    Raises `BadInput` or `NotFound` for a source that cannot be read.
    """
    reading = kinds.read(path, kind, scope=scope, whose=whose)
    place = Place.of(vault, user=user, scope=scope, session="", cap=settings.always_loaded_cap)
    found = _sorted(database, settings, place, reading)
    notices = (*reading.notices, *told(found))
    source = without_surrogates(str(path))
    proposal = queue.offer_at_once(
        database, vault.root, settings, found.items,
        summary=lambda items: f"{items} of {len(reading.pieces)} statements to decide",
        notices=notices, keep=not dry, routine=IMPORT, subject=source,
        run=f"{IMPORT}:{_digest(kind, source, scope, whose, reading.pieces)}",
        user=user, scope=scope, window={"kind": kind, "source": source},
    )  # fmt: skip
    return Import(kind, source, len(reading.pieces), found, notices, proposal, dry)


def told(found: Sorted) -> list[str]:
    """What became of the rest, in lines."""
    said = []
    if found.secrets:
        named = ", ".join(f"{kind} {count}" for kind, count in sorted(found.secrets.items()))
        said.append(f"{found.secrets.total()} secret(s) were taken out: {named}")
    if found.known:
        said.append(f"{len(found.known)} known already{_examples(found.known)}")
    reasons: dict[str, list[str]] = {}
    for text, reason in found.left_out:
        reasons.setdefault(reason, []).append(text)
    for reason, texts in reasons.items():
        said.append(f"{len(texts)} left out, {reason}{_examples(texts)}")
    if found.later:
        said.append(f"{found.later} more come when these are decided and it is imported again")
    return said


def _examples(texts: list[str]) -> str:
    more = f" and {len(texts) - SHOWN} more" if len(texts) > SHOWN else ""
    return f": {'; '.join(texts[:SHOWN])}{more}"


def _sorted(database: Database, settings: Settings, place: Place, reading: Reading) -> Sorted:
    banks = open_banks(settings, database)
    own = BankId(place.user, None)
    seen = [own]
    if place.scope:
        seen += [bank_id(kind, place.user, place.scope) for kind in ("private", "shared")]
    held = banks.held(seen)
    keys = {memory.key: memory.content for memory in held if memory.bank == own}
    router = Router(place, banks.caps, keys, Told(_said(place, held)))
    return router.sort(reading.pieces)


def _said(place: Place, held: Iterable[Memory]) -> Iterable[str]:
    """Everything that is known: memories, the always-loaded file, the points of the notes."""
    for memory in held:
        yield memory.content
    for note in (parse(place.always_loaded_text, place.always_loaded), *place.notes):
        for point in note.points:
            yield point.plain


def _digest(*parts: Any) -> str:
    """What an import is told apart by: its source and everything it says."""
    *names, pieces = parts
    told = hashlib.sha256("\0".join(names).encode("utf-8", "surrogatepass"))
    piece: Piece
    for piece in pieces:
        told.update(f"\0{piece.file}\0{piece.line}\0{piece.text}".encode("utf-8", "surrogatepass"))
    return told.hexdigest()[:32]
