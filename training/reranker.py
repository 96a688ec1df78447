"""Train the cross-encoder: one logit for how well a passage answers a request."""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from training.common import WORK, Clock, say, seed_everything
from training.data import DEV_FIELDS, Group, damage, load_groups
from training.mine import Mined, read
from training.network import Tokens, Trainee, load_reranker, score

LIMITS = (64, 96)
PUBLIC_LIMITS = (48, 72)
EASY_KINDS = frozenset({"direct", "keyword", "rare-term"})


@dataclass
class List:
    """A request and passages to tell apart; the first answers if `answered`."""

    request: str
    passages: list[str]
    answered: bool
    limits: tuple[int, int]


def own_lists(rows: list[Mined], rng: random.Random) -> Iterator[List]:
    """Yield lists of authored requests, each once an epoch (easy kinds every other time)."""
    while True:
        kept = [r for r in rows if r.kind not in EASY_KINDS or rng.random() < 0.5]
        rng.shuffle(kept)
        yield from (_own_list(row, rng) for row in kept)


def _own_list(row: Mined, rng: random.Random) -> List:
    near, deep = row.near[:4], row.near[4:]
    wrong = [rng.choice(near)] if near else []
    wrong += [rng.choice(row.same)] if row.same and rng.random() < 0.6 else []
    wrong += rng.sample(deep, min(len(deep), 3 - len(wrong)))
    typed = row.kind not in ("typo", "long", "multilingual") and rng.random() < 0.08
    text = damage(row.text, rng) if typed else row.text
    if not row.answers:
        return List(text, wrong[:2], False, LIMITS)
    return List(text, [rng.choice(row.answers), *dict.fromkeys(wrong)], True, LIMITS)


def public_lists(groups: list[Group], rng: random.Random) -> Iterator[List]:
    """Yield lists of public groups, dialogues and notes twice as often as the rest."""
    weights = [2.0 if group.source.startswith("own") else 1.0 for group in groups]
    while True:
        for group in rng.choices(groups, weights, k=512):
            hard = list(group.hard[:1])
            wrong = hard + rng.sample(group.wrong, min(len(group.wrong), 2 - len(hard)))
            known = [group.answer] if group.answer is not None else []
            yield List(group.text, known + wrong, bool(known), PUBLIC_LIMITS)


def loss_of(trainee: Trainee, tokens: Tokens, lists: list[List], smooth: float) -> torch.Tensor:
    """Each pair for itself (the gate) and each list against itself (the order)."""
    pairs = [tokens.pair(x.request, text, x.limits) for x in lists for text in x.passages]
    logits = score(trainee.work, pairs)
    wanted = [float(x.answered and i == 0) for x in lists for i in range(len(x.passages))]
    target = torch.tensor(wanted, device=logits.device)
    soft = target * (1 - 2 * smooth) + smooth
    weight = torch.tensor(2.0, device=logits.device)
    loss = binary_cross_entropy_with_logits(logits, soft, pos_weight=weight)
    parts = logits.split([len(x.passages) for x in lists])
    order = [p.logsumexp(0) - p[0] for x, p in zip(lists, parts, strict=True) if x.answered]
    return loss + 0.5 * torch.stack(order).mean()


def train(args: argparse.Namespace) -> dict[str, torch.Tensor]:
    """Run until the minutes are used and return the averaged weights."""
    rng = seed_everything(args.seed)
    rows = [row for row in read(args.mined) if row.field not in DEV_FIELDS]
    groups = load_groups(args.public)
    say(f"{len(rows)} authored requests, {len(groups)} public groups")
    trainee = Trainee(load_reranker(args.init, dropout=args.dropout), args.rate, args.frozen)
    tokens = Tokens()
    saved = WORK / f"{args.name}.run.pt"
    spent = _resume(trainee, saved) if args.resume and saved.exists() else 0.0
    clock, own, public = Clock(args.minutes, spent), own_lists(rows, rng), public_lists(groups, rng)
    losses: list[float] = []
    pairs = 0
    while clock.share < 1:
        lists = [next(own) for _ in range(args.own)] + [next(public) for _ in range(args.others)]
        loss = loss_of(trainee, tokens, lists, args.smooth)
        trainee.step(loss, clock.share)
        losses.append(loss.item())
        pairs += sum(len(x.passages) for x in lists)
        if trainee.steps % 10 == 0:
            mean = sum(losses[-10:]) / 10
            say(f"step {trainee.steps} loss {mean:.3f} {pairs} pairs {clock.spent:.0f} s")
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
    parser.add_argument("--mined", type=Path, default=WORK / "mined.jsonl")
    parser.add_argument("--public", type=Path, default=WORK / "public.jsonl.gz")
    parser.add_argument("--init", type=Path, help="a delta to start from (default: the base)")
    parser.add_argument("--name", default="reranker")
    parser.add_argument("--minutes", type=float, default=25)
    parser.add_argument("--rate", type=float, default=8e-5)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--smooth", type=float, default=0.02)
    parser.add_argument("--own", type=int, default=14, help="authored lists a step")
    parser.add_argument("--others", type=int, default=5, help="public lists a step")
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
