"""An agent's CLI as the model: real child processes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from memory_core.errors import ModelRefused, ModelUnavailable, ReplyRefused
from memory_core.settings import Settings, load
from memory_core.store.database import Database
from tests.llm.conftest import GOOD, Ask, calls


def settings(folder: Path, code: str, **changes: object) -> Settings:
    script = folder / "agent.py"
    script.write_text(f"import sys, os, json, pathlib, subprocess, time\n{code}\n", "utf-8")
    return load(llm_model=f"command:{sys.executable} '{script}' -p", **changes)


def test_the_prompt_goes_in_and_the_reply_comes_out(
    ask: Ask, tmp_path: Path, database: Database
) -> None:
    heard = tmp_path / "heard"
    code = f"""
pathlib.Path({str(heard)!r}).write_text(sys.stdin.read())
assert os.listdir() == []
print("Sure!", json.dumps({GOOD!r}))"""
    assert ask(settings(tmp_path, code), talk="Grüße aus Tromsø").facts == GOOD["facts"]
    assert "Find facts." in heard.read_text() and "Grüße aus Tromsø" in heard.read_text()
    (row,) = calls(database)
    assert row.tokens_in > 100 and row.tokens_out > 5 and row.usd is None
    assert row.model == f"command:{sys.executable}"


def test_our_own_hooks_do_nothing_in_the_child(ask: Ask, tmp_path: Path, home: Path) -> None:
    heard = tmp_path / "heard"
    code = f"""
sys.stdin.read()
said = []
for event, name in (("UserPromptSubmit", "front"), ("Stop", "back"), ("SessionEnd", "session-end")):
    payload = dict(session_id="child", cwd=os.getcwd(), prompt="hi", hook_event_name=event,
        transcript_path={str(tmp_path / "t.jsonl")!r}, last_assistant_message="done")
    done = subprocess.run([sys.executable, "-m", "memory_core.hooks.main", name],
        input=json.dumps(payload).encode(), capture_output=True)
    said.append([done.returncode, done.stdout.decode()])
pathlib.Path({str(heard)!r}).write_text(json.dumps(said))
print(json.dumps({GOOD!r}))"""
    before = sorted(home.rglob("*"))
    ask(settings(tmp_path, code))
    assert json.loads(heard.read_text()) == [[0, ""]] * 3
    assert [file for file in sorted(home.rglob("*")) if file not in before and spooled(file)] == []


def spooled(file: Path) -> bool:
    return not file.name.startswith("wellkept.sqlite")


def test_a_child_of_the_child_ends_with_it(ask: Ask, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    code = f"""
subprocess.Popen([sys.executable, "-c",
    "import time, pathlib; time.sleep(2); pathlib.Path({str(mark)!r}).touch()"])
print(json.dumps({GOOD!r}))
sys.stdout.flush(); sys.stdout.close(); os.close(1); os.close(2); time.sleep(0.2); os._exit(0)"""
    with pytest.raises(ModelUnavailable):
        ask(settings(tmp_path, code, llm_timeout_s=1))
    assert not mark.exists()


@pytest.mark.parametrize(
    ("code", "error", "told"),
    [
        ("sys.exit('Invalid API key. Please run /login')", ModelRefused, "log in"),
        ("sys.exit('Credit balance is too low')", ModelRefused, "balance"),
        ("sys.exit('API Error: 529 overloaded')", ModelUnavailable, "later"),
        ("sys.exit('Traceback: boom')", ModelRefused, "by hand"),
        ("time.sleep(30)", ModelUnavailable, "within 1 s"),
        ("print('Invalid API key · Please run /login')", ReplyRefused, "no JSON"),
    ],
)
def test_a_command_that_fails_gives_an_error_and_never_a_fact(
    code: str, error: type[Exception], told: str, ask: Ask, tmp_path: Path
) -> None:
    with pytest.raises(error, match=told):
        ask(settings(tmp_path, code, llm_timeout_s=1 if "sleep" in code else 60))


def test_a_command_that_is_not_there_is_named(ask: Ask) -> None:
    for model in ("command:no-such-agent -p", "command:", "command:'a"):
        with pytest.raises(ModelRefused, match="llm_model"):
            ask(load(llm_model=model))
