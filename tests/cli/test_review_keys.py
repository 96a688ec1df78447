"""Keys have names, whatever pieces they arrive in; a paste is one key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_core.cli.review.keys import Decoder

TYPED = [
    (b"y", ["y"]), (b"\r", ["enter"]), (b"\n", ["enter"]), (b"\x03", ["interrupt"]),
    (b"\x1b[A", ["up"]), (b"\x1bOB", ["down"]), (b"\x1b[5~", ["page up"]), (b"\x7f", ["backspace"]),
    ("å日👍".encode(), ["å", "日", "👍"]), (b"\x1b[6~y", ["page down", "y"]),
    (b"\x1b[200~yes\ra N\x1b[201~n", ["paste yes\ra N", "n"]),
    (b"\x1b[1;5C", []), (b"\x1bx", []), (b"\x00", []), (b"\xff\xfe", []),
]  # fmt: skip


@pytest.mark.parametrize(("data", "keys"), TYPED)
def test_what_is_typed_has_a_name(data: bytes, keys: list[str]) -> None:
    assert Decoder().feed(data, final=True) == keys


@given(st.lists(st.sampled_from(TYPED[:-1]), max_size=8), st.integers(1, 5))
def test_it_is_the_same_in_pieces_of_any_size(
    typed: list[tuple[bytes, list[str]]], size: int
) -> None:
    data, decoder = b"".join(data for data, _ in typed), Decoder()
    found = [key for at in range(0, len(data), size) for key in decoder.feed(data[at : at + size])]
    assert found == [key for _, keys in typed for key in keys]
    assert not decoder.waits


@given(st.binary(max_size=40))
def test_no_bytes_stop_it(data: bytes) -> None:
    decoder = Decoder()
    decoder.feed(data)
    assert decoder.feed(b"", final=True) is not None


def test_the_escape_key_alone_is_told_from_a_sequence_by_what_follows() -> None:
    decoder = Decoder()
    assert decoder.feed(b"\x1b") == [] and decoder.waits
    assert decoder.feed(b"", final=True) == ["escape"]
    assert decoder.feed(b"\x1b") == []
    assert decoder.feed(b"[A") == ["up"]
