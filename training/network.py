"""A MiniLM in training: masters in fp32, bf16 work where the processor has it, moving averages."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch

from training.common import base_folder

TOKENS_A_CHUNK = 700  # what stays in the processor's cache while a chunk is learned


def device() -> torch.device:
    """Return the graphics processor if torch sees one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def work_type(where: torch.device) -> torch.dtype:
    """Return bf16 where it is fast (a GPU, a CPU with matrix tiles), fp32 elsewhere."""
    tiles = getattr(torch.cpu, "_is_amx_tile_supported", lambda: False)
    return torch.bfloat16 if where.type == "cuda" or tiles() else torch.float32


class Trainee:
    """The model, its optimizer and an average of its weights."""

    def __init__(
        self, model: torch.nn.Module, rate: float, frozen: int = 0, decay: float = 0.99
    ) -> None:
        self.where = device()
        self.master = model.to(self.where)
        for name, weight in model.named_parameters():
            weight.requires_grad = _learns(name, frozen)
        self.kind = work_type(self.where)
        self.same = self.kind == torch.float32
        self.work = self.master if self.same else copy.deepcopy(self.master).to(self.kind)
        self.masters = [w for w in self.master.parameters() if w.requires_grad]
        self.workers = [w for w in self.work.parameters() if w.requires_grad]
        self.average = [w.detach().clone() for w in self.masters]
        self.rate, self.decay = rate, decay
        self.optimizer = torch.optim.AdamW(
            self.masters, lr=rate, weight_decay=0.01, betas=(0.9, 0.98)
        )
        self.work.train()
        self.steps = 0

    def step(self, loss: torch.Tensor, share: float, warm: int = 15) -> None:
        """Learn from one loss; `share` of the budget is used."""
        loss.backward()
        if not self.same:
            for master, worker in zip(self.masters, self.workers, strict=True):
                master.grad, worker.grad = worker.grad.float(), None
        torch.nn.utils.clip_grad_norm_(self.masters, 1.0)
        factor = min(1.0, (self.steps + 1) / warm) * max(0.03, 1 - share)
        self.optimizer.param_groups[0]["lr"] = self.rate * factor
        self.optimizer.step()
        self.optimizer.zero_grad()
        self.steps += 1
        self._follow()

    @torch.no_grad()
    def _follow(self) -> None:
        if not self.same:
            torch._foreach_copy_(self.workers, self.masters)
        decay = min(self.decay, self.steps / (self.steps + 10))
        torch._foreach_lerp_(self.average, self.masters, 1 - decay)

    def averaged(self) -> dict[str, torch.Tensor]:
        """Return the state with averaged weights."""
        state = {k: v.detach().clone().cpu() for k, v in self.master.state_dict().items()}
        names = [n for n, w in self.master.named_parameters() if w.requires_grad]
        state.update({n: w.clone().cpu() for n, w in zip(names, self.average, strict=True)})
        return state

    def snapshot(self) -> dict:
        """Return all that a run needs to go on."""
        return {
            "model": self.master.state_dict(),
            "average": self.average,
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
        }

    def resume(self, state: dict) -> None:
        """Go on from a snapshot."""
        self.master.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average = [w.to(self.where) for w in state["average"]]
        self.steps = state["steps"]
        if not self.same:
            torch._foreach_copy_(self.workers, [w.detach() for w in self.masters])


def _learns(name: str, frozen: int) -> bool:
    layer = name.split("layer.", 1)[-1].split(".", 1)[0]
    return "embeddings." not in name and not (layer.isdigit() and int(layer) < frozen)


class Tokens:
    """Token ids of texts, made once."""

    def __init__(self) -> None:
        from transformers import AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(str(base_folder()))
        self.known: dict[str, list[int]] = {}

    def learn(self, texts: Sequence[str]) -> None:
        """Tokenize texts in one go."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            ids = self.tokenizer(new, add_special_tokens=False, truncation=True, max_length=200)
            self.known.update(zip(new, ids["input_ids"], strict=True))

    def one(self, text: str, limit: int) -> list[int]:
        """Return `[CLS] text [SEP]` of at most `limit` tokens."""
        self.learn([text])
        return [101, *self.known[text][: limit - 2], 102]

    def pair(self, first: str, second: str, limits: tuple[int, int]) -> tuple[list[int], int]:
        """Return `[CLS] first [SEP] second [SEP]` and where the second part begins."""
        self.learn([first, second])
        head = [101, *self.known[first][: limits[0]], 102]
        return [*head, *self.known[second][: limits[1]], 102], len(head)


def chunks(lengths: Sequence[int], tokens: int = TOKENS_A_CHUNK) -> Iterator[list[int]]:
    """Divide rows into chunks of like length, so that little is padded."""
    chunk: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda j: -lengths[j]):
        if chunk and (len(chunk) + 1) * lengths[chunk[0]] > tokens:
            yield chunk
            chunk = []
        chunk.append(i)
    if chunk:
        yield chunk


def padded(rows: Sequence[list[int]], where: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ids and mask as one rectangle."""
    width = max(map(len, rows))
    ids = torch.tensor([row + [0] * (width - len(row)) for row in rows], device=where)
    mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows], device=where)
    return ids, mask


