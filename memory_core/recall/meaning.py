"""The dense leg: cosine between request and passages, vectors from a SentenceTransformer.

A passage without a vector yet (new, or made by another model) is not found by this
leg until `embed_some` reaches it; the word leg goes on meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from memory_core.errors import ModelError
from memory_core.recall import shipped
from memory_core.recall.naming import identity
from memory_core.recall.script import MOST_UNKNOWN, unknown_share
from memory_core.recall.source import Place, Source, Visible
from memory_core.recall.words import Hit
from memory_core.store.vectors import Vector, Vectors, content_hash

Matrix = npt.NDArray[np.float32]
MOST_TOKENS = 128
BATCH = 16


class Embedder:
    """Texts to unit vectors; `model` names it with its revision."""

    def __init__(self, named: str, threads: int) -> None:
        import torch

        torch.set_num_threads(threads)
        self._network = _load(named)
        self._network.max_seq_length = min(MOST_TOKENS, self._network.max_seq_length or MOST_TOKENS)
        own = f"wellkept-embedder@{shipped.revision(shipped.EMBEDDER)}"
        self.model = identity(named, self._network[0]) if named else own
        self.width = int(self._network.get_embedding_dimension() or 0)

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float16]:
        """Shape `(len(texts), width)`, unit length, half precision."""
        if not texts:
            return np.zeros((0, self.width), np.float16)
        vectors = self._network.encode(
            list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return np.asarray(vectors, dtype=np.float16)

    def reads(self, text: str) -> bool:
        """Whether the vocabulary knows enough of a text for its vector to mean something."""
        return unknown_share(self._network.tokenizer, text) <= MOST_UNKNOWN


def _load(named: str) -> Any:
    from sentence_transformers import SentenceTransformer

    if named:
        try:
            return SentenceTransformer(named, device="cpu")
        except Exception as error:
            raise ModelError(
                f"embedder {named!r} cannot be loaded: {error}",
                remedy="name a folder or a cached hub model in the setting embedder",
            ) from error
    base = shipped.base_folder()
    shipped.check_base(base / "model.safetensors")
    with shipped.quietly():
        network = SentenceTransformer(str(base), device="cpu", local_files_only=True)
    inner: Any = network[0].auto_model
    import torch

    with torch.no_grad():
        shipped.apply(shipped.EMBEDDER, dict(inner.named_parameters()))
    return network


class Meaning:
    """The vectors of all passages in memory, searched by brute force.

    Brute force is exact and takes about a millisecond for 10,000 passages.
    """

    def __init__(self, embedder: Embedder, cache: Vectors | None = None) -> None:
        self.embedder, self._cache = embedder, cache
        self._texts: dict[Place, str] = {}
        self._groups: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._vectors: dict[Place, Vector] = {}
        self._pending: dict[Place, None] = {}
        self._built: tuple[list[Place], Matrix, npt.NDArray[np.str_]] | None = None
        self._lock = threading.RLock()

    def update(self, sources: Iterable[Source], removed: Iterable[str] = ()) -> None:
        """Replace sources, drop `removed`; vectors known to the cache are there at once."""
        with self._lock:
            for source_id in removed:
                self._drop(source_id)
            fresh: list[Place] = []
            for source in sources:
                fresh += self._add(source)
            self._take_cached(fresh)
            self._built = None

    @property
    def pending(self) -> int:
        """How many passages still wait for a vector."""
        return len(self._pending)

    def embed_some(self, most: int = BATCH) -> int:
        """Embed up to `most` waiting passages; returns how many still wait."""
        with self._lock:
            places = list(self._pending)[:most]
            if self._cache and self._cache.shared:
                places = self._still_missing(places)
            texts = [self._texts[place] for place in places]
        vectors = self.embedder.embed(texts)
        with self._lock:
            self._keep(zip(places, texts, vectors, strict=True))
            return len(self._pending)

    def search(self, vector: Vector, visible: Visible, limit: int) -> list[Hit]:
        """The `limit` nearest passages, best first; ties in order of source and position."""
        places, matrix, groups = self._matrix()
        if not places:
            return []
        cosines = matrix @ vector.astype(np.float32)
        allowed = np.isin(groups, sorted(visible.groups))
        cosines = np.where(allowed, cosines, -2.0)
        reach = min(len(places), limit + 64 * len(visible.hidden))
        best = np.argpartition(-cosines, reach - 1)[:reach]
        hits = [Hit(places[at], float(cosines[at])) for at in best if cosines[at] > -2.0]
        hits = [hit for hit in hits if hit.place.source not in visible.hidden]
        hits.sort(key=lambda hit: (-hit.value, hit.place.source, hit.place.ordinal))
        return hits[:limit]

    def cosines(self, vector: Vector, places: Sequence[Place]) -> list[float]:
        """Cosine of each place; passages without a vector are embedded now."""
        with self._lock:
            missing = [place for place in places if place not in self._vectors]
            texts = [self._texts.get(place, "") for place in missing]
        if missing:
            made = self.embedder.embed(texts)
            with self._lock:
                self._keep(zip(missing, texts, made, strict=True))
        query = vector.astype(np.float32)
        rows = [self._vectors.get(place) for place in places]
        return [0.0 if row is None else float(row.astype(np.float32) @ query) for row in rows]

    def _add(self, source: Source) -> list[Place]:
        self._drop(source.id)
        places = [Place(source.id, ordinal) for ordinal in range(len(source.passages))]
        self._texts.update(zip(places, (p.text for p in source.passages), strict=True))
        self._groups[source.id], self._counts[source.id] = source.group, len(places)
        return places

    def _take_cached(self, places: list[Place]) -> None:
        hashes = {place: content_hash(self._texts[place]) for place in places}
        known = self._cache.get(list(hashes.values())) if self._cache else {}
        for place, key in hashes.items():
            if key in known:
                self._vectors[place] = known[key]
            else:
                self._pending[place] = None

    def _still_missing(self, places: list[Place]) -> list[Place]:
        """The waiting places of which no other server has made the vector meanwhile."""
        for place in places:
            del self._pending[place]
        self._take_cached(places)
        self._built = None
        return [place for place in places if place in self._pending]

    def _keep(self, made: Iterable[tuple[Place, str, Vector]]) -> None:
        stored = []
        for place, text, vector in made:
            if self._texts.get(place) != text:
                continue
            self._vectors[place] = vector
            self._pending.pop(place, None)
            stored.append((content_hash(text), vector))
        if self._cache:
            self._cache.put(stored)
        self._built = None

    def _drop(self, source_id: str) -> None:
        for ordinal in range(self._counts.pop(source_id, 0)):
            place = Place(source_id, ordinal)
            self._texts.pop(place, None)
            self._vectors.pop(place, None)
            self._pending.pop(place, None)
        self._groups.pop(source_id, None)

    def _matrix(self) -> tuple[list[Place], Matrix, npt.NDArray[np.str_]]:
        with self._lock:
            if self._built is None:
                places = list(self._vectors)
                rows = [self._vectors[place] for place in places]
                matrix = np.stack(rows).astype(np.float32) if rows else np.zeros((0, 1), np.float32)
                groups = np.array([self._groups[place.source] for place in places], dtype=np.str_)
                self._built = (places, matrix, groups)
            return self._built
