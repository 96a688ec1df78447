"""Where a missed question was lost, from the vault to the text shown."""

from __future__ import annotations

NOT_IN_VAULT = "not in the vault"
IN_NO_LEG = "in no leg"
IN_THE_POOL = "lost in the pool"
IN_RERANKING = "lost in re-ranking"
UNDER_THE_FLOOR = "under the floor"
TRIMMED_AWAY = "trimmed away"
REASONS = (
    NOT_IN_VAULT, IN_NO_LEG, IN_THE_POOL, IN_RERANKING, UNDER_THE_FLOOR, TRIMMED_AWAY
)  # fmt: skip
