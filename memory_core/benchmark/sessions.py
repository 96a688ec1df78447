"""Transcripts as the record would hold them, read without a database."""

from __future__ import annotations

from pathlib import Path

from memory_core.errors import NotFound
from memory_core.record.assembly import Assembly
from memory_core.record.exchange import Exchange
from memory_core.record.reading import READERS
from memory_core.record.transcripts import neutral
from memory_core.record.transcripts.lines import read


def exchanges(file: Path, client: str = neutral.NAME) -> list[Exchange]:
    """The exchanges of a transcript, redacted, turns counted from 1.

    A cut last line is left out. Raises `NotFound` for a file that cannot be read.
    """
    found: list[Exchange] = []
    assembly = Assembly(client, file.stem)

    def close() -> None:
        exchange = assembly.finished()
        if exchange is not None:
            exchange.turn = len(found) + 1
            found.append(exchange)

    try:
        with file.open("rb") as stream:
            for line in read(stream, 0):
                for event in READERS[client](line.row) if line.row is not None else ():
                    if assembly.begins(event):
                        close()
                        assembly = Assembly(client, file.stem)
                    assembly.add(event, line.position, line.end)
    except OSError as error:
        raise NotFound(f"the transcript {file} cannot be read: {error.strerror}") from None
    close()
    return found
