"""The page: a template that escapes everything, its own style and no script.

Notes' names, findings and subjects are data somebody wrote: each is shown as one line with
what does not print made visible, and none can end its cell. Held-out questions are not here
to be shown: the page gets scores alone.
"""

from __future__ import annotations

import base64
import hashlib
from importlib.metadata import version
from pathlib import Path

from memory_core.cli.report import charts, tables
from memory_core.cli.report.gathered import Gathered
from memory_core.cli.report.writing import MARK
from memory_core.cli.review import told

_FOLDER = Path(__file__).parent
_MARKS = {"down": "Memory does not answer:", "person": "Needs you:", "notice": "Note:"}


def render(gathered: Gathered) -> str:
    """The whole document."""
    from jinja2 import Environment
    from markupsafe import Markup

    style = (_FOLDER / "page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    environment = Environment(autoescape=True, trim_blocks=False)
    environment.filters["line"] = lambda value: told.line(str(value))
    template = environment.from_string((_FOLDER / "page.html").read_text("utf-8"))
    document = gathered.status
    return MARK + template.render(
        style=Markup(style),
        style_hash=f"sha256-{digest}",
        version=version("wellkept"),
        made=f"{gathered.made.astimezone():%Y-%m-%d %H:%M}",
        place=document["place"],
        problems=[one | {"mark": _MARKS[one["level"]]} for one in document["problems"]],
        tiles=tables.tiles(document),
        charts=[charts.scores(gathered), charts.clearance(gathered), charts.latency(gathered)],
        findings=tables.findings(gathered.findings),
        findings_lead=tables.findings_lead(gathered.findings),
        waiting=tables.waiting(document["proposals"]),
        runs=tables.runs(document["proposals"]),
        carry=tables.carry(document["carry"]),
        tokens=document["tokens"],
        banks=tables.banks(document["banks"]),
    )
