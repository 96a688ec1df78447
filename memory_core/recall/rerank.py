"""The judge's reader: a cross-encoder that scores request and passage together.

Scores are raw logits: not percentages, usually negative, comparable only for one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from memory_core.errors import ModelError
from memory_core.recall import shipped
from memory_core.recall.naming import identity

MOST_TOKENS = 160
BATCH = 6  # small batches of like length hold little padding
MARGIN = 1.0
FIRST_INT8_LAYER = 2  # the two lowest layers have outliers that eight bits do not hold
_PAIRS = (
    ("how do we roll back a bad release?", "Roll back a release with deployctl rollback."),
    ("what does the cat eat in the morning?", "The cat gets 40 g of dry food at seven."),
)


class Reranker:
    """Pairs to logits; `model` names it with its revision.

    Raises `ModelError` when the model cannot be loaded or cannot tell a relevant
    passage from an unrelated one.
    """

    def __init__(self, named: str, threads: int) -> None:
        import torch

        torch.set_num_threads(threads)
        self._network = _load(named)
        form = _lighter(self._network.model)
        own = f"wellkept-reranker@{shipped.revision(shipped.RERANKER)}"
        self.model = (identity(named, self._network) if named else own) + form
        self._self_test()

    def score(self, query: str, passages: Sequence[str]) -> list[float]:
        """One raw logit a passage, in order; an empty passage scores as any other text."""
        if not passages:
            return []
        order = sorted(range(len(passages)), key=lambda at: len(passages[at]))
        scores = self._network.predict(
            [(query, passages[at]) for at in order], batch_size=BATCH, show_progress_bar=False
        )
        by_place = dict(zip(order, map(float, scores), strict=True))
        return [by_place[at] for at in range(len(passages))]

    def _self_test(self) -> None:
        """A relevant pair must beat an unrelated one by `MARGIN`, both ways round."""
        (first, one), (second, two) = _PAIRS
        scores = self.score(first, [one, two]), self.score(second, [two, one])
        worst = min(right - wrong for right, wrong in scores)
        if not worst >= MARGIN:
            raise ModelError(
                f"re-ranker {self.model} fails its self-test: a relevant passage beats an "
                f"unrelated one by {worst:.2f}, at least {MARGIN} is needed",
                remedy="its classification head may be wrong; name another model in the settings",
            )


def _lighter(network: Any) -> str:
    """Convert a BERT to the form this processor runs fastest; returns the form's name.

    With bf16 units everything is bf16 (logits within 0.1 of fp32). Without, the linear
    layers from `FIRST_INT8_LAYER` up are int8 with weights scaled by channel and
    activations scaled as they come: about 1.8 times as fast as fp32, logits within 0.6.
    Scores of different forms are not comparable, so the name is part of the model's.
    """
    import torch

    layers = getattr(getattr(getattr(network, "bert", None), "encoder", None), "layer", None)
    if layers is None:
        return ""
    if torch.cpu._is_amx_tile_supported():
        network.bfloat16()
        return "/bf16"
    import warnings

    from torch.ao.quantization import per_channel_dynamic_qconfig, quantize_dynamic

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for layer in layers[FIRST_INT8_LAYER:]:
            wanted = {torch.nn.Linear: per_channel_dynamic_qconfig}
            quantize_dynamic(  # type: ignore[no-untyped-call]
                layer, wanted, dtype=torch.qint8, inplace=True
            )
    return "/int8"


def _load(named: str) -> Any:
    import torch
    from sentence_transformers import CrossEncoder

    raw = torch.nn.Identity()
    if named:
        try:
            return CrossEncoder(named, device="cpu", activation_fn=raw, max_length=MOST_TOKENS)
        except Exception as error:
            raise ModelError(
                f"re-ranker {named!r} cannot be loaded: {error}",
                remedy="name a folder or a cached hub model in the setting reranker",
            ) from error
    base = shipped.base_folder()
    shipped.check_base(base / "model.safetensors")
    with shipped.quietly():
        network = CrossEncoder(
            str(base),
            num_labels=1,
            device="cpu",
            activation_fn=raw,
            max_length=MOST_TOKENS,
            local_files_only=True,
        )
    with torch.no_grad():
        shipped.apply(shipped.RERANKER, dict(network.model.named_parameters()))
    network.model.eval()
    return network
