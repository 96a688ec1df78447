"""Pairs of one message in two languages, from the gettext catalogs of packages on disk."""

from __future__ import annotations

import gettext
import io
import random
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LANGUAGES = frozenset({"de", "nb", "no", "ja", "fr", "sv", "da"})
_CATALOG = re.compile(r"(?:^|/)locales?/([a-z]{2})(?:_[A-Z]{2})?/LC_MESSAGES/[^/]+\.mo$")
_BLANKS = re.compile(r"%\(\w+\)[a-z]|%[sdr]|\{[^{}]*\}|<[^<>]*>|[&_](?=\w)")
_LONGEST, _SHORTEST, _BESIDE = 220, 4, 4


def rows(folder: Path, seed: int = 3) -> Iterator[dict[str, Any]]:
    """Yield groups: a translated message asks for the English one, among its neighbours."""
    rng = random.Random(seed)
    for wheel in sorted(folder.glob("*.whl")):
        with zipfile.ZipFile(wheel) as packed:
            licence = _licence(packed)
            by_language: dict[str, dict[str, str]] = {}
            for name in sorted(packed.namelist()):
                found = _CATALOG.search(name)
                if found and found[1] in LANGUAGES:
                    by_language.setdefault(found[1], {}).update(_messages(packed.read(name)))
        for language, messages in by_language.items():
            source = f"catalog {wheel.name.split('-')[0]} {language}"
            yield from _groups(messages, source, licence, rng)


def _messages(catalog: bytes) -> dict[str, str]:
    """English to translated, without place holders; only what was really translated."""
    known: dict[Any, str] = gettext.GNUTranslations(io.BytesIO(catalog))._catalog  # type: ignore[attr-defined]
    pairs = ((_plain(key), _plain(text)) for key, text in known.items() if isinstance(key, str))
    return {
        english: text
        for english, text in pairs
        if english != text and all(_SHORTEST <= len(x) <= _LONGEST for x in (english, text * 2))
    }


def _plain(text: str) -> str:
    return " ".join(_BLANKS.sub(" ", text.rsplit("\x04", 1)[-1]).split())


def _groups(
    messages: dict[str, str], source: str, licence: str, rng: random.Random
) -> Iterator[dict[str, Any]]:
    english = list(messages)
    for number, text in enumerate(english):
        around = english[max(0, number - 8) : number] + english[number + 1 : number + 9]
        beside = rng.sample(around, min(_BESIDE, len(around)))
        yield {
            "q": messages[text],
            "pos": text,
            "negs": beside,
            "must": [],
            "source": source,
            "licence": licence,
            "kind": "translation",
        }


def _licence(packed: zipfile.ZipFile) -> str:
    """What the package's metadata calls its licence."""
    name = next(n for n in packed.namelist() if n.endswith(".dist-info/METADATA"))
    text = packed.read(name).decode("utf-8", "replace")
    for wanted in (r"^License-Expression: (.+)$", r"^Classifier: License :: .*:: (.+)$"):
        if found := re.search(wanted, text, re.MULTILINE):
            return found[1].strip()
    found = re.search(r"^License: (.{1,40})$", text, re.MULTILINE)
    return found[1].strip() if found else "unknown"
