"""Tune the embedder: contrastive over clusters of notes and public groups."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn.functional import softplus

from training.common import AUTHORED, WORK, Clock, say, seed_everything
from training.data import Group, Note, Passage, Request, damage, load_groups, load_notes, split
from training.network import Lower, Tokens, Trainee, load_embedder

SCALE = 20.0
NULL = 0.40  # the cosine under which nothing should count as an answer
REQUEST_TOKENS, PASSAGE_TOKENS, PUBLIC_TOKENS = 64, 96, 72
SHARES = {"own synth dialogues": 0.30, "own synth notes": 0.15, "tldr-pages/tldr": 0.10}
# How often a request of a kind is asked when its note is read; kinds not named always are.
ASKED = {"direct": 0.4, "rare-term": 0.4, "keyword": 0.5, "unanswerable": 0.45, "long": 0.6}
CATALOG = "catalog "


@dataclass
class Batch:
    """Texts to embed, and which passages answer which request (rows x columns)."""

    requests: list[str]
    passages: list[str]
    right: torch.Tensor
    weight: float = 1.0
    limit: int = PASSAGE_TOKENS


def runs(notes: list[Note], rng: random.Random, length: int = 4) -> Iterator[list[Note]]:
    """Yield neighbouring notes (they stand in clusters), each once an epoch, for ever."""
    while True:
        offset = rng.randrange(length)
        starts = list(range(-offset, len(notes), length))
        rng.shuffle(starts)
        yield from (notes[max(0, s) : s + length] for s in starts if notes[max(0, s) : s + length])


def note_batch(notes: list[Note], rng: random.Random, most: int = 64) -> Batch:
    """Embed every passage of some notes once, for most requests on them."""
    passages = [p for note in notes for p in _passages(note, rng)]
    asked = [(note.key, request) for note in notes for request in note.requests]
    asked = [pair for pair in asked if rng.random() < ASKED.get(pair[1].kind, 1.0)]
    asked = rng.sample(asked, min(most, len(asked)))
    right = [[p.answers(key, request) for p in passages] for key, request in asked]
    texts = [_typed(request, rng) for _, request in asked]
    shown = [passage.text for passage in passages]
    return Batch(texts, shown, torch.tensor(right))


def _passages(note: Note, rng: random.Random) -> list[Passage]:
    found = note.single() if rng.random() < 0.85 else note.merged()
    if note.head and rng.random() < 0.12:
        cut = len(note.head) + 1
        found = [Passage(p.text[cut:], p.note, p.points) for p in found]
    return found


def _typed(request: Request, rng: random.Random) -> str:
    if request.kind in ("typo", "long", "multilingual") or rng.random() > 0.1:
        return request.text
    return damage(request.text, rng)


class Public:
    """Public groups, drawn by source so that no source drowns the others."""

    def __init__(self, groups: list[Group], rng: random.Random, weight: float) -> None:
        self.rng, self.weight = rng, weight
        self.by_source: dict[str, list[Group]] = {}
        for group in groups:
            if group.answer is not None:
                self.by_source.setdefault(group.source, []).append(group)
        self.sources = list(self.by_source)
        rest = 1 - sum(SHARES.get(s, 0) for s in self.sources)
        roots = {s: len(self.by_source[s]) ** 0.5 for s in self.sources if s not in SHARES}
        total = sum(roots.values()) or 1.0
        self.shares = [SHARES.get(s) or rest * roots[s] / total for s in self.sources]

    def batch(self, size: int) -> Batch:
        """Draw groups: a request, its answer and one look-alike each."""
        drawn = [self.rng.choice(self.by_source[s]) for s in self._draw(size)]
        drawn = list({group.answer: group for group in drawn}.values())
        answers = [group.answer or "" for group in drawn]
        wrong = [self._look_alike(group) for group in drawn[::2]]
        right = torch.eye(len(drawn), len(drawn) + len(wrong)).bool()
        texts = [damage(g.text, self.rng) if self.rng.random() < 0.08 else g.text for g in drawn]
        return Batch(texts, answers + wrong, right, self.weight, PUBLIC_TOKENS)

    def _draw(self, size: int) -> list[str]:
        return self.rng.choices(self.sources, self.shares, k=size)

    def _look_alike(self, group: Group) -> str:
        hard = group.hard if group.hard and self.rng.random() < 0.6 else group.wrong[:4]
        return self.rng.choice(hard)


def loss_of(trainee: Trainee, tokens: Tokens, lower: Lower, batches: list[Batch]) -> torch.Tensor:
    """Return the contrastive loss with a null answer.

    Every batch's passages are wrong answers to the requests of all other batches.
    """
    rows = [tokens.one(text, REQUEST_TOKENS) for b in batches for text in b.requests]
    asked = len(rows)
    rows += [tokens.one(text, b.limit) for b in batches for text in b.passages]
    vectors = lower.embed(trainee.work, rows)
    logits = vectors[:asked] @ vectors[asked:].T * SCALE
    right = torch.block_diag(*(b.right.float() for b in batches)).bool().to(logits.device)
    null = torch.full_like(logits[:, :1], NULL * SCALE)
    others = torch.cat((logits.masked_fill(right, -1e4), null), 1).logsumexp(1)
    parts = [len(b.requests) for b in batches]
    split = zip(batches, *(x.split(parts) for x in (logits, right, others, null)), strict=True)
    losses = [
        b.weight * (_answered(mine, yes, other) + 0.15 * _quiet(yes, other, none))
        for b, mine, yes, other, none in split
    ]
    return torch.stack(losses).sum()


def _answered(logits: torch.Tensor, right: torch.Tensor, others: torch.Tensor) -> torch.Tensor:
    """Each right passage against all wrong ones; a request's right passages share its weight."""
    each = softplus(others[:, None] - logits) * right
    has = right.any(1)
    return (each.sum(1)[has] / right.sum(1)[has]).mean()


