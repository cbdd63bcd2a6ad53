"""How similar the files of candidates are to queries, each file as a whole. Pure."""

from collections.abc import Collection, Mapping, Sequence

from central.corpus.embeddings import unpack_directions
from central.search.query_preparation import PreparedQuery
from central.search.rows import LiveChunk
from indexer.records.vectors import EmbedderSpec, Matrix


def file_similarities(
    rows: Mapping[int, LiveChunk],
    queries: Sequence[PreparedQuery],
    embedders: Collection[EmbedderSpec],
) -> list[dict[int, float]]:
    """Return for each query by chunk the cosine of its file; files without a vector are absent.

    So are all where there are several embedders: cosines of different models cannot be compared.
    """
    if len(embedders) != 1:
        return [{} for _ in queries]
    (embedder,) = embedders
    places: dict[bytes, int] = {}
    files: dict[int, int] = {}
    for chunk, row in rows.items():
        vector = row.file_vector
        if vector is not None and len(vector) == embedder.dimensions:  # else of another embedder
            files[chunk] = places.setdefault(vector, len(places))
    vectors = unpack_directions([*places], embedder.dimensions)
    return [_cosines(vectors, files, query, embedder) for query in queries]


def _cosines(
    vectors: Matrix, files: Mapping[int, int], query: PreparedQuery, embedder: EmbedderSpec
) -> dict[int, float]:
    asked = query.vectors.get(embedder)
    if asked is None:
        return {}
    cosines: list[float] = (vectors @ asked).tolist()
    return {chunk: cosines[file] for chunk, file in files.items()}
