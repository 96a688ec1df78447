"""A small vault with its test: notes of a workshop, questions that they answer, nonsense."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from memory_core.benchmark.questions import FOLDER
from memory_core.vault.note import Note, parse

NOTES = {
    "kiln.md": """---
key: kiln
description: How the pottery kiln is fired
updated: 2026-01-02
---

- The bisque firing ends at 1000 degrees and is held for ten minutes.
- The glaze firing ends at 1220 degrees; open the lid below 90 degrees only.
""",
    "bees.md": """---
key: bees
description: What the beehives need over the year
updated: 2026-01-03
---

- The hives get 12 kg of sugar each before the first of October.
- Varroa is treated with oxalic acid in the broodless week of December.
""",
    "boat.md": """---
key: boat
description: Laying up the sailing boat for the winter
updated: 2026-01-04
---

- The outboard motor is flushed with fresh water for five minutes.
- The mast goes into the shed of the club, rack number 7.
""",
    "bread.md": """---
key: bread
description: Sourdough bread
updated: 2026-01-05
---

- The dough rests overnight in the fridge at four degrees.
""",
    "bike.md": """---
key: bike
description: The touring bike
updated: 2026-01-06
---

- Tyres are pumped to 4.5 bar, the chain is waxed every 300 km.
""",
    "choir.md": """---
key: choir
description: When the choir rehearses
updated: 2026-01-07
---

- Rehearsals are on Tuesdays at 19:30 in the parish hall.
""",
    "MEMORY.md": """# Memory

- Ask me before anything is deleted.
- Delete nothing without asking me.
""",
}
REPEATED = "- Delete nothing without asking me."  # what the line before says already
QUESTIONS = (
    ("w001", "how hot does the bisque firing get?", "kiln.md", "ends at 1000 degrees"),
    ("w002", "how much sugar does a hive get for the winter?", "bees.md", "12 kg of sugar each"),
    ("w003", "where is the mast stored?", "boat.md", "rack number 7"),
    ("w004", "which train goes to the airport on Sundays?", None, None),
)
FLOOR = -1000.0  # under which no passage of this vault scores


def row(id: str, query: str, note: str | None, point: str | None, name: str = "working") -> str:
    """One line of a set."""
    kind = "direct" if note else "nonsense"
    document = {
        "id": id, "query": query, "note": note, "answer_point": point, "kind": kind, "set": name,
    }  # fmt: skip
    return json.dumps(document, ensure_ascii=False)


def lay(root: Path, notes: Mapping[str, str] = NOTES) -> Path:
    """Write the vault and its working set."""
    root.mkdir(exist_ok=True)
    for file, text in notes.items():
        (root / file).write_text(text, "utf-8")
    folder = root / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{row(*one)}\n" for one in QUESTIONS)
    (folder / "working.jsonl").write_text(lines, "utf-8")
    return root


def notes() -> list[Note]:
    """The notes, parsed; the always-loaded file is none."""
    return [parse(text, file) for file, text in NOTES.items() if file != "MEMORY.md"]
