"""Every error Wellkept raises on purpose, in one tree; each says what, where and the remedy.

WellkeptError
├── Transient                   the same call may succeed later
│   ├── ServerUnavailable       the warm model server does not answer
│   ├── DatabaseBusy            another writer held the database too long
│   ├── DatabaseUnavailable     the database's server does not answer
│   ├── RecallUnavailable       recall cannot run now (cold, building, late)
│   └── ModelUnavailable        the language model does not answer now
└── Permanent                   the same call fails again
    ├── BadInput                the caller's value is refused
    │   ├── FieldTooLong        a capped field is over its cap
    │   └── UnknownId           an ontology or type id that nobody declared
    ├── NotFound                no such memory, note, ledger row, ...
    ├── Conflict                the target changed since the writer read it
    ├── BankFull                a full bank takes updates, not new keys
    ├── DigestUnavailable       the digest cannot be resolved
    ├── SettingsError           the configuration does not hold
    ├── DatabaseRefused         the database refuses the login, or is of another version
    ├── VaultError              the vault folder cannot be used
    ├── ModelError              a model cannot be loaded or fails its self-test
    ├── NotCalibrated           no floor for this model and this vault
    ├── PersonNeeded            only a person on a terminal may do this
    ├── ModelRefused            the language model refuses the call (login, balance)
    ├── ReplyRefused            its reply fits no schema, also when asked again
    └── OverBudget              the call would exceed the budget of the run or the day
"""

from __future__ import annotations


class WellkeptError(Exception):
    """Base of the tree.

    `message` says what went wrong and where; `remedy` says what to do about it.
    """

    def __init__(self, message: str, *, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.message} ({self.remedy})" if self.remedy else self.message


class Transient(WellkeptError):
    """A retry may help."""


class ServerUnavailable(Transient):
    """The warm model server does not answer."""


class DatabaseBusy(Transient):
    """Another writer held the database longer than the wait allowed."""


class DatabaseUnavailable(Transient):
    """The database's server does not answer, or the connection to it was lost."""


class RecallUnavailable(Transient):
    """Recall cannot run now; the message is the reason in a few words."""


class ModelUnavailable(Transient):
    """The language model does not answer now: too many requests, time out, no connection."""


class Permanent(WellkeptError):
    """A retry of the same call fails again."""


class BadInput(Permanent):
    """The caller's value is refused."""


class FieldTooLong(BadInput):
    """A capped field is over its cap; names field, length and cap."""

    def __init__(self, field: str, length: int, cap: int, *, unit: str = "characters") -> None:
        super().__init__(
            f"{field} is {length} {unit}, the cap is {cap}",
            remedy=f"shorten {field} by {length - cap} and send it again",
        )
        self.field, self.length, self.cap = field, length, cap


class UnknownId(BadInput):
    """An id that nobody declared; `nearest` holds up to three declared ones."""

    def __init__(self, message: str, *, remedy: str = "", nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message, remedy=remedy)
        self.nearest = nearest


class NotFound(Permanent):
    """No such thing."""


class Conflict(Permanent):
    """The target changed since the writer read it; `current` is the newer text."""

    def __init__(self, message: str, *, remedy: str = "", current: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.current = current


class BankFull(Permanent):
    """The bank takes updates by key and no new keys."""


class DigestUnavailable(Permanent):
    """The digest cannot be resolved; a turn without it would look like an empty memory."""


class SettingsError(Permanent):
    """The configuration does not hold."""


class DatabaseRefused(Permanent):
    """The database refuses the login or a right, or has the schema of another version."""


class VaultError(Permanent):
    """The vault folder cannot be used."""


class ModelError(Permanent):
    """A model cannot be loaded, or fails its start-up self-test."""


class NotCalibrated(Permanent):
    """No floor exists for this model and vault."""


class PersonNeeded(Permanent):
    """Only a person may do this, and here is an agent, or no terminal."""


class ModelRefused(Permanent):
    """The language model refuses the call: no login, no balance, no such model."""


class ReplyRefused(Permanent):
    """A reply fits no schema, also when asked again; `reply` is the last one, raw."""

    def __init__(self, message: str, *, remedy: str = "", reply: str = "") -> None:
        super().__init__(message, remedy=remedy)
        self.reply = reply


class OverBudget(Permanent):
    """The call would exceed the token budget of the run or of the day."""
