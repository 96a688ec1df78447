"""Transcripts are read on by position: cut, torn, rewritten, forked, huge, odd."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory_core.record import capture, sessions
from memory_core.record.reading import READERS
from memory_core.record.transcripts import lines
from memory_core.store.database import Database
from tests import stores
from tests.record.replay import RECORDED, WORKING, conversation, recorded, row, said, write

SLOW = settings(
    max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def take(database: Database, file: Path, session: str = "s", client: str = "claude-code") -> int:
    return capture.take_file(database, "ada", file, client, session)


def counts(database: Database, session: str = "s") -> dict[str, int]:
    with database.read() as stored:
        return sessions.counts(stored, session)


@SLOW
@given(data=st.data())
def test_a_file_that_grows_in_pieces_gives_what_the_whole_file_gives(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(["tool-use", "multi-turn-continue-resume-compact"]))
    whole = (RECORDED / "transcripts" / f"{name}.jsonl").read_bytes()
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=6)))
    with tempfile.TemporaryDirectory() as folder:
        file, store = Path(folder) / "t.jsonl", Database(stores.fresh(Path(folder) / "a.sqlite"))
        for end in [*cuts, len(whole)]:
            file.write_bytes(whole[:end])
            take(store, file)
        grown, grown_counts = recorded(store), counts(store)
        other = Database(stores.fresh(Path(folder) / "b.sqlite"))
        take(other, file)
        once, once_counts = recorded(other), counts(other)
        store.close()
        other.close()
        stores.give_back(store.url, other.url)
    for one in [*grown, *once]:
        one.sequence = 0
    assert grown == once
    assert grown_counts == once_counts


def test_a_cut_last_line_is_waited_for(tmp_path: Path, database: Database) -> None:
    file = write(tmp_path / "t.jsonl", conversation(1))
    more = json.dumps(conversation(1, first=1)[0]).encode()
    with file.open("ab") as out:
        out.write(more[:-20])
    take(database, file)
    assert len(said(database)) == 1 and "unreadable" not in counts(database)
    with file.open("ab") as out:
        out.write(more[-20:] + b"\n")
    take(database, file)
    assert [request for _, request, _ in said(database)] == ["request 0", "request 1"]


def test_odd_names_in_rows_hinder_nothing(tmp_path: Path, database: Database) -> None:
    rows = conversation(1)
    for one in rows:
        one |= {"uuid": "\ud800" + one["uuid"], "promptId": "\0", "cwd": "/a\0b", "sessionId": 7}
    rows += [row("user", 50, "next", uuid={"a": 1}), row("user", 60, None), row("user", 70, 5)]
    assert take(database, write(tmp_path / "t.jsonl", rows)) == 2
    assert [request for _, request, _ in said(database)] == ["request 0", "next"]


def test_a_row_behind_a_torn_one_is_read(tmp_path: Path, database: Database) -> None:
    """A client killed while it wrote goes on in the same line when it is resumed."""
    file = write(tmp_path / "t.jsonl", conversation(1))
    file.write_bytes(file.read_bytes()[:-50])
    write(file, conversation(2, first=1), append=True)
    take(database, file)
    assert [request for _, request, _ in said(database)] == ["request 0", "request 1", "request 2"]
    assert counts(database) == {"rows": 11, "unreadable": 1}


def test_a_last_line_that_is_whole_needs_no_newline(tmp_path: Path, database: Database) -> None:
    file = write(tmp_path / "t.jsonl", conversation(1))
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    take(database, file)
    assert said(database) == [("answered", "request 0", "reply 0")]


def test_unknown_rows_and_unreadable_lines_are_skipped_and_counted(
    tmp_path: Path, database: Database
) -> None:
    rows: list[Any] = conversation(2)
    rows[3:3] = [{"type": "new-invention", "message": {"role": "user", "content": "not said"}}]
    file = write(tmp_path / "t.jsonl", rows)
    broken = file.read_bytes().splitlines(keepends=True)
    broken[2:2] = [b"{not json}\n", b'["a list"]\n', b"\xff\xfe\x00\n", b"[" * 5000 + b"\n", b"\n"]
    file.write_bytes(b"".join(broken))
    take(database, file)
    assert [request for _, request, _ in said(database)] == ["request 0", "request 1"]
    assert counts(database) == {"rows": 13, "unreadable": 4, "unknown": 1}


def test_lone_surrogates_nul_and_invalid_escapes_are_stored_as_text(
    tmp_path: Path, database: Database
) -> None:
    file = tmp_path / "t.jsonl"
    rows = [
        row("user", 1, "a \ud800 b \x00 c"),
        row("assistant", 2, [{"type": "text", "text": "d"}]),
    ]
    file.write_bytes(b"".join(json.dumps(one).encode() + b"\n" for one in rows))
    with file.open("ab") as out:
        out.write(json.dumps(row("user", 3, "bad")).replace("bad", "b\\xd").encode() + b"\n")
        out.write(
            json.dumps(row("user", 4, "next")).replace("next", "n\xe9xt").encode("latin-1") + b"\n"
        )
    take(database, file)
    assert [one[1] for one in said(database)] == ["a \ufffd b \ufffd c", "n\ufffdxt"]
    assert counts(database)["unreadable"] == 1


@pytest.mark.parametrize("change", ["cut", "rewritten", "other file", "emptied", "deleted"])
def test_a_transcript_that_changes_under_us_loses_and_doubles_nothing(
    change: str, tmp_path: Path, database: Database
) -> None:
    file = write(tmp_path / "t.jsonl", conversation(5))
    take(database, file)
    before = said(database)
    if change == "cut":
        file.write_bytes(file.read_bytes()[:1500])
    elif change == "rewritten":
        write(file, conversation(5, text=" and more, so every position moves"))
    elif change == "other file":
        write(file, conversation(1, first=9))
    elif change == "emptied":
        file.write_bytes(b"")
    else:
        file.unlink()
    take(database, file)
    assert said(database)[:5] == before
    write(file, conversation(7))
    take(database, file)
    found = [request for _, request, _ in said(database)]
    assert len(found) == len(set(found))
    assert {f"request {turn}" for turn in range(7)} <= set(found)


def test_a_fork_stores_only_what_is_new_in_it(tmp_path: Path, database: Database) -> None:
    take(database, write(tmp_path / "a.jsonl", conversation(3)), "a")
    rows = [{**one, "sessionId": "b", "promptId": "p9"} for one in conversation(4)]
    take(database, write(tmp_path / "b.jsonl", rows), "b")
    assert len(said(database, "a")) == 3
    assert [request for _, request, _ in said(database, "b")] == ["request 3"]


def test_an_interrupt_a_queued_request_and_a_picture_are_understood(
    tmp_path: Path, database: Database
) -> None:
    queued = {"type": "attachment", "uuid": "q", "attachment": {
        "type": "queued_command", "prompt": "and be quick", "commandMode": "prompt"}}  # fmt: skip
    told = {**queued, "attachment": {**queued["attachment"], "commandMode": "task-notification"}}
    rows = [
        row("user", 1, "begin"), queued, told,
        row("assistant", 2, [{"type": "thinking", "thinking": "hm"},
                             {"type": "text", "text": "ok"}]),
        row("user", 3, [{"type": "text", "text": "[Request interrupted by user]"}]),
        row("user", 4, [{"type": "image", "source": {}}, {"type": "text", "text": "look"}]),
    ]  # fmt: skip
    take(database, write(tmp_path / "t.jsonl", rows))
    assert said(database) == [
        ("interrupted", "begin\n\nand be quick", "ok"),
        ("unanswered", "[image]\nlook", ""),
    ]


def test_a_large_output_is_cut_in_the_middle_and_its_size_kept(
    tmp_path: Path, database: Database
) -> None:
    long = "first " + "x y " * 2_000_000 + " last"
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}}
    rows = [
        row("user", 1, "go"),
        row("assistant", 2, [use]),
        row("user", 3, [{"type": "tool_result", "tool_use_id": "t", "content": long}]),
        row("assistant", 4, [{"type": "text", "text": "done"}]),
    ]
    take(database, write(tmp_path / "t.jsonl", rows))
    [one] = recorded(database)
    assert one.reply == "done"
    [call] = one.calls
    assert call.size == len(long)
    assert call.output.startswith("first x y") and call.output.endswith(" last")
    assert len(call.output) < 33_000 and "characters left out" in call.output


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells its peak on Linux")
def test_a_line_of_forty_megabytes_needs_less_than_two_hundred(tmp_path: Path, home: Path) -> None:
    use = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "make"}}
    log = "worker 17 took 212 ms for order 901223 — ok 🙂\n" * 400_000
    result = {"type": "tool_result", "tool_use_id": "t", "content": log}
    rows = [
        row("user", 1, "go"), row("assistant", 2, [use]),
        row("user", 3, [result], toolUseResult={"stdout": log}),
        row("assistant", 4, [{"type": "text", "text": "done"}]),
    ]  # fmt: skip
    file = write(tmp_path / "t.jsonl", rows)
    assert file.stat().st_size > 40_000_000
    code = (
        "import sys; from pathlib import Path; from memory_core.record import capture;"
        "from memory_core.store.database import Database;"
        "print(capture.take_file(Database(sys.argv[2]), 'u', Path(sys.argv[1]), 'claude-code',"
        " 's'), Path('/proc/self/status').read_text().split('VmHWM:')[1].split()[0])"
    )
    command = [sys.executable, "-I", "-c", code, str(file), stores.configured()]
    stored, kilobytes = subprocess.run(command, capture_output=True, check=True).stdout.split()
    assert int(stored) == 1 and int(kilobytes) < 200_000


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


KEYS = ["type", "uuid", "message", "attachment", "isMeta", "role", "tool", "turn", "text", "ts"]
WORDS = ["user", "assistant", "tool", "tool_use", "tool_result", "queued_command", "text", "image"]


@given(
    st.recursive(
        JSON | st.sampled_from(WORDS),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from([*KEYS, "content", "name", "input", "prompt"]), inner)
        ),
        max_leaves=15,
    ),
    st.sampled_from(["user", "assistant", "attachment", "tool"]),
)
@settings(deadline=None, max_examples=150)
def test_no_row_of_whatever_form_stops_a_reader(content: Any, kind: str) -> None:
    row = {
        "type": kind, "role": kind, "message": {"content": content}, "attachment": content,
        "tool": content, "uuid": content, "timestamp": content, "text": content,
    }  # fmt: skip
    for read in READERS.values():
        assert list(read(row))
        if isinstance(content, dict):
            list(read(content))


@given(
    value=st.dictionaries(st.text(max_size=5), JSON), ascii=st.booleans(), piece=st.integers(1, 40)
)
@settings(deadline=None, max_examples=60)
def test_shortening_changes_no_line_whose_strings_are_short(
    value: dict[str, Any], ascii: bool, piece: int
) -> None:
    raw = json.dumps(value, ensure_ascii=ascii).encode("utf-8", "surrogatepass") + b"\n"
    shortener = lines._Shortener()
    for at in range(0, len(raw), piece):
        shortener.feed(raw[at : at + piece])
    assert shortener.result() == raw


@given(
    text=st.text(alphabet='a"\\\n😀é漢', min_size=200, max_size=2000),
    piece=st.integers(8, 64),
)
@settings(deadline=None, max_examples=40)
def test_a_shortened_string_keeps_both_ends_and_the_line_its_form(text: str, piece: int) -> None:
    raw = json.dumps({"a": text, "b": "end"}).encode() + b"\n"
    before = lines.KEPT
    lines.KEPT = 64
    try:
        shortener = lines._Shortener()
        for at in range(0, len(raw), piece):
            shortener.feed(raw[at : at + piece])
        result = shortener.result()
    finally:
        lines.KEPT = before
    assert result is not None
    found = json.loads(result)
    assert found["b"] == "end"
    cut = lines.CUT.search(found["a"])
    if cut is None:
        assert found["a"] == text
    else:
        units = utf16(text)  # a pair of surrogates may be parted
        assert units.startswith(utf16(found["a"][: cut.start()])) and cut.start() > 0
        assert units.endswith(utf16(found["a"][cut.end() :]))


def utf16(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def test_a_long_line_reads_as_the_same_object(tmp_path: Path) -> None:
    short = b'{"type": "user", "n": 1}\n'
    long = json.dumps({"type": "user", "text": "é" * 3_000_000, "after": [1, 2]}).encode() + b"\n"
    found = list(lines.read(io.BytesIO(short + long + short)))
    assert [line.end for line in found] == [len(short), len(short + long), len(short * 2 + long)]
    assert found[1].row is not None and found[1].row["after"] == [1, 2]


def test_every_readable_row_of_the_working_transcripts_is_accounted_for(
    database: Database,
) -> None:
    gold = json.loads((WORKING / "gold.json").read_text("utf-8"))
    spans, rows = 0, 0
    for file in sorted((WORKING / "sessions").glob("*.jsonl")):
        take(database, file, file.stem, "neutral")
        found = counts(database, file.stem)
        rows += found.get("rows", 0)
        assert found.keys() <= {"rows"}
        spans += sum(len(one.spans) for one in recorded(database, file.stem))
    assert rows == spans == 417
    stored = json.dumps([span.as_json() for one in recorded(database) for span in one.spans])
    assert not [one["value"] for one in gold["secrets"] if one["value"] in stored]
    redacted = {one.session: one.redactions for one in recorded(database) if one.redactions}
    assert redacted == {"s03": {"key": 1}, "s12": {"password": 1}, "s19": {"password": 1}}


def test_what_tools_fetch_from_elsewhere_is_web(database: Database) -> None:
    for name in ("s09", "s13"):
        take(database, WORKING / "sessions" / f"{name}.jsonl", name, "neutral")
    found = {call.name for one in recorded(database) for call in one.calls if call.source == "web"}
    assert {"web_search", "web_fetch"} <= found
