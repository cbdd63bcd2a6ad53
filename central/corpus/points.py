"""Names of points in the vector store."""

import uuid
from collections.abc import Iterator

from indexer.records import FileRecord

# A point that a reconcile put back: it belongs to no run, so its life hangs on its chunk alone.
REPAIRED = uuid.UUID(int=0)


def point_id(run_id: uuid.UUID, path: str, ordinal: int) -> uuid.UUID:
    """UUIDv5 of (run, path, ordinal): the same when a run is applied again, else never reused."""
    return uuid.uuid5(run_id, f"{path}\0{ordinal}")


def point_ids(run_id: uuid.UUID, record: FileRecord) -> Iterator[uuid.UUID]:
    """The points of a file's chunks, in order."""
    return (point_id(run_id, record.path, ordinal) for ordinal in range(len(record.chunks)))
