"""Dream over windows of 50, 150 and 500 sessions of 20 turns: time, memory, what it found.

`python -m benchmarks.dream [--sessions 50 150 500]` makes sessions from templates (seeded):
requests, replies, commands and outputs of several trades, with changes of what the demo
notes say and one procedure planted among them. A real warm server answers `recall` and
`embed`; each window is read in a process of its own, whose peak memory is shown.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks import warm
from memory_core.record.exchange import Exchange, Span
from memory_core.routines.dream import dream
from memory_core.routines.place import Place
from memory_core.server.client import Client
from memory_core.settings import load
from memory_core.vault.vault import Vault

TURNS = 20
START = datetime(2026, 11, 1, 8, tzinfo=UTC)
_THINGS = """
    importer ledger parser oven greenhouse scanner telescope newsletter archive invoice roster
    spectrum pipeline shader printer catalogue router thermostat database compiler choir clinic
    label report budget schedule sensor gateway translation museum
"""
_ACTS = "check rebuild move clean export compare restart measure rename shorten"
_PEOPLE = "Ada Tomas Leila Ingvild Oskar Priya Milan Greta Ousmane Halvard"
THINGS, ACTS, PEOPLE = _THINGS.split(), _ACTS.split(), _PEOPLE.split()
REQUESTS = (
    "can you {act} the {thing} for {person}? it failed {n} times since {day}",
    "the {thing} shows {n} rows too many, please {act} it before {hour}:{minute}",
    "{person} asks why the {thing} takes {n} seconds. {act} the {other} too",
    "ok and now {act} the {other}, but leave the {thing} as it is",
    "hvorfor stopper {thing} etter {n} minutter? se på {other} også",
    "bitte {thing} prüfen, seit {day} fehlen {n} Einträge",
)
REPLIES = (
    "The {thing} reads {n} entries from `{path}`. I {act} it and look at the {other} next.",
    "Found it: {person} changed the {other} on {day}, and the {thing} did not follow.",
    "The limit of the {thing} is {n} MB, so the {other} must be split before.",
    "Done. {n} of {m} are fine; the rest of the {thing} waits for {person}.",
    "It was not the {other}. The {thing} has a timeout of {n} s, which is too short at night.",
)
COMMANDS = (
    "ls {path}",
    "rg -n {thing} src | head -{n}",
    "git status",
    "git commit -am '{thing}: {act}'",
    "pytest tests/{thing} -q",
    "{thing}ctl {act} --id {m}",
    "{thing}ctl show {m} --format json",
    "make {thing}-{act}",
    "kubectl logs -n {thing} deploy/{other} --tail {n}",
    "cat {path}",
    "curl -s localhost:{m}/{thing}/health",
    "sed -i 's/{n}/{m}/' {path}",
    "python tools/{act}_{thing}.py --top {n}",
)
CHANGES = (
    "prune from {n} percent instead of 85, every 2 hours instead of every 6 on the runners",
    "the {thing} listens on port {m} now, not 8080",
    "we moved the {thing} from {other} to a machine of {person}",
    "{person} no longer looks after the {thing}, ask the {other} team",
    "the night setback begins at 23:{minute} instead of 22:30 in the living room",
    "a {thing} is kept for {n} days instead of 14 from now on",
)
PROCEDURE = ("relayctl drain {thing}", "relayctl patch {thing} --reboot", "relayctl verify {thing}")


def main() -> None:
    """Measure every window and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, nargs="+", default=[50, 150, 500])
    parser.add_argument("--one", type=int, help="read one window in this process")
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(_read(asked.one)))
        return
    with warm.state_folder() as home:
        server = warm.start(home)
        try:
            warm.until_ready(server, home)
            warm.open_the_gate(home)
            print(
                "| sessions | turns | seconds | CPU s | CPU ms a turn | peak MB | recalls | embeds"
                " | found |"
            )
            print("| --- " * 9 + "|")
            for sessions in asked.sessions:
                print(_row(sessions), flush=True)
        finally:
            server.terminate()
            server.wait()


def _row(sessions: int) -> str:
    command = [sys.executable, "-m", "benchmarks.dream", "--one", str(sessions)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    told = json.loads(done.stdout)
    cells = (
        sessions,
        told["turns"],
        f"{told['seconds']:.1f}",
        f"{told['cpu']:.1f}",
        f"{1000 * told['cpu'] / told['turns']:.1f}",
        told["megabytes"],
        told["calls"].get("recall", 0),
        told["calls"].get("embed", 0),
        told["found"],
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def _read(sessions: int) -> dict[str, Any]:
    settings = load()
    assert settings.vault is not None
    place = Place.of(Vault(settings.vault), user="bench", scope="", session="")
    client, calls = Client(60), Counter[str]()

    def ask(operation: str, payload: dict[str, Any]) -> dict[str, Any]:
        calls[operation] += 1
        return client.call(f"/{operation}", payload)

    began, worked = time.perf_counter(), time.process_time()
    found = dream.evidence(window(sessions), place, ask)
    drafted = dream.draft(found, place)
    seconds, cpu = time.perf_counter() - began, time.process_time() - worked
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told = (
        f"{len(found.procedures)} procedures, {len(found.contradictions)} contradictions,"
        f" {len(drafted.items)} items"
    )
    return {
        "turns": found.turns,
        "seconds": seconds,
        "cpu": cpu,
        "megabytes": peak,
        "calls": calls,
        "found": told,
    }


def window(sessions: int, seed: int = 7) -> Iterator[Exchange]:
    """The exchanges of so many sessions, one session after the other."""
    chance = random.Random(seed)
    for number in range(sessions):
        at = START + timedelta(hours=2 * number)
        things = chance.sample(THINGS, 3)  # what a session is about
        for turn in range(1, TURNS + 1):
            yield _exchange(
                chance, things, f"s{number:04}", number, turn, at + timedelta(minutes=3 * turn)
            )


def _exchange(
    chance: random.Random, things: list[str], session: str, number: int, turn: int, at: datetime
) -> Exchange:
    request = _filled(chance, things, chance.choice(REQUESTS))
    if turn == 5 and number % 3 == 0:
        request += ". " + _filled(chance, things, chance.choice(CHANGES))
    spans = [Span("user", request, ref=str(turn))]
    commands = [chance.choice(COMMANDS) for _ in range(chance.randint(1, 4))]
    if turn == 9 and number % 10 == 0:
        commands = [*PROCEDURE]
    for command in commands:
        text = _filled(chance, things, command)
        output = "\n".join(
            _filled(chance, things, chance.choice(REPLIES)) for _ in range(chance.randint(1, 25))
        )
        spans.append(Span("tool", ref=str(turn), name="bash", input=text, output=output))
    told = " ".join(
        _filled(chance, things, chance.choice(REPLIES)) for _ in range(chance.randint(2, 6))
    )
    spans.append(Span("agent", told, ref=str(turn)))
    return Exchange(f"{session}/{turn}", session, "neutral", at, at, spans, "answered", turn=turn)


def _filled(chance: random.Random, things: list[str], template: str) -> str:
    thing = chance.choice(things)
    return template.format(
        thing=thing,
        other=chance.choice(things),
        act=chance.choice(ACTS),
        person=chance.choice(PEOPLE),
        n=chance.randint(2, 99),
        m=chance.randint(100, 9999),
        path=f"data/{thing}/{chance.randint(1, 40)}.csv",
        day=f"{chance.randint(1, 28)} October",
        hour=chance.randint(7, 22),
        minute=f"{chance.randint(0, 59):02}",
    )


if __name__ == "__main__":
    main()
