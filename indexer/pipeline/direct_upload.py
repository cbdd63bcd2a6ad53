"""Direct upload: vectors that this run writes to the repository's collection itself."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import numpy as np

from indexer.bundle.lines import Extracted, PointData
from indexer.errors import CentralError
from indexer.pipeline.upload import Lane
from indexer.records.vectors import TermVector, point_id
from indexer.store.base import Point
from indexer.store.qdrant.direct import DirectCollection

_POINTS: Final = 256  # a request
_AHEAD: Final = 8  # requests in memory that wait for the store


class DirectWriter:
    """Writes the points of one run, in a thread. Leaving `with` by an exception drops the rest."""

    def __init__(self, collection: DirectCollection, run_id: str) -> None:
        self._collection = collection
        self._run = UUID(run_id)
        self._writing = Lane[None]("points", ahead=_AHEAD)
        self._waiting: list[Point] = []

    def __enter__(self) -> "DirectWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._writing.__exit__(kind)
        self._collection.close()

    def write(self, file: Extracted, vectors: Sequence[bytes | None]) -> None:
        """Queue a file's points; waits while many are. Raises StoreError, also of earlier ones.

        CentralError if a vector is not there.
        """
        record = file.file.record
        for ordinal, (data, vector) in enumerate(zip(file.points, vectors, strict=True)):
            if vector is None:
                raise CentralError("central holds a vector and did not say it: is it up to date?")
            self._waiting.append(
                Point(
                    id=point_id(self._run, record.path, ordinal),
                    run=self._run,
                    path=record.path,
                    language=record.language,
                    type=data.type,
                    vector=np.frombuffer(vector, "<f4"),
                    terms=_terms(data),
                )
            )
        while len(self._waiting) >= _POINTS:
            self._send()

    def finish(self) -> None:
        """Return when all points are written. Raises StoreError."""
        while self._waiting:
            self._send()
        self._writing.finish()

    def _send(self) -> None:
        points, self._waiting = self._waiting[:_POINTS], self._waiting[_POINTS:]
        self._writing.submit(self._collection.upsert, points)


def _terms(data: PointData) -> TermVector:
    return TermVector(np.frombuffer(data.terms, "<u4"), np.frombuffer(data.weights, "<f4"))
