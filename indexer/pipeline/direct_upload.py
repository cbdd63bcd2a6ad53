"""Points that a run writes to the vector store itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final
from uuid import UUID

import numpy as np

from indexer.bundle.encode import ExtractedFile, PointData
from indexer.client.api import DirectUpload, OpenedRun
from indexer.config.settings import DirectUploadSettings
from indexer.errors import CentralError
from indexer.pipeline.background_queue import BackgroundQueue
from indexer.records.vectors import FLOAT32, UINT32, TermVector, point_id
from indexer.store.base import Point
from indexer.store.qdrant.address import from_rest_url
from indexer.store.qdrant.direct import DirectCollection

_REQUEST_POINTS: Final = 256
_MAX_PENDING: Final = 8  # requests in memory


class PointWriter:
    """Writes the points of one run in a thread. Leaving `with` by an exception drops the rest."""

    def __init__(self, collection: DirectCollection, run_id: str) -> None:
        self._collection = collection
        self._run = UUID(run_id)
        self._queue = BackgroundQueue[None]("points", max_pending=_MAX_PENDING)
        self._points: list[Point] = []

    @classmethod
    def for_run(
        cls, run: OpenedRun, upload: DirectUpload, settings: DirectUploadSettings
    ) -> "PointWriter":
        """Return the writer of `run`. Raises ConfigurationError and StoreError."""
        grant = upload.access
        if settings.url:  # the job's own key is sent to the job's own URL alone
            grant = replace(grant, url=from_rest_url(settings.url))
        collection = DirectCollection(
            grant,
            api_key=None if grant.token else settings.api_key,
            embedder=run.embedder,
            repository=upload.repository,
        )
        return cls(collection, run.run_id)

    def __enter__(self) -> "PointWriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._queue.close(wait=kind is None)
        self._collection.close()

    def write(self, file: ExtractedFile, vectors: Sequence[bytes | None]) -> None:
        """Queue a file's points; blocks while many are pending.

        Raises StoreError, also of earlier points, and CentralError if a vector is missing.
        """
        record = file.file.record
        for ordinal, (data, vector) in enumerate(zip(file.points, vectors, strict=True)):
            if vector is None:
                raise CentralError(
                    "central did not return a vector that it holds. Check that it is up to date"
                )
            self._points.append(
                Point(
                    id=point_id(self._run, record.path, ordinal),
                    run=self._run,
                    path=record.path,
                    language=record.language,
                    type=data.type,
                    vector=np.frombuffer(vector, FLOAT32),
                    terms=_terms(data),
                )
            )
        while len(self._points) >= _REQUEST_POINTS:
            self._send()

    def finish(self) -> None:
        """Return when all points are written. Raises StoreError."""
        while self._points:
            self._send()
        self._queue.finish()

    def _send(self) -> None:
        points, self._points = self._points[:_REQUEST_POINTS], self._points[_REQUEST_POINTS:]
        self._queue.submit(self._collection.upsert, points)


def _terms(data: PointData) -> TermVector:
    return TermVector(np.frombuffer(data.terms, UINT32), np.frombuffer(data.weights, FLOAT32))
