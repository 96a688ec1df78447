"""What one call of a model gave."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """Its text as it came; tokens as the provider counted them, 0 where it does not say.

    `cut` means that the reply reached the most tokens it may have. `usd` is None where
    the price is not known.
    """

    text: str
    tokens_in: int = 0
    tokens_out: int = 0
    usd: float | None = None
    cut: bool = False
