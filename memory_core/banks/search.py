"""Explicit search over the memories a context may see: BM25 by tantivy, terms joined by OR.

The query is data, never syntax. Key and description weigh more than content and the
glossary of tags. An index belongs to exactly the memory versions it was built from, so
there is nothing to invalidate: another state is another index.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

from memory_core.banks.memory import Memory
from memory_core.banks.ontology import Ontology
from memory_core.text import terms, without_surrogates

WEIGHTS = {"key": 3.0, "description": 2.0, "content": 1.0, "glossary": 1.0}
QUERY_TERMS = 64  # distinct terms of a request that are looked up
QUERY_CHARACTERS = 4_000
_KEPT = 16  # indexes, of the contexts in use
_HEAP = 15_000_000  # bytes, tantivy's least


class MemorySearch:
    """Searches memories; keeps the indexes of the last few states. Thread-safe."""

    def __init__(self) -> None:
        self._indexes: OrderedDict[tuple[object, ...], _Index] = OrderedDict()
        self._lock = Lock()

    def search(
        self, memories: Sequence[Memory], query: str, limit: int, ontology: Ontology
    ) -> list[tuple[Memory, float]]:
        """The best memories with their BM25 scores, best first; none shares no word."""
        asked = without_surrogates(query[:QUERY_CHARACTERS])
        wanted = list(dict.fromkeys(terms(asked)))[:QUERY_TERMS]
        if not wanted or not memories or limit < 1:
            return []
        hits = self._index(memories, ontology).best(wanted, limit)
        return [(memories[position], score) for position, score in hits]

    def _index(self, memories: Sequence[Memory], ontology: Ontology) -> _Index:
        glossaries = [ontology.glossary(memory.tags) if memory.tags else "" for memory in memories]
        state = tuple(
            (memory.bank, memory.key, memory.version, glossary)
            for memory, glossary in zip(memories, glossaries, strict=True)
        )
        with self._lock:
            if state in self._indexes:
                self._indexes.move_to_end(state)
                return self._indexes[state]
            self._indexes[state] = index = _Index(memories, glossaries)
            while len(self._indexes) > _KEPT:
                self._indexes.popitem(last=False)
            return index


class _Index:
    def __init__(self, memories: Sequence[Memory], glossaries: Sequence[str]) -> None:
        import tantivy

        self._schema = _schema()
        index = tantivy.Index(self._schema)
        writer = index.writer(_HEAP, 1)
        for position, (memory, glossary) in enumerate(zip(memories, glossaries, strict=True)):
            writer.add_document(tantivy.Document(
                position=position, key=_words(memory.key), description=_words(memory.description),
                content=_words(memory.content), glossary=_words(glossary),
            ))  # fmt: skip
        writer.commit()
        index.reload()
        self._searcher = index.searcher()

    def best(self, wanted: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Positions and scores; equal scores in the order of the memories."""
        from tantivy import Occur, Query

        clauses = [
            (Occur.Should, Query.boost_query(Query.term_query(self._schema, name, term), weight))
            for name, weight in WEIGHTS.items()
            for term in wanted
        ]
        found = self._searcher.search(Query.boolean_query(clauses), limit).hits
        hits = [(int(self._searcher.doc(at)["position"][0]), float(score)) for score, at in found]
        return sorted(hits, key=lambda hit: (-hit[1], hit[0]))


@lru_cache(maxsize=1)
def _schema() -> Any:
    import tantivy

    builder = tantivy.SchemaBuilder()
    for name in WEIGHTS:
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    builder.add_unsigned_field("position", stored=True)
    return builder.build()


@lru_cache(maxsize=2_000)
def _words(text: str) -> str:
    return " ".join(terms(text))
