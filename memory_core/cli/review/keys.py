"""What a terminal sends, as names of keys; pasted text is one key, so it decides nothing.

Printable characters are themselves; others are `enter`, `escape`, `backspace`, `up`,
`down`, `left`, `right`, `page up`, `page down`, `home`, `end`, `interrupt` (Ctrl-C),
`suspend` (Ctrl-Z), `redraw` (Ctrl-L) and `paste TEXT`. What is unknown is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

PASTE_BEGINS, PASTE_ENDS = b"\x1b[200~", b"\x1b[201~"
_SEQUENCE = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1bO.|\x1b[^\[O\x1b]?", re.DOTALL)
_NAMES = {
    b"\r": "enter", b"\n": "enter", b"\x1b": "escape", b"\x7f": "backspace", b"\x08": "backspace",
    b"\x03": "interrupt", b"\x1a": "suspend", b"\x0c": "redraw",
    b"\x1b[A": "up", b"\x1bOA": "up", b"\x1b[B": "down", b"\x1bOB": "down",
    b"\x1b[C": "right", b"\x1bOC": "right", b"\x1b[D": "left", b"\x1bOD": "left",
    b"\x1b[5~": "page up", b"\x1b[6~": "page down",
    b"\x1b[H": "home", b"\x1bOH": "home", b"\x1b[1~": "home",
    b"\x1b[F": "end", b"\x1bOF": "end", b"\x1b[4~": "end",
}  # fmt: skip
_PART = re.compile(rb"\x1b(\[[0-9;?]*[ -/]*|O)?\Z")


class Decoder:
    """Bytes in, names of keys out; what is cut in the middle waits for the next bytes."""

    def __init__(self) -> None:
        self._held = b""

    @property
    def waits(self) -> bool:
        """Whether the bytes so far may be the beginning of a longer key."""
        return bool(self._held)

    def feed(self, data: bytes, *, final: bool = False) -> list[str]:
        """The keys that are whole now; `final` says that nothing follows soon."""
        self._held += data
        return list(self._keys(final))

    def _keys(self, final: bool) -> Iterator[str]:
        while self._held:
            size = self._size(final)
            if not size:
                return
            key, self._held = self._held[:size], self._held[size:]
            if key.startswith(PASTE_BEGINS):
                yield "paste " + key[len(PASTE_BEGINS) : -len(PASTE_ENDS)].decode(
                    "utf-8", "replace"
                )
            elif name := _NAMES.get(key) or _printable(key):
                yield name

    def _size(self, final: bool) -> int:
        """Bytes of the first key; 0 when more must come."""
        if self._held.startswith(PASTE_BEGINS):
            end = self._held.find(PASTE_ENDS)
            return end + len(PASTE_ENDS) if end >= 0 else 0
        first = self._held[0]
        if first == 0x1B:
            if not final and _PART.match(self._held):
                return 0
            found = _SEQUENCE.match(self._held)
            return found.end() if found else 1
        wanted = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        return wanted if final or len(self._held) >= wanted else 0


def _printable(key: bytes) -> str:
    text = key.decode("utf-8", "ignore")
    return text if text.isprintable() else ""
