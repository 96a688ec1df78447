"""What is said already: a statement repeats a text when it brings nothing of its own.

Nearness of vectors proves nothing here ("my favourite colour is purple" and "... is cyan"
are as near as a repetition), so words decide: no name, no number, no negation and no
content word that the text lacks. What is reworded is left to the model, which is shown
the notes, and to the person who decides.
"""

from __future__ import annotations

from collections.abc import Iterable

from memory_core.routines.grounding import ungrounded
from memory_core.text import terms

_STEM = 5  # first letters by which two forms of a word are one
_SHORT = 3  # letters up to which a word carries no content
_NEGATIONS = """not no never none without nothing ikke ingen aldri uten nicht kein keine nie ohne
pas sans non jamais sin nunca niet geen"""
_FUNCTION = """also then that this these those they them there have been were with from into
when which will would should must only just more most some such than very after before about over
under because since their your each both does done make made need needs"""
_NOT, _COMMON = frozenset(_NEGATIONS.split()), frozenset(_FUNCTION.split())


class Told:
    """Texts that are known, for many statements: only those with its words are compared."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._texts: list[str] = []
        self._places: dict[str, set[int]] = {}
        for text in texts:
            self.add(text)

    def add(self, text: str) -> None:
        """One more text."""
        for stem in map(_stem, terms(text)):
            self._places.setdefault(stem, set()).add(len(self._texts))
        self._texts.append(text)

    def says(self, statement: str) -> bool:
        """Whether one of the texts says all that the statement says."""
        stems = {_stem(term) for term in terms(statement) if _counts(term)}
        found = [self._places.get(stem, set()) for stem in sorted(stems)]
        places = set.intersection(*found) if found else set()
        return repeats(statement, (self._texts[place] for place in sorted(places)))


def repeats(statement: str, texts: Iterable[str]) -> bool:
    """Whether one of the texts says all that the statement says."""
    own = terms(statement)
    return any(_says(text, statement, own) for text in texts)


def _says(text: str, statement: str, own: list[str]) -> bool:
    held = terms(text)
    if _NOT & set(own) != _NOT & set(held):
        return False
    stems = {_stem(term) for term in held}
    content = {_stem(term) for term in own if _counts(term)}
    return bool(content) and content <= stems and not ungrounded(statement, [text])


def _counts(term: str) -> bool:
    plain = term.isascii() and term.isalpha()
    return not plain or (len(term) > _SHORT and term not in _COMMON)


def _stem(term: str) -> str:
    return term[:_STEM].rstrip("s") if term.isalpha() else term
