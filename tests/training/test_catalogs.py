"""Translations of packages become training rows with source and licence."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path

from training.catalogs import rows

HEAD = (b"", b"Content-Type: text/plain; charset=UTF-8\n")


def _catalog(*pairs: tuple[str, str]) -> bytes:
    """A gettext catalog as `msgfmt` makes it."""
    coded = [HEAD, *((a.encode(), b.encode()) for a, b in sorted(pairs))]
    strings, table, at = b"", b"", 28 + 16 * len(coded)
    for column in (0, 1):
        for pair in coded:
            table += struct.pack("<2I", len(pair[column]), at + len(strings))
            strings += pair[column] + b"\0"
    counts = (0x950412DE, 0, len(coded), 28, 28 + 8 * len(coded), 0, 0)
    return struct.pack("<7I", *counts) + table + strings


def _wheel(folder: Path, catalogs: dict[str, bytes], metadata: str) -> None:
    with zipfile.ZipFile(folder / "shop-1.0-py3-none-any.whl", "w") as wheel:
        for name, catalog in catalogs.items():
            wheel.writestr(f"shop/locale/{name}/LC_MESSAGES/shop.mo", catalog)
        wheel.writestr("shop-1.0.dist-info/METADATA", metadata)


def test_a_message_and_its_translation_are_a_row_without_place_holders(tmp_path: Path) -> None:
    catalog = _catalog(
        ("Delete the page", "Die Seite löschen"),
        ("Restore %(name)s now", "%(name)s jetzt wiederherstellen"),
        ("Django", "Django"),
    )
    _wheel(tmp_path, {"de": catalog, "xx": catalog}, "License-Expression: MIT\n")
    found = {row["q"]: row for row in rows(tmp_path)}
    assert set(found) == {"Die Seite löschen", "jetzt wiederherstellen"}
    row = found["Die Seite löschen"]
    assert (row["pos"], row["negs"]) == ("Delete the page", ["Restore now"])
    assert (row["source"], row["licence"]) == ("catalog shop de", "MIT")


def test_a_package_that_names_no_licence_says_so(tmp_path: Path) -> None:
    catalog = _catalog(("Delete the page", "Die Seite löschen"), ("Move up", "Nach oben"))
    _wheel(tmp_path, {"de": catalog}, "Name: shop\n")
    assert {row["licence"] for row in rows(tmp_path)} == {"unknown"}


def test_a_folder_without_packages_gives_nothing(tmp_path: Path) -> None:
    assert list(rows(tmp_path)) == []
