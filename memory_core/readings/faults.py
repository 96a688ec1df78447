"""What is wrong, and whether memory answers in spite of it.

| exit code of `wellkept status` | level | |
| --- | --- | --- |
| 0 | | all well; a proposal that waits is no fault |
| 3 | down | memory does not answer: every request goes without it |
| 4 | person | memory answers, and something needs a person |

1 and 2 mean what they mean for every command: status itself failed, or was called wrongly.
A `notice` changes no code.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from memory_core.recall import clearance

Level = Literal["down", "person", "notice"]
DOWN, PERSON = 3, 4
WAITS_S = 600.0  # a busy machine stores an event within minutes


@dataclass(frozen=True, slots=True)
class Fault:
    """`code` is a slug for programs; `said` and `remedy` are for a person."""

    level: Level
    code: str
    said: str
    remedy: str = ""

    def as_json(self) -> dict[str, str]:
        """All fields."""
        return asdict(self)


def exit_code(faults: Sequence[Fault]) -> int:
    """The worst of them as the command's exit code."""
    levels = {fault.level for fault in faults}
    return DOWN if "down" in levels else PERSON if "person" in levels else 0


def of(document: Mapping[str, Any]) -> list[Fault]:
    """Every fault of a status document (`cli/status.py`), the worst first."""
    found = [*_server(document), *_clearance(document), *_routines(document), *_kept(document)]
    found += [*_vault(document), *_scores(document)]
    return sorted(found, key=lambda fault: ("down", "person", "notice").index(fault.level))


def _server(document: Mapping[str, Any]) -> Iterator[Fault]:
    server, index = document["server"], document["index"]
    if server["status"] == "unavailable":
        yield Fault("down", "server-down", server["reason"], server.get("remedy", ""))
    elif server["status"] == "loading":
        yield Fault("down", "server-loading", server["reason"], "wait a moment")
    elif server["status"] != "ready":
        yield Fault("down", "server-failed", server["reason"], "wellkept doctor")
    elif server["reason"]:
        yield Fault("person", "models", server["reason"], "wellkept doctor")
    if not index or server["status"] != "ready":
        return
    if index["floor"] is None and server.get("measuring"):
        remedy = "wait a minute" if server.get("notes") else "put a Markdown file into it"
        yield Fault("down", "measuring-floor", server["measuring"], remedy)
    elif index["floor"] is None:
        yield Fault("down", "not-calibrated", index["calibration"], "wellkept calibrate")
    if index["building"]:
        yield Fault("down", "index-building", "the index is still being built", "wait a moment")


def _clearance(document: Mapping[str, Any]) -> Iterator[Fault]:
    index = document["index"]
    if not index or index["clearance"] is None or index.get("quiet") is not None:
        return  # with a quiet share some nonsense passes by a person's choice
    if index["clearance"] < 0:
        said = clearance.negative(index["clearance"], index["worst"])
        yield Fault("person", "clearance-negative", said, "wellkept calibrate")


def _routines(document: Mapping[str, Any]) -> Iterator[Fault]:
    routines = document["routines"]
    if routines["state"] == "down" and document["server"]["status"] != "unavailable":
        yield Fault("person", "routines-down", routines["said"], "wellkept up --detach")
    if document["panel"].startswith("refused"):
        yield Fault("person", "panel-refused", document["panel"], "correct panel_models")
    for run in document["proposals"].get("runs", ()):
        if run["state"] == "failed":
            why = f": {run['why']}" if run["why"] else ""
            yield Fault("person", "routine-failed", f"{run['routine']} failed{why}", "see its run")


def _kept(document: Mapping[str, Any]) -> Iterator[Fault]:
    record = document["record"]
    if "problem" in record:
        yield Fault("person", "database", record["problem"], "wellkept doctor")
    elif record["oldest_s"] > WAITS_S:
        said = f"{record['waiting']} events wait, the first for {record['oldest_s'] / 60:.0f} min"
        yield Fault("person", "record-stuck", said, "see record.log in the logs folder")
    for bank in document["full"]:
        said = f"{bank['bank']} is full and takes no new key"
        yield Fault("person", "bank-full", said, "wellkept memories, then wellkept forget")


def _vault(document: Mapping[str, Any]) -> Iterator[Fault]:
    for problem in document["index"].get("problems", ()):
        named = f"{problem['file']}: " if problem["file"] else ""
        yield Fault("notice", "vault", f"{named}{problem['message']}")
    held = document["carry"].get("always_loaded") or {}
    if held and held["characters"] > held["cap"]:
        over = held["characters"] - held["cap"]
        yield Fault("notice", "always-loaded-over", f"{held['file']} is {over:,} over its cap")


def _scores(document: Mapping[str, Any]) -> Iterator[Fault]:
    if warning := document["warning"]:
        yield Fault("notice", "only-the-working-set-rises", warning)
