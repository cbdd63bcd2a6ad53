"""What a run asks of its workers. Only they import what does it."""

import gc
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from indexer.bundle.encode import ExtractedFile
    from indexer.records.files import SourceFile
    from indexer.records.vectors import LocalModel


def extract_in_worker(
    files: "Sequence[SourceFile]",
    *,
    dimensions: int,
    batch_bytes: int,
    with_points: bool = False,
    model: "LocalModel | None" = None,
    record_fields: frozenset[str] = frozenset(),
) -> "list[ExtractedFile]":
    """Call `worker.extract_files`."""
    from indexer.pipeline import worker

    extracted = worker.extract_files(
        files,
        dimensions=dimensions,
        batch_bytes=batch_bytes,
        with_points=with_points,
        model=model,
        record_fields=record_fields,
    )
    gc.collect(0)  # when next to nothing is left of the parse trees' objects
    return extracted


def check_in_worker(model: "LocalModel") -> None:
    """Call `worker.check_model`."""
    from indexer.pipeline import worker

    worker.check_model(model)
