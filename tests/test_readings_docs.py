"""The page about the readings: its commands run as they stand, and it names every exit code."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

from memory_core.readings import faults
from tests.cli.person import wellkept
from tests.warm import Warm

PAGE = (Path(__file__).parents[1] / "docs" / "readings.md").read_text("utf-8")


def commands() -> list[list[str]]:
    blocks = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("$ ")]
    return [shlex.split(line.removeprefix("$ ")) for line in lines]


def test_the_page_s_commands_do_what_it_says(warm: Warm, tmp_path: Path) -> None:
    said = {}
    for words in commands():
        run = wellkept(*words[1:]) if words[0] == "wellkept" else words
        run = [word.replace("~/.wellkept", str(warm.home)) for word in run]
        if shutil.which(run[0]) is None:
            continue  # a machine without curl
        done = subprocess.run(
            run, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        said[" ".join(words[:2])] = done.stdout
    assert "clearance" in said["wellkept status"] and (tmp_path / "memory.html").exists()
    for name in ("wellkept metrics", "curl --silent"):
        for metric in re.findall(r"`(wellkept_\w+)", PAGE) if name in said else ():
            if metric not in ("wellkept_benchmark_score", "wellkept_routine_last_run_failed"):
                assert metric.removesuffix("_total") in said[name], metric


def test_the_page_names_the_exit_codes_and_the_levels() -> None:
    for code in (faults.DOWN, faults.PERSON):
        assert f"| {code} |" in PAGE
