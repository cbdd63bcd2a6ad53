"""How similar the candidates' files are to a query, each as a whole. Pure."""

from collections.abc import Collection, Mapping

from central.corpus.file_vectors import unpack_directions
from central.search.rows import LiveChunk
from indexer.records.vectors import Vector


class CandidateFiles:
    """The vectors of the files of candidates, unpacked once for all queries."""

    def __init__(self, rows: Mapping[int, LiveChunk], dimensions: int) -> None:
        places: dict[bytes, int] = {}
        self._chunks: dict[int, int] = {}
        for chunk, row in rows.items():
            vector = row.file_vector
            if vector is not None and len(vector) == dimensions:  # else of another embedder
                self._chunks[chunk] = places.setdefault(vector, len(places))
        self._vectors = unpack_directions([*places]) if places else None

    def similarities(self, query: Vector, chunks: Collection[int]) -> dict[int, float]:
        """Return by chunk the cosine of its file; chunks of files without a vector are absent."""
        if self._vectors is None:
            return {}
        cosines: list[float] = (self._vectors @ query).tolist()
        return {chunk: cosines[self._chunks[chunk]] for chunk in chunks if chunk in self._chunks}
