"""Secrets are removed before anything is stored, look-alikes stay."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_core import redaction
from memory_core.record import capture
from memory_core.record.redact import Redactor, redacted
from memory_core.store.database import Database
from tests.record.replay import DATA, recorded, row, write

CORPUS = [
    json.loads(line.replace("¦", ""))
    for line in (DATA / "redaction" / "corpus.jsonl").read_text("utf-8").splitlines()
]
PLAIN = [case["text"] for case in CORPUS if not case["secrets"]]
SECRETS = [case for case in CORPUS if case["secrets"]]


def test_nearly_every_secret_of_the_corpus_is_caught() -> None:
    values = [(case["text"], value) for case in SECRETS for value in case["secrets"]]
    missed = [value for text, value in values if value in redacted(text)]
    assert len(values) > 130 and len(missed) <= len(values) // 50, missed


@pytest.mark.parametrize("text", PLAIN)
def test_a_look_alike_stays(text: str) -> None:
    assert redacted(text) == text


def test_none_of_the_secrets_in_unusual_dress_is_missed() -> None:
    lines = (DATA / "redaction" / "hard.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line.replace("¦", "")) for line in lines]
    missed = [c["text"] for c in cases if any(v in redacted(c["text"]) for v in c["secrets"])]
    wrongly = [c["text"] for c in cases if not c["secrets"] and redacted(c["text"]) != c["text"]]
    assert len(cases) > 100 and not missed and not wrongly


def test_the_kinds_of_secrets_in_a_text_are_named_once_each() -> None:
    token = "ghp" + "_x7KqL2mZvR9tYw4NsBcD1fHjU5eAaXo3iTqV"
    assert redaction.kinds(f"password: Gran77bar, {token}, pwd=Gran78bar") == (
        "password",
        "github token",
    )
    assert redaction.kinds("the token expired, ask for a new password") == ()


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "\x1b[32mpassword\x1b[0m: Ans1Pw991 ok",
            "\x1b[32mpassword\x1b[0m: [redacted: password] ok",
        ),
        ("**Password:** `Mdp4ss99x`", "**Password:** `[redacted: password]`"),
        ("パスワードは「Himitsu77x」です", "パスワードは「[redacted: password]」です"),
    ],
)
def test_what_stands_around_a_secret_stays(text: str, left: str) -> None:
    assert redacted(text) == left


def test_a_token_broken_by_a_line_end_goes_whole_and_the_next_line_stays() -> None:
    token = "ghp" + "_x7KqL2mZvR9tYw4N\nsBcD1fHjU5eAaXo3iTqV"
    assert redacted(f"use {token}\nB2c next") == "use [redacted: github token]\nB2c next"


def test_the_marker_names_the_kind() -> None:
    assert redacted("export PGPASSWORD=hunter2") == "export PGPASSWORD=[redacted: password]"
    assert redacted("ghp" + "_x7KqL2mZvR9tYw4NsBcD1fHjU5eAaXo3iTqV") == "[redacted: github token]"
    assert redacted("api_key: 9f8e7d6c5b4a") == "api_key: [redacted: key]"
    assert "[redacted: private key]" in redacted(
        "-----BEGIN " + "PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----"
    )


@given(st.lists(st.sampled_from([case["text"] for case in CORPUS]), max_size=4), st.text())
@settings(max_examples=60, deadline=None)
def test_redacting_twice_is_redacting_once(texts: list[str], between: str) -> None:
    once = redacted(between.join(texts))
    assert redacted(once) == once


@given(st.text(alphabet=st.characters(), max_size=400))
@settings(max_examples=60, deadline=None)
def test_any_text_can_be_redacted_and_loses_only_what_was_found(text: str) -> None:
    places = redaction.found(text)
    assert places == redaction.merged(places)
    left = text
    for start, end, _ in reversed(places):
        left = left[:start] + left[end:]
    assert redaction.MARKER.sub("", redaction.redacted(text)) == redaction.MARKER.sub("", left)


def test_a_value_found_once_goes_wherever_else_it_stands() -> None:
    together = Redactor()
    first = together.redacted("PLK_API_KEY=plk-7f3a91c2-kx")
    second = together.swept(together.redacted("the output shows plk-7f3a91c2-kx in clear text"))
    assert first == "PLK_API_KEY=[redacted: key]"
    assert second == "the output shows [redacted: key] in clear text"
    assert together.kinds == {"key": 2}


def test_secrets_in_requests_inputs_outputs_and_replies_never_reach_the_database(
    tmp_path: Path, database: Database, home: Path
) -> None:
    rows = [
        row("user", 1, "use ghp" + "_x7KqL2mZvR9tYw4NsBcD1fHjU5eAaXo3iTqV please"),
        row("assistant", 2, [{"type": "tool_use", "id": "t", "name": "Bash",
                              "input": {"command": "PGPASSWORD=hunter2-a psql"}}]),
        row("user", 3, [{"type": "tool_result", "tool_use_id": "t",
                         "content": "AKIAIOSFODNN7EXAMPLE\nDSN=postgres://a:blomst-99@db/x"}],
            toolUseResult={"stdout": "DSN=postgres://a:blomst-99@db/x"}),
        row("assistant", 4, [{"type": "text", "text": "It holds hunter2-a and blomst-99."}]),
    ]  # fmt: skip
    file = write(tmp_path / "t.jsonl", rows)
    capture.take_file(database, "ada", file, "claude-code", "s")
    [one] = recorded(database)
    assert one.reply == "It holds [redacted: password] and [redacted: password]."
    assert one.redactions == {"github token": 1, "password": 4}
    assert "AKIAIOSFODNN7EXAMPLE" in one.calls[0].output
    database.close()
    stored = b"".join(part.read_bytes() for part in home.iterdir() if part.is_file())
    assert not [word for word in (b"x7KqL2mZvR9t", b"hunter2-a", b"blomst-99") if word in stored]


def test_a_secret_at_the_place_of_a_cut_is_gone_as_well(tmp_path: Path, database: Database) -> None:
    secret = "ghp" + "_x7KqL2mZvR9tYw4NsBcD1fHjU5eAaXo3iTqV"
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "cat log"}}
    for at, where in enumerate((15_985, 19_990, 40_000)):
        text = "a " * (where // 2) + secret + " b" * 30_000
        rows = [
            row("user", at * 10 + 1, "go"),
            row("assistant", at * 10 + 2, [use]),
            row(
                "user", at * 10 + 3, [{"type": "tool_result", "tool_use_id": "t", "content": text}]
            ),
            row("assistant", at * 10 + 4, [{"type": "text", "text": "ok"}]),
        ]
        file = write(tmp_path / f"{at}.jsonl", rows)
        capture.take_file(database, "ada", file, "claude-code", str(at))
    outputs = [one.calls[0].output for one in recorded(database)]
    assert len(outputs) == 3
    assert not [output for output in outputs if "x7Kq" in output or "ghp" in output]
