"""Generated dialogues and agent notes from our own templates; seeded, no third-party text."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TEMPLATES: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "templates.json").read_text(encoding="utf-8")
)
STYLES = ("{name} ({date}): {text}", "{name}: {text}", "[{date}] {name}: {text}")
LICENCE = "CC0-1.0 (own work)"


@dataclass
class Asked:
    """A request, the turn that answers it (none: nothing does), its type and its key values."""

    text: str
    turn: int | None
    type: int
    keys: tuple[str, ...]


@dataclass
class Scene:
    """A dialogue or a set of notes, with the requests on it."""

    source: str
    turns: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)


def rows(scenes: int, seed: int = 11) -> Iterator[dict[str, Any]]:
    """Yield training groups in the form of the public file."""
    rng = random.Random(seed)
    for number in range(scenes):
        scene = dialogue(rng) if number % 2 else notes(rng)
        yield from _groups(scene, rng)
        yield _no_need(scene, rng)


def _groups(scene: Scene, rng: random.Random) -> Iterator[dict[str, Any]]:
    for asked in scene.asked:
        right = {a.turn for a in scene.asked if a.text == asked.text and a.turn is not None}
        like = [a.turn for a in scene.asked if a.type == asked.type and a.turn is not None]
        wrong = [t for t in dict.fromkeys(like) if t not in right][:3]
        rest = [t for t in range(len(scene.turns)) if t not in right and t not in wrong]
        wrong += rng.sample(rest, 7 - len(wrong))
        if asked.turn is None and right:
            continue
        answer = None if asked.turn is None else scene.turns[asked.turn]
        yield _row(scene.source, asked.text, answer, [scene.turns[t] for t in wrong])


def _row(source: str, text: str, answer: str | None, wrong: list[str]) -> dict[str, Any]:
    return {
        "q": text,
        "pos": answer,
        "negs": wrong,
        "source": source,
        "licence": LICENCE,
        "kind": "generated",
    }


def _no_need(scene: Scene, rng: random.Random) -> dict[str, Any]:
    text = rng.choice(TEMPLATES["no_need"])
    return _row("own prompts without need", text, None, rng.sample(scene.turns, 4))


def dialogue(rng: random.Random) -> Scene:
    """Two people tell each other some facts; some questions ask the wrong one."""
    scene = Scene("own synth dialogues")
    names, style = rng.sample(TEMPLATES["names"], 2), rng.choice(STYLES)
    types = rng.sample(range(len(TEMPLATES["facts"])), 22)
    told = [(names[0], t) for t in types[:14]] + [(names[1], t) for t in types[:6] + types[14:]]
    rng.shuffle(told)
    date = _date(rng)
    for name, number in told:
        other = names[1] if name == names[0] else names[0]
        date = _date(rng) if rng.random() < 0.25 else date
        if rng.random() < 0.6:
            scene.turns.append(style.format(name=other, date=date, text=_aside(name, rng)))
        knows = (other, number) in told
        _tell(scene, (name, other, style, date), number, knows, rng)
    return scene


def _tell(
    scene: Scene, who: tuple[str, str, str, str], number: int, knows: bool, rng: random.Random
) -> None:
    name, other, style, date = who
    fact, values = TEMPLATES["facts"][number], _values(rng)
    which = rng.randrange(len(fact["statements"]))
    statement = fact["statements"][which]
    opening = rng.choice(TEMPLATES["openings"]).format(O=other)
    ending = rng.choice(TEMPLATES["endings"]).format(O=other)
    text = opening + statement.format(**values) + ending
    scene.turns.append(style.format(name=name, date=date, text=text))
    fitting = [q["text"] for q in fact["questions"] if _fits(q, which, statement)]
    for question in rng.sample(fitting, min(2, len(fitting))):
        turn = len(scene.turns) - 1
        scene.asked.append(Asked(question.format(S=name, **values), turn, number, (name,)))
        if not knows and rng.random() < 0.5:
            wrong = question.format(S=other, **values)
            scene.asked.append(Asked(wrong, None, number, (other,)))


def _fits(question: dict[str, Any], which: int, statement: str) -> bool:
    text = question["text"]
    slots = [name for name in TEMPLATES["values"] if f"{{{name}}}" in text]
    timed = "{when}" in statement or "{fut}" in statement
    return (
        which in question["fits"]
        and all(f"{{{slot}" in statement for slot in slots)
        and (timed or "When" not in text)
        and ("{dur}" in statement or "How long" not in text)
    )


def _aside(name: str, rng: random.Random) -> str:
    if rng.random() < 0.5:
        return str(rng.choice(TEMPLATES["fillers"])).format(O=name)
    kind = rng.choice(["animal", "city", "instrument", "craft", "dish", "book", "biz", "sport"])
    topic = rng.choice(TEMPLATES["values"][kind]).removeprefix("a ").removeprefix("an ")
    return str(rng.choice(TEMPLATES["asks"])).format(O=name, topic=topic)


def _values(rng: random.Random) -> dict[str, str]:
    values = {name: rng.choice(known) for name, known in TEMPLATES["values"].items()}
    values |= {f"{name}_c": value[:1].upper() + value[1:] for name, value in values.items()}
    article = "an" if values["animal"][0] in "aeiou" else "a"
    return values | {"animal_a": f"{article} {values['animal']}", "rel_my": f"My {values['rel']}"}


def _date(rng: random.Random) -> str:
    clock = f"{rng.randint(1, 12)}:{rng.randint(0, 59):02d} {rng.choice(['am', 'pm'])}"
    day, month = rng.randint(1, 28), rng.choice(TEMPLATES["months"])
    return f"{clock} on {day} {month}, 20{rng.randint(19, 26)}"


def notes(rng: random.Random) -> Scene:
    """One-line notes of an agent with like names; some requests name what no note has."""
    scene = Scene("own synth notes")
    kinds = ("svc", "tool", "lang", "db", "env")
    few = {kind: rng.sample(TEMPLATES["note_values"][kind], 4) for kind in kinds}
    used: set[tuple[int, str]] = set()
    for _ in range(26):
        number = rng.randrange(len(TEMPLATES["note_types"]))
        values = _note_values(rng) | {kind: rng.choice(known) for kind, known in few.items()}
        if (number, values["svc"]) not in used:
            used.add((number, values["svc"]))
            _note_down(scene, number, values, few, rng)
    scene.turns += rng.sample(TEMPLATES["noise"], 4)
    return scene


def _note_down(
    scene: Scene,
    number: int,
    values: dict[str, str],
    few: dict[str, list[str]],
    rng: random.Random,
) -> None:
    known = TEMPLATES["note_types"][number]
    statement = rng.choice(known["statements"])
    scene.turns.append(rng.choice(["", "", "", "Note: ", "Memory: "]) + statement.format(**values))
    for request in rng.sample(known["requests"], min(2, len(known["requests"]))):
        needs = [name for name in values if f"{{{name}}}" in request]
        if not all(f"{{{name}}}" in statement for name in needs):
            continue
        turn = len(scene.turns) - 1
        scene.asked.append(Asked(request.format(**values), turn, number, tuple(needs)))
        foreign = [name for name in needs if name in few]
        if foreign and rng.random() < 0.25:
            name = rng.choice(foreign)
            others = [v for v in TEMPLATES["note_values"][name] if v not in few[name]]
            wrong = request.format(**(values | {name: rng.choice(others)}))
            scene.asked.append(Asked(wrong, None, number, ()))


def _note_values(rng: random.Random) -> dict[str, str]:
    values = {name: rng.choice(known) for name, known in TEMPLATES["note_values"].items()}
    flags = "no fast skip cache dry strict retry batch legacy cold plan sync force local trace"
    parts = "APP DB CACHE TOKEN URL MAX RETRY LEVEL MODE TTL SECRET POOL"
    folders, files = "srv opt etc var data build tools scripts conf", "run.sh config.toml seed.sql"
    host = f"{rng.choice(['db', 'app', 'cache', 'edge', 'node'])}-{rng.randint(1, 40):02d}"
    return values | {
        "who": rng.choice(TEMPLATES["names"]),
        "city": rng.choice(TEMPLATES["values"]["city"]),
        "food": rng.choice(TEMPLATES["values"]["food"]),
        "host": f"{host}.{rng.choice(['internal', 'corp', 'lan', 'local'])}",
        "port": str(rng.randint(1025, 65_000)),
        "code": rng.choice(["E", "ERR_", "X", "SVC-", "0x"]) + str(rng.randint(100, 9_999)),
        "flag": "--" + "-".join(rng.sample(flags.split(), 2)),
        "ver": f"{rng.randint(0, 9)}.{rng.randint(0, 30)}.{rng.randint(0, 12)}",
        "pr": f"#{rng.randint(100, 9_000)}",
        "var": "_".join(rng.sample(parts.split(), 3)),
        "path": "/".join(["", *rng.sample(folders.split(), 2), rng.choice(files.split())]),
        "hour": f"{rng.randint(6, 22)}:{rng.choice(['00', '15', '30', '45'])}",
    }
