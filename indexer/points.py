"""Names of points in the vector store: central and the clients that write there make the same."""

import uuid


def point_id(run_id: uuid.UUID, path: str, ordinal: int) -> uuid.UUID:
    """UUIDv5 of (run, path, ordinal): the same when a run is applied again, else never reused."""
    return uuid.uuid5(run_id, f"{path}\0{ordinal}")
