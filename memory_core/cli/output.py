"""What commands print: JSON for programs, plain lines for people."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def print_json(value: Any) -> None:
    """Print one JSON document; non-ASCII stays readable."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))
