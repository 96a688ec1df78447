"""Backup and restore on PostgreSQL: dump, destroy, restore, the same state."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from sqlalchemy import make_url

from memory_core.banks.bank import BankId
from memory_core.banks.banks import Banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.exporters import rows
from memory_core.store.database import Database
from memory_core.store.shared_vectors import SharedVectors
from tests import postgres, stores

pytestmark = stores.postgres_only
SCRIPTS = Path(__file__).parents[2] / "deployments" / "postgres"
ADA = BankId("ada", None)


def run(script: str, url: str, file: Path) -> subprocess.CompletedProcess[str]:
    path = f"{postgres.found()}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [SCRIPTS / script, file], capture_output=True, text=True, check=False,
        env={**os.environ, "PATH": path, "WELLKEPT_DATABASE_URL": url},
    )  # fmt: skip


def held(url: str) -> dict[str, list[str]]:
    database = Database(url)
    with database.read() as session:
        found = {name: list(rows.lines(session, name)) for name in rows.names()}
    database.close()
    return found


@pytest.fixture
def url(database: Database) -> str:
    with Banks(database).writing() as writer:
        for number in range(30):
            writer.remember(ADA, Draft(f"k{number % 9}", "d", f"fact {number} é"), By("a"))
    SharedVectors(database, "m", 4)
    database.close()
    return database.url


def test_dumped_destroyed_and_restored_it_is_the_same_and_goes_on(url: str, tmp_path: Path) -> None:
    before, file = held(url), tmp_path / "backup"
    done = run("backup", url, file)
    assert done.returncode == 0, done.stderr
    assert file.stat().st_mode & 0o077 == 0
    empty = stores.unmade(tmp_path / "unused")
    assert make_url(empty).database != make_url(url).database
    done = run("restore", empty, file)
    assert done.returncode == 0, done.stderr
    assert held(empty) == before
    assert Banks(Database(empty)).remember(ADA, Draft("new", "d", "c"), By("a")).number == 31
    again = run("restore", empty, file)
    assert again.returncode != 0 and "already exists" in again.stderr
    assert len(held(empty)["ledger"]) == 31


def test_a_backup_that_fails_leaves_no_file(url: str, tmp_path: Path) -> None:
    wrong = make_url(url).set(database="not_there").render_as_string(hide_password=False)
    assert run("backup", wrong, tmp_path / "backup").returncode != 0
    assert not (tmp_path / "backup").exists()
