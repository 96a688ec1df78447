"""`make bench`: every benchmark in turn, quickest first; `python -m benchmarks.NAME` runs one."""

from __future__ import annotations

import runpy
import sys

NAMES = ("review", "banks", "hook", "approval", "scale", "record", "dream")


def main() -> None:
    """Run each as if it were called alone, with its defaults."""
    for name in NAMES:
        print(f"\n## {name}\n", flush=True)
        sys.argv = [f"benchmarks.{name}"]
        runpy.run_module(f"benchmarks.{name}", run_name="__main__")


if __name__ == "__main__":
    main()
