"""Whether the models can read a request: the share of it that their vocabulary does not know.

A vector and a logit of unknown tokens say nothing, so such a request is searched by
words alone. Scripts known in part (kana with some kanji) and requests that mix scripts
stay with the models.
"""

from __future__ import annotations

from typing import Any

MOST_UNKNOWN = 0.5  # share of tokens; Japanese stays under it, Chinese and Thai lie above
READ_CHARACTERS = 600


def unknown_share(tokenizer: Any, text: str) -> float:
    """Share of the tokens of `text` that are the unknown token, 0..1; 0 for no tokens.

    A run of characters that became one unknown token counts by its length, since whole
    sentences of a script without spaces do.
    """
    unknown = getattr(tokenizer, "unk_token_id", None)
    if unknown is None or not getattr(tokenizer, "is_fast", False):
        return 0.0
    read = tokenizer(text[:READ_CHARACTERS], add_special_tokens=False, return_offsets_mapping=True)
    spans = zip(read["input_ids"], read["offset_mapping"], strict=True)
    weights = [(token == unknown, max(1, (end - start) // 4)) for token, (start, end) in spans]
    total = sum(weight for _, weight in weights)
    return sum(weight for missing, weight in weights if missing) / total if total else 0.0
