"""Many processes write to one bank at once, and nothing is lost or doubled."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

from sqlmodel import select

from memory_core.banks.banks import Banks
from memory_core.banks.context import Context
from memory_core.banks.row import restored
from memory_core.store.tables import LedgerRow
from tests.banks.conftest import BY, draft

PROCESSES, WRITES, KEYS = 4, 200, 6

WRITER = """
import sys
from memory_core.banks.bank import parse_bank_id
from memory_core.banks.banks import Banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.store.database import Database

url, bank, name, writes, keys = sys.argv[1:]
banks = Banks(Database(url))
for number in range(int(writes)):
    key = f"common-{number % 3}" if number % 10 == 0 else f"{name}-{number % int(keys)}"
    draft = Draft(key, f"{name} {number}", f"{name} wrote {number}")
    banks.remember(parse_bank_id(bank), draft, By(name))
"""

ADDER = """
import sys
from memory_core.banks.bank import parse_bank_id
from memory_core.banks.banks import Banks
from memory_core.banks.memory import Draft
from memory_core.banks.writer import By
from memory_core.store.database import Database

url, bank = sys.argv[1:]
banks = Banks(Database(url))
print(len(banks.held([parse_bank_id(bank)])), flush=True)
sys.stdin.readline()
for number in range(5):
    banks.remember(parse_bank_id(bank), Draft(f"added-{number}", "d", "c"), By("A"))
"""


def test_four_processes_lose_and_double_nothing(banks: Banks, ada: Context, tmp_path: Path) -> None:
    mine, script = ada.bank("private"), tmp_path / "writer.py"
    script.write_text(WRITER)
    command = [sys.executable, str(script), banks.database.url, str(mine)]
    running = [
        subprocess.Popen([*command, f"p{n}", str(WRITES), str(KEYS)]) for n in range(PROCESSES)
    ]
    assert [process.wait(100) for process in running] == [0] * PROCESSES
    with banks.database.read() as session:
        rows = session.exec(select(LedgerRow).order_by(LedgerRow.id)).all()  # type: ignore
    assert Counter(row.actor for row in rows) == {f"p{n}": WRITES for n in range(PROCESSES)}
    wrote = {(row.after or {})["content"] for row in rows}
    assert len(wrote) == PROCESSES * WRITES
    last: dict[str, str] = {}
    for row in rows:
        before, after = restored(row.before), restored(row.after)
        assert (before.content if before else None) == last.get(row.target)
        assert after
        last[row.target] = after.content
    held = banks.held([mine])
    assert {memory.id: memory.content for memory in held} == last
    assert len(held) == PROCESSES * KEYS + 3


def test_five_additions_and_a_rewrite_by_two_holders_of_a_bank_are_all_there(
    banks: Banks, ada: Context, tmp_path: Path
) -> None:
    shared, script = ada.bank("shared"), tmp_path / "adder.py"
    banks.remember(shared, draft("old", content="as it was"), BY)
    script.write_text(ADDER)
    adder = subprocess.Popen(
        [sys.executable, str(script), banks.database.url, str(shared)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert adder.stdout
    assert adder.stdout.readline() == "1\n"  # both hold the bank now
    banks.remember(shared, draft("old", content="rewritten"), BY)
    adder.communicate("go\n", timeout=60)
    held = {memory.key: memory.content for memory in banks.held([shared])}
    assert held == {"old": "rewritten"} | {f"added-{n}": "c" for n in range(5)}
