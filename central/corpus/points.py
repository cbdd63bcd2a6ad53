"""The points of a run's files."""

import uuid
from collections.abc import Iterator

from indexer.records.files import FileRecord
from indexer.records.vectors import point_id

# A point that a reconcile put back: it belongs to no run, so its life hangs on its chunk alone.
REPAIRED = uuid.UUID(int=0)


def point_ids(run_id: uuid.UUID, record: FileRecord) -> Iterator[uuid.UUID]:
    """The points of a file's chunks, in order."""
    return (point_id(run_id, record.path, ordinal) for ordinal in range(len(record.chunks)))
