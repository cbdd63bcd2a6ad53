"""How fast an index becomes a file of ChunkHound's: without its vectors, which a service makes."""

import time
from collections.abc import Iterator
from pathlib import Path

from aeterna_code_search.cli.indexing import index_target
from aeterna_code_search.client.target.target import open_target
from aeterna_code_search.integrations.chunkhound.export import Exported, Progress, export_index
from benchmarks.corpora import python_repository
from benchmarks.tables import Figure
from indexer.client.credentials import Purpose
from indexer.records.runs import Requested
from scripts.local_service import running_service

MEGABYTES = 4


def measure(directory: Path) -> Iterator[Figure]:
    """Figures of a repository of 4 MB of Python, indexed by the service of this machine."""
    root = python_repository(directory / "corpus", megabytes=MEGABYTES)
    with running_service(directory / "data") as service:
        environ = {"AETERNA_DATA_DIR": str(service.data_dir)}
        with open_target(environ, root, purpose=Purpose.INDEX) as target:
            index_target(target, environ, root, Requested.AUTO, plain=True)
        written = directory / "chunks.db"
        started = time.perf_counter()
        exported = export_project(environ, root, written)
        seconds = time.perf_counter() - started
    yield Figure("ChunkHound export: chunks", exported.chunks, "")
    yield Figure("ChunkHound export, no vectors", exported.chunks / seconds, "chunks/s")
    yield Figure("ChunkHound export: a chunk", written.stat().st_size / exported.chunks, "bytes")


def export_project(environ: dict[str, str], root: Path, written: Path) -> Exported:
    """The whole command but for the start of its process."""
    with open_target(environ, root) as target:
        return export_index(
            target,
            written,
            project=None,
            embedder=None,
            credential=None,
            may_overwrite=False,
            progress=Progress(_ignore, _ignore, print),
        )


def _ignore(done: int, total: int) -> None:
    del done, total
