"""A memory as a database row and as the ledger's before or after."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Row

from memory_core.banks.bank import parse_bank_id
from memory_core.banks.memory import EntityRef, Memory, Tag
from memory_core.store.tables import MemoryRow, utc


def refs_of(pairs: list[list[str]]) -> tuple[EntityRef, ...]:
    """References as a row keeps them."""
    return tuple(EntityRef(*pair) for pair in pairs) if pairs else ()


def tags_of(pairs: list[list[str]]) -> tuple[Tag, ...]:
    """Tags as a row keeps them."""
    return tuple(Tag(*pair) for pair in pairs) if pairs else ()


def from_row(row: MemoryRow | Row[Any]) -> Memory:
    """The memory of a row, or of its bare columns."""
    return Memory(
        bank=parse_bank_id(row.bank),
        key=row.key,
        description=row.description,
        content=row.content,
        refs=refs_of(row.refs),
        tags=tags_of(row.tags),
        version=row.version,
        created_at=utc(row.created_at),
        updated_at=utc(row.updated_at),
    )


def snapshot(memory: Memory | None) -> dict[str, Any] | None:
    """A memory as the ledger keeps it: everything but its version."""
    if memory is None:
        return None
    return {
        "bank": str(memory.bank),
        "key": memory.key,
        "description": memory.description,
        "content": memory.content,
        "refs": [[ref.type, ref.id] for ref in memory.refs],
        "tags": [[tag.kind, tag.id] for tag in memory.tags],
        "created_at": memory.created_at.isoformat(),
        "updated_at": memory.updated_at.isoformat(),
    }


def restored(kept: dict[str, Any] | None) -> Memory | None:
    """The memory of a snapshot, without a version."""
    if kept is None:
        return None
    return Memory(
        bank=parse_bank_id(kept["bank"]),
        key=kept["key"],
        description=kept["description"],
        content=kept["content"],
        refs=refs_of(kept["refs"]),
        tags=tags_of(kept["tags"]),
        version=0,
        created_at=datetime.fromisoformat(kept["created_at"]),
        updated_at=datetime.fromisoformat(kept["updated_at"]),
    )