def embed(model: torch.nn.Module, rows: Sequence[list[int]]) -> torch.Tensor:
    """Return unit vectors (mean of the tokens), in the order of the rows."""
    where = next(model.parameters()).device
    parts, order = [], []
    for chunk in chunks([len(row) for row in rows]):
        ids, mask = padded([rows[i] for i in chunk], where)
        hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state.float()
        weight = mask[..., None].float()
        parts.append((hidden * weight).sum(1) / weight.sum(1))
        order += chunk
    vectors = torch.nn.functional.normalize(torch.cat(parts), dim=-1)
    return vectors[torch.argsort(torch.tensor(order, device=where))]


class Lower:
    """The outputs of the frozen lower layers, made once a text: half of the work saved."""

    def __init__(self, frozen: int) -> None:
        self.frozen = frozen
        self.known: dict[tuple[int, ...], torch.Tensor] = {}

    @torch.no_grad()
    def learn(self, model: torch.nn.Module, rows: Sequence[list[int]]) -> None:
        """Run the lower layers over rows that are new."""
        new = [row for row in rows if tuple(row) not in self.known]
        for chunk in chunks([len(row) for row in new]):
            ids, mask = padded([new[i] for i in chunk], next(model.parameters()).device)
            hidden = model.embeddings(input_ids=ids)
            hidden = _through(model.encoder.layer[: self.frozen], hidden, mask)
            for i, states in zip(chunk, hidden, strict=True):
                self.known[tuple(new[i])] = states[: len(new[i])].half()

    def embed(self, model: torch.nn.Module, rows: Sequence[list[int]]) -> torch.Tensor:
        """Return unit vectors, learning in the upper layers alone."""
        self.learn(model, rows)
        kind = next(model.parameters()).dtype
        parts, order = [], []
        for chunk in chunks([len(row) for row in rows]):
            _, mask = padded([rows[i] for i in chunk], next(model.parameters()).device)
            states = [self.known[tuple(rows[i])].to(kind) for i in chunk]
            hidden = torch.nn.utils.rnn.pad_sequence(states, batch_first=True)
            hidden = _through(model.encoder.layer[self.frozen :], hidden, mask).float()
            weight = mask[..., None].float()
            parts.append((hidden * weight).sum(1) / weight.sum(1))
            order += chunk
        vectors = torch.nn.functional.normalize(torch.cat(parts), dim=-1)
        return vectors[torch.argsort(torch.tensor(order, device=vectors.device))]


def _through(
    layers: Sequence[torch.nn.Module], hidden: torch.Tensor, mask: torch.Tensor
) -> torch.Tensor:
    extended = (1.0 - mask[:, None, None, :].to(hidden.dtype)) * -1e4
    for layer in layers:
        out = layer(hidden, extended)
        hidden = out[0] if isinstance(out, tuple) else out
    return hidden


def score(model: torch.nn.Module, pairs: Sequence[tuple[list[int], int]]) -> torch.Tensor:
    """Return the raw logits of pairs, in their order."""
    where = next(model.parameters()).device
    parts, order = [], []
    for chunk in chunks([len(row) for row, _ in pairs]):
        ids, mask = padded([pairs[i][0] for i in chunk], where)
        starts = torch.tensor([pairs[i][1] for i in chunk], device=where)[:, None]
        kinds = (torch.arange(ids.shape[1], device=where)[None] >= starts).long() * mask
        out = model(input_ids=ids, attention_mask=mask, token_type_ids=kinds)
        parts.append(out.logits.float()[:, 0])
        order += chunk
    return torch.cat(parts)[torch.argsort(torch.tensor(order, device=where))]


def load_embedder(delta: Path | None, dropout: float = 0.0) -> torch.nn.Module:
    """Return the base as an embedder, with a delta if one is given."""
    from transformers import AutoModel

    return _load(AutoModel, delta, dropout)


def load_reranker(delta: Path | None, dropout: float = 0.0) -> torch.nn.Module:
    """Return the base as a cross-encoder of one logit, with a delta if one is given."""
    from transformers import AutoModelForSequenceClassification

    return _load(AutoModelForSequenceClassification, delta, dropout, num_labels=1)


def _load(kind: type, delta: Path | None, dropout: float, **more: int) -> torch.nn.Module:
    from training.pack import add_delta

    if delta is not None and delta.suffix == ".pt":
        model = _load(kind, None, dropout, **more)
        model.load_state_dict(torch.load(delta, map_location="cpu", weights_only=True))
        return model
    model = kind.from_pretrained(
        str(base_folder()),
        attn_implementation="eager",
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=0.0,
        **more,
    )
    if delta is not None:
        add_delta(model, delta)
    return model