def _quiet(right: torch.Tensor, others: torch.Tensor, null: torch.Tensor) -> torch.Tensor:
    none = ~right.any(1)
    return (others - null[:, 0])[none].mean() if bool(none.any()) else others.sum() * 0


def train(args: argparse.Namespace) -> dict[str, torch.Tensor]:
    """Run until the minutes are used and return the averaged weights."""
    rng = seed_everything(args.seed)
    notes, _ = split(load_notes(args.notes))
    groups = load_groups(args.public)
    if not notes:
        raise SystemExit(f"no notes in {args.notes}; python -m training.build says what is there")
    say(f"{len(notes)} notes, {sum(len(n.requests) for n in notes)} requests, {len(groups)} groups")
    trainee = Trainee(load_embedder(args.init), args.rate, args.frozen)
    tokens, lower = Tokens(), Lower(args.frozen)
    saved = WORK / f"{args.name}.run.pt"
    spent = _resume(trainee, saved) if args.resume and saved.exists() else 0.0
    clock, queue = Clock(args.minutes, spent), runs(notes, rng)
    general = [group for group in groups if not group.source.startswith(CATALOG)]
    translated = [group for group in groups if group.source.startswith(CATALOG)]
    public = Public(general, rng, args.public_weight)
    catalogs = Public(translated, rng, args.translated_weight) if translated else None
    losses: list[float] = []
    while clock.share < 1:
        batches = [note_batch(next(queue) + next(queue), rng), public.batch(args.groups)]
        batches += [catalogs.batch(args.groups)] if catalogs else []
        loss = loss_of(trainee, tokens, lower, batches)
        trainee.step(loss, clock.share)
        losses.append(loss.item())
        if trainee.steps % 10 == 0:
            say(f"step {trainee.steps} loss {sum(losses[-10:]) / 10:.3f} {clock.spent:.0f} s")
        if trainee.steps % 50 == 0:
            torch.save({**trainee.snapshot(), "spent": clock.spent}, saved)
            torch.save(trainee.averaged(), WORK / f"{args.name}.pt")
    return trainee.averaged()


def _resume(trainee: Trainee, saved: Path) -> float:
    state = torch.load(saved, map_location="cpu", weights_only=True)
    trainee.resume(state)
    return float(state["spent"])


def main() -> None:
    """Train and leave the weights in training/work."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=Path, default=AUTHORED)
    parser.add_argument("--public", type=Path, default=WORK / "public.jsonl.gz")
    parser.add_argument("--init", type=Path, help="a delta to start from (default: the base)")
    parser.add_argument("--name", default="embedder")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--rate", type=float, default=4e-5)
    parser.add_argument("--public-weight", type=float, default=0.6)
    parser.add_argument("--translated-weight", type=float, default=0.3)
    parser.add_argument("--groups", type=int, default=12, help="public groups of a sort a step")
    parser.add_argument("--frozen", type=int, default=0, help="lowest layers that stay as they are")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument(
        "--smoke", action="store_true", help="a quarter of a minute, to see that it runs"
    )
    args = parser.parse_args()
    args.minutes = 0.25 if args.smoke else args.minutes
    torch.set_num_threads(args.threads)
    torch.set_flush_denormal(True)
    WORK.mkdir(parents=True, exist_ok=True)
    torch.save(train(args), WORK / f"{args.name}.pt")
    say(f"saved training/work/{args.name}.pt")


if __name__ == "__main__":
    main()
