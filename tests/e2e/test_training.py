"""Every training command runs, one after the other, each on what the one before it left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from memory_core.recall import shipped

pytestmark = pytest.mark.e2e
PROJECT = Path(__file__).parents[2]
WANTED_SECONDS = 120  # on two free cores; a busy machine is given longer before it is given up


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def _run(work: Path, module: str, *arguments: str | Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", f"training.{module}", *map(str, arguments)],
        cwd=PROJECT, env={**os.environ, "TRAINING_WORK": str(work)},
        capture_output=True, text=True, timeout=WANTED_SECONDS * 4, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _wheel_of_translations(folder: Path) -> Path:
    """A package with one German catalog of two messages, as `msgfmt` would make it."""
    import struct

    pairs = [(b"", b"Content-Type: text/plain; charset=UTF-8\n")]
    pairs += [(b"Delete the page", "Die Seite löschen".encode())]
    pairs += [(b"Restore %(name)s", b"%(name)s wiederherstellen")]
    strings, table, at = b"", [], 28 + 16 * len(pairs)
    for column in (0, 1):
        for pair in pairs:
            table += [len(pair[column]), at + len(strings)]
            strings += pair[column] + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(pairs), 28, 28 + 8 * len(pairs), 0, 0)
    folder.mkdir()
    with zipfile.ZipFile(folder / "shop-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr(
            "shop/locale/de/LC_MESSAGES/shop.mo", head + struct.pack("<12I", *table) + strings
        )
        wheel.writestr("shop-1.0.dist-info/METADATA", "License-Expression: MIT\n")
    return folder


@pytest.mark.timeout(900)
def test_training_runs_from_the_data_to_a_model_that_loads(work: Path, tmp_path: Path) -> None:
    catalogs = _wheel_of_translations(tmp_path / "wheels")
    assert "catalog shop de [MIT]" in _run(work, "build", "--smoke", "--catalogs", catalogs)
    packed = {}
    for name in ("embedder", "reranker"):
        _run(work, name, "--smoke", "--init", getattr(shipped, name.upper()))
        packed[name] = tmp_path / f"{name}.int4.safetensors"
        said = _run(work, "pack", work / f"{name}.pt", packed[name], "--name", f"own-{name}")
        assert "revision" in said
    both = ["--embedder", packed["embedder"], "--reranker", packed["reranker"]]
    _run(work, "judge", "--smoke", *both, "--out", tmp_path / "judge.json")
    judge = json.loads((tmp_path / "judge.json").read_text("utf-8"))
    assert all(weight >= 0 for weight in judge["weights"])
    assert judge["absent"].keys() == {"logit", "cosine"}
    said = _run(work, "evaluate", "--smoke", *both, "--judge", tmp_path / "judge.json")
    found = json.loads(said.partition("dev ")[2])
    assert 0 < found["judge"]["hit@3"] <= 1


@pytest.mark.timeout(300)
def test_training_on_no_notes_is_refused(work: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "training.build", "--smoke", "--notes", str(tmp_path)],
        cwd=PROJECT, env={**os.environ, "TRAINING_WORK": str(work)},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert f"no notes in {tmp_path}" in done.stderr
    assert "Traceback" not in done.stderr
