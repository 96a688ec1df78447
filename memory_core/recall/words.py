"""The word leg: BM25 over passages in memory; terms are alternatives and rare ones win.

Query text is data: queries are built from terms, never parsed. Two fields are scored
and summed: whole terms and identifiers (stemmed where they are plain words), and
character 4-grams at a low weight, which forgive typos, inflection and compounds in
any language. A term that the vault does not know is replaced by its nearest known
spellings (at most two edits).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memory_core.recall.source import Place, Source, Visible
from memory_core.text import terms

GRAM = 4
GRAM_WEIGHT = 0.15
SPELLING_WEIGHT = 0.6
MOST_TERMS = 96
MOST_SPELLED = 40  # a longer request is a paste, in which unknown words are no typos
_WRITER_BYTES = 32_000_000


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found by a leg; `value` is BM25 or cosine."""

    place: Place
    value: float


class Words:
    """A tantivy index in memory with its vocabulary.

    Not safe for two writers; readers see the state of the last `update`.
    """

    def __init__(self) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        for name in ("source", "group"):
            builder.add_text_field(name, stored=name == "source", tokenizer_name="raw")
        builder.add_unsigned_field("ordinal", stored=True)
        for name in ("terms", "grams"):
            builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
        self._schema = builder.build()
        self._index = tantivy.Index(self._schema)
        self._index.register_tokenizer(
            "whitespace",
            tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build(),
        )
        self._writer = self._index.writer(heap_size=_WRITER_BYTES, num_threads=1)
        self._stem = _stemmer()
        self._vocabulary: Counter[str] = Counter()
        self._counted: dict[str, tuple[int, Counter[str]]] = {}
        self.passages = 0

    def update(self, sources: Iterable[Source], removed: Iterable[str] = ()) -> None:
        """Replace `sources`, drop `removed` (ids), and make both visible to readers."""
        for source_id in removed:
            self._drop(source_id)
        for source in sources:
            self._drop(source.id)
            self._add(source)
        self._writer.commit()
        self._index.reload()

    def search(self, query: str, visible: Visible, limit: int) -> list[Hit]:
        """The best `limit` passages, best first; ties in order of source and position."""
        import tantivy

        clauses = self._clauses(query)
        if not clauses or not visible.groups:
            return []
        wanted = [(tantivy.Occur.Must, tantivy.Query.boolean_query(clauses))]
        wanted.append((tantivy.Occur.Must, self._group_filter(visible)))
        searcher = self._index.searcher()
        reach = limit + 8 * len(visible.hidden) + 16
        found = searcher.search(tantivy.Query.boolean_query(wanted), limit=reach, count=False).hits
        hits = [self._hit(searcher, score, address) for score, address in found]
        hits = [hit for hit in hits if hit.place.source not in visible.hidden]
        hits.sort(key=lambda hit: (-hit.value, hit.place.source, hit.place.ordinal))
        return hits[:limit]

    def rarity(self, term: str) -> float:
        """Inverse document frequency of a term; 0 for one that no passage holds."""
        count = self._vocabulary.get(self._stem(term), 0)
        return math.log(1 + (self.passages - count + 0.5) / (count + 0.5)) if count else 0.0

    def _add(self, source: Source) -> None:
        import tantivy

        extra = [self._stem(term) for term in terms(" ".join(source.keys))]
        counted: Counter[str] = Counter()
        for ordinal, passage in enumerate(source.passages):
            stems = [self._stem(term) for term in terms(passage.text)] + extra
            counted.update(set(stems))
            document = tantivy.Document()
            document.add_text("source", source.id)
            document.add_text("group", source.group)
            document.add_unsigned("ordinal", ordinal)
            document.add_text("terms", " ".join(stems))
            document.add_text("grams", " ".join(gram for term in stems for gram in _grams(term)))
            self._writer.add_document(document)
        self._vocabulary.update(counted)
        self._counted[source.id] = (len(source.passages), counted)
        self.passages += len(source.passages)

    def _drop(self, source_id: str) -> None:
        if source_id not in self._counted:
            return
        passages, counted = self._counted.pop(source_id)
        self._writer.delete_documents_by_term("source", source_id)
        self._vocabulary.subtract(counted)
        for term in counted:
            if not self._vocabulary[term]:
                del self._vocabulary[term]
        self.passages -= passages

    def _clauses(self, query: str) -> list[tuple[Any, Any]]:
        weighted: dict[tuple[str, str], float] = {}
        stems = [self._stem(term) for term in self._chosen(query)]
        short = len(stems) <= MOST_SPELLED
        for stem in stems:
            for spelling, weight in self._spellings(stem) if short else [(stem, 1.0)]:
                weighted[("terms", spelling)] = max(weight, weighted.get(("terms", spelling), 0))
            for gram in _grams(stem):
                weighted[("grams", gram)] = GRAM_WEIGHT
        return [self._clause(field, term, weight) for (field, term), weight in weighted.items()]

    def _chosen(self, query: str) -> list[str]:
        """The request's distinct terms; of a long request the rarest that the vault knows."""
        distinct = list(dict.fromkeys(terms(query)))
        if len(distinct) <= MOST_TERMS:
            return distinct
        ranked = sorted(distinct, key=lambda term: -self.rarity(term))[:MOST_TERMS]
        return [term for term in distinct if term in set(ranked)]

    def _spellings(self, stem: str) -> list[tuple[str, float]]:
        if stem in self._vocabulary or len(stem) < 4 or not stem.isalpha() or not stem.isascii():
            return [(stem, 1.0)]
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        edits = 1 if len(stem) < 7 else 2
        near = process.extract(
            stem, self._vocabulary.keys(), scorer=OSA.distance, score_cutoff=edits, limit=3
        )
        return [(word, SPELLING_WEIGHT / distance) for word, distance, _ in near if word[0] > "9"]

    def _clause(self, field: str, term: str, weight: float) -> tuple[Any, Any]:
        import tantivy

        query = tantivy.Query.term_query(self._schema, field, term, index_option="freq")
        return tantivy.Occur.Should, tantivy.Query.boost_query(query, weight)

    def _group_filter(self, visible: Visible) -> Any:
        import tantivy

        groups = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "group", group))
            for group in sorted(visible.groups)
        ]
        return tantivy.Query.const_score_query(tantivy.Query.boolean_query(groups), 0.0)

    def _hit(self, searcher: Any, score: float, address: Any) -> Hit:
        document = searcher.doc(address)
        place = Place(str(document.get_first("source")), int(document.get_first("ordinal")))
        return Hit(place, float(score))


def _stemmer() -> Any:
    """Plain lower-case words lose their English endings; identifiers stay as they are."""
    import functools

    import tantivy

    analyzer = (
        tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.raw())
        .filter(tantivy.Filter.stemmer("english"))
        .build()
    )

    @functools.lru_cache(maxsize=100_000)
    def stem(term: str) -> str:
        if not term.isalpha() or not term.isascii():
            return term
        found = analyzer.analyze(term)
        return str(found[0]) if found else term

    return stem


def _grams(term: str) -> list[str]:
    """Overlapping character 4-grams of a padded plain word; none for identifiers and numbers."""
    if len(term) < GRAM or not term.isalpha():
        return []
    padded = f"^{term}$"
    return [padded[at : at + GRAM] for at in range(len(padded) - GRAM + 1)]
