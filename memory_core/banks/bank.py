"""Which bank: private, shared or global; its id is computed from names, never looked up."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args
from urllib.parse import unquote

from memory_core.banks.caps import NAME, check_length
from memory_core.errors import BadInput

Kind = Literal["private", "shared", "global"]
KINDS: tuple[Kind, ...] = get_args(Kind)  # narrowest first


@dataclass(frozen=True, slots=True)
class BankId:
    """`user` is None for a shared bank, `scope` for a global one."""

    user: str | None
    scope: str | None

    @property
    def kind(self) -> Kind:
        """How narrow the bank is."""
        if self.user is None:
            return "shared"
        return "private" if self.scope is not None else "global"

    def __str__(self) -> str:
        names = {"user": self.user, "scope": self.scope}
        if self.user is not None and self.scope is not None:
            return f"user:{escaped(self.user)}:{escaped(self.scope)}"
        return next(f"{kind}:{escaped(name)}" for kind, name in names.items() if name is not None)


def bank_id(kind: str, user: str, scope: str) -> BankId:
    """The bank of that kind.

    Raises `BadInput` for an unknown kind or an unusable name.
    """
    check_name("user", user)
    check_name("scope", scope)
    if kind == "private":
        return BankId(user, scope)
    if kind == "shared":
        return BankId(None, scope)
    if kind == "global":
        return BankId(user, None)
    raise BadInput(f"there is no bank {kind!r}", remedy=f"use one of {', '.join(KINDS)}")


@lru_cache(maxsize=4096)
def parse_bank_id(text: str) -> BankId:
    """The bank behind an id; the inverse of `str`.

    Raises `BadInput` for text that is no bank's id.
    """
    kind, *names = text.split(":")
    decoded = [unquote(name, errors="surrogatepass") for name in names]
    bank = BankId("", "")
    if kind == "user" and len(decoded) in (1, 2):
        bank = BankId(decoded[0], decoded[1] if len(decoded) == 2 else None)
    elif kind == "scope" and len(decoded) == 1:
        bank = BankId(None, decoded[0])
    if str(bank) != text or "" in names:
        raise BadInput(f"{text!r} is no bank's id", remedy="take the id from wellkept memories")
    return bank


def check_name(what: str, name: str) -> None:
    """Raise `BadInput` for an empty or overlong user or scope name."""
    if not name.strip():
        raise BadInput(f"the {what} is empty", remedy=f"name the {what}")
    check_length(what, name, NAME)


@lru_cache(maxsize=4096)
def escaped(name: str) -> str:
    """Percent-encode what separates ids or does not print, so that no two names meet."""
    return "".join(_encoded(character) for character in name)


def _encoded(character: str) -> str:
    if character not in "%:" and character.isprintable():
        return character
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
