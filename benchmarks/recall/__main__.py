"""Measure recall: the working set by kind, LoCoMo evidence, the gate, latency, intervals."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks.recall.measure import Bench, Outcome
from benchmarks.recall.sets import Corpus, locomo, working
from benchmarks.recall.tables import Numbers, by_kind, gate, latency, order
from memory_core.recall.recall import Models
from memory_core.settings import load

DEMO = Path(__file__).parents[2] / "demo" / "vault"


def measured(corpora: list[Corpus], models: Models, threads: int) -> list[Outcome]:
    """Ask all questions of some corpora."""
    found: list[Outcome] = []
    for corpus in corpora:
        settings = load().model_copy(update={"threads": threads})
        found += Bench(corpus, settings, models).outcomes(lambda line: print(line, flush=True))
    return found


def main() -> None:
    """Print, and write if asked, what recall reaches."""
    parser = argparse.ArgumentParser(prog="benchmarks.recall", description=__doc__)
    parser.add_argument("--vault", type=Path, default=DEMO, help="a vault with a working set")
    parser.add_argument("--locomo", type=Path, help="folder with LoCoMo's conversations")
    parser.add_argument("--conversations", nargs="+", default=["26", "30", "49"])
    parser.add_argument("--skip-vault", action="store_true", help="measure LoCoMo alone")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--out", type=Path)
    args = parser.parse_args()
    models = Models.load(load())
    result: Numbers = {"problem": models.problem} if models.problem else {}
    if not args.skip_vault:
        outcomes = measured([working(args.vault)], models, args.threads)
        result["working"] = {**order(outcomes), "hit@3 by kind": by_kind(outcomes)}
        result["working"] |= {"gate": gate(outcomes), "latency ms": latency(outcomes)}
    if args.locomo:
        outcomes = measured(locomo(args.locomo, args.conversations), models, args.threads)
        result["locomo"] = {**order(outcomes), "latency ms": latency(outcomes)}
    text = json.dumps(result, indent=1)
    print(text)
    if args.out:
        args.out.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
