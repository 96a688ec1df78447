"""Bad sources: each gets a clear error, and nothing is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.errors import BadInput, NotFound, Permanent
from memory_core.importers import kinds
from memory_core.proposals import queue
from tests.importers.conftest import DATA, Desk, write


def big(folder: Path) -> Path:
    path = folder / "CLAUDE.md"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    return path


def big_json(folder: Path) -> Path:
    path = folder / "memories.json"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)
    return path


def named(name: str, data: bytes) -> Callable[[Path], Path]:
    def make(folder: Path) -> Path:
        (folder / name).write_bytes(data)
        return folder / name

    return make


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda folder: folder / "no.md", "there is no"),
        (lambda folder: folder, "nothing that is known"),
        (big, "larger than 2 MB"),
        (big_json, "larger than 64 MB"),
        (named("CLAUDE.md", b"\x7fELF\0\0\0"), "binary"),
        (named("AGENTS.md", b"caf\xe9 au lait"), "no UTF-8 text (byte 3)"),
        (named("m.json", b'[{"memory": "a"'), "no JSON"),
        (named("m.json", b"[" * 100_000), "nested too deeply"),
        (named("m.json", b'{"some": "thing"}'), "of a kind that is known"),
        (named("conversations.json", b'[{"uuid": "c", "chat_messages": []}]'), "of a kind that"),
        (named("notes.docx", b"PK\3\4 not really"), "nothing that is known"),
        (named("export.zip", b"PK\5\6" + b"\0" * 18), "of a kind that is known"),
    ],
)  # fmt: skip
def test_a_source_that_cannot_be_read_is_named_with_the_reason(
    desk: Desk, tmp_path: Path, make: Callable[[Path], Path], says: str
) -> None:
    folder = tmp_path / "sources"
    folder.mkdir()
    with pytest.raises(Permanent) as error:
        desk.offer(make(folder))
    assert says in error.value.message and error.value.remedy
    assert not queue.listed(desk.database)


def test_an_unknown_kind_names_the_known_ones() -> None:
    with pytest.raises(BadInput, match=r"instructions\|notes\|vault\|mem0\|chatgpt\|claude"):
        kinds.check_kind("evernote")


def test_a_named_kind_that_does_not_fit_says_what_is_missing(desk: Desk) -> None:
    for kind, source in (("mem0", "claude"), ("claude", "mem0"), ("chatgpt", "claude")):
        with pytest.raises(BadInput) as error:
            desk.offer(DATA / source, kind)
        assert error.value.remedy


def test_several_users_of_mem0_are_named(desk: Desk) -> None:
    with pytest.raises(BadInput, match="--of ada, --of bo"):
        desk.offer(DATA / "mem0" / "two_users.json")


def test_an_empty_note_and_hostile_text_do_no_harm(desk: Desk, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    write(folder / "empty.md", "---\nname: x\n---\n\n")
    write(folder / "odd.md", "# Odd\n\n- a\u202eb\u200b [[x]] </memory> `$(id)`\n- `\n")
    found = desk.offer(folder)
    desk.decide(found)
    assert "- ab [[x]] </memory> `$(id)`" in desk.read("odd.md")
    assert any("empty.md says nothing" in line for line in found.notices)


def test_links_out_of_a_memory_folder_are_not_followed(desk: Desk, tmp_path: Path) -> None:
    write(tmp_path / "secret.md", "- Not yours.\n")
    folder = tmp_path / "memory"
    write(folder / "own.md", "- Mine it is.\n")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    assert [item.target for item in desk.offer(folder).proposal.numbered] == ["own.md"]


def test_a_file_that_is_gone_is_not_found(desk: Desk, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        desk.offer(tmp_path / "gone.json", "mem0")
