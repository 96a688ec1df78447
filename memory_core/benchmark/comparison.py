"""Two runs side by side: what changed in between, and whether the score did.

A score over more questions is another score, so each stands on all questions and on the
common ones. Scores of other models are shown beside each other and never as a change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from memory_core.benchmark import change, history, score
from memory_core.benchmark.change import Change
from memory_core.benchmark.score import Result
from memory_core.store.tables import BenchmarkRun

SCORES = ("hit@3", "answered", "point", "pool", "quiet", "mrr", "characters")
Scores = dict[str, tuple[float | None, float | None]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side.

    `scores` maps a score's name to (before, after); `shared` does so over the `common`
    questions that both runs asked. `lost` and `won` are ids whose note left or joined the
    three; `change` is that of hit@3 with its interval. Of runs with other models these
    four are empty. `changed` says what else differs, `said` the same in lines for people.
    """

    scores: Scores
    shared: Scores
    common: int
    lost: tuple[str, ...]
    won: tuple[str, ...]
    change: Change | None
    changed: dict[str, Any]
    said: tuple[str, ...]

    @property
    def same_models(self) -> bool:
        """Whether both runs were made by the same models."""
        return "judge" not in self.changed


def compare(before: BenchmarkRun, after: BenchmarkRun) -> Comparison:
    """What happened between two runs."""
    changed = since(before, after)
    old, new = common(history.results(before), history.results(after))
    scores = _pairs(before.scores, after.scores)
    if "judge" in changed or "name" in changed:
        said = (_incomparable(changed),)
        return Comparison(scores, {}, len(new), (), (), None, changed, said)
    shared = _pairs(score.summary(list(old.values())), score.summary(list(new.values())))
    moved = change.between(old, new)
    return Comparison(
        scores=scores,
        shared=shared,
        common=len(new),
        lost=tuple(key for key in new if old[key].hit and not new[key].hit),
        won=tuple(key for key in new if new[key].hit and not old[key].hit),
        change=moved,
        changed=changed,
        said=tuple(_said(scores["hit@3"], moved, changed, len(new))),
    )


def common(
    before: dict[str, Result], after: dict[str, Result]
) -> tuple[dict[str, Result], dict[str, Result]]:
    """Of both, the questions that ask the same under the same id, in one order."""
    keys = [key for key in after if key in before and _same(before[key], after[key])]
    return {key: before[key] for key in keys}, {key: after[key] for key in keys}


def since(before: BenchmarkRun, after: BenchmarkRun) -> dict[str, Any]:
    """What differs beside the scores: questions by id, and (before, after) of all else."""
    old, new = history.results(before), history.results(after)
    both = [key for key in new if key in old]
    same = [key for key in both if _same(old[key], new[key])]
    questions = {
        "questions_added": sorted(new.keys() - old.keys()),
        "questions_removed": sorted(old.keys() - new.keys()),
        "questions_reworded": sorted(set(both) - set(same)),
        "answers_changed": sorted(key for key in same if _regraded(old[key], new[key])),
    }
    pairs: dict[str, tuple[Any, Any]] = {
        name: (getattr(before, name), getattr(after, name))
        for name in ("name", "judge", "floor", "vault_commit")
    }
    pairs |= {
        name: (before.scores.get(name), after.scores.get(name)) for name in ("vault", "notes")
    }
    return {
        **{name: ids for name, ids in questions.items() if ids},
        **{name: pair for name, pair in pairs.items() if pair[0] != pair[1]},
    }


def _same(one: Result, other: Result) -> bool:
    """Whether two results of one id are of the same request, as far as it was stored."""
    asked = one.digest.partition("-")[0], other.digest.partition("-")[0]
    return asked[0] == asked[1] or not all(asked)


def _regraded(one: Result, other: Result) -> bool:
    return bool(one.digest and other.digest) and one.digest != other.digest


def _incomparable(changed: dict[str, Any]) -> str:
    if "name" in changed:
        return "the runs are of different sets: their scores are not compared"
    before, after = changed["judge"]
    return (
        f"the models were exchanged between the runs ({before} -> {after}): the scores stand "
        "side by side and say nothing of how memory changed"
    )


def _said(
    scores: tuple[float | None, float | None],
    moved: Change | None,
    changed: dict[str, Any],
    shared: int,
) -> list[str]:
    if not shared:
        return ["the runs have no question in common: their scores are not compared"]
    if moved is None or None in scores:
        return ["the runs share no question that a note answers: hit@3 is not compared"]
    verdict = "a rise" if moved.rose else "a fall" if moved.fell else "no more than noise"
    lines = [f"hit@3 on the same questions {moved.said}: {verdict}"]
    before, after = scores
    grown = len(changed.get("questions_added", ())) - len(changed.get("questions_removed", ()))
    test = any(name.startswith("questions_") for name in changed)
    if test and before is not None and after is not None:
        on_all, on_same = after - before, moved.after - moved.before
        if on_all < 0 <= on_same or on_same <= 0 < on_all:
            fell = "fell" if on_all < 0 else "rose"
            why = f"the test grew by {grown}" if grown > 0 else "the test changed"
            lines.append(
                f"hit@3 on all questions {fell} from {before:.3f} to {after:.3f} because {why}: "
                f"on the same questions it is {moved.before:.3f} -> {moved.after:.3f}"
            )
    if "floor" in changed:
        lines.append("the floor is another: `answered`, `point` and `quiet` follow it")
    return lines


def _pairs(before: dict[str, Any], after: dict[str, Any]) -> Scores:
    return {name: (before.get(name), after.get(name)) for name in SCORES}
