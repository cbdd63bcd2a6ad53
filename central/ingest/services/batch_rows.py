"""A batch as it waits to be applied: decoded and encoded for COPY once, when it arrives.

Its body stays beside it: the version before reads that alone, and so does this one where the rows
are of another version.
"""

import hashlib
from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec import MsgspecError, msgpack
from msgspec.inspect import type_info

from central.corpus import rows
from central.corpus.encoded_files import EncodedFiles, encode_files
from central.corpus.rows import RunContext
from central.ingest.models import IndexRun
from indexer.bundle.decode import Record
from indexer.bundle.gzip import compress, decompress
from indexer.errors import BundleError
from indexer.records.extractors import Extractor
from indexer.records.files import FileRecord, Removal
from indexer.records.scip import ScipDocument, ScipRemoval

_VERSION: Final = 1  # raise it when other rows are made of the same record
_MOST_BYTES: Final = 2**30  # when decompressed: more than any batch makes


class BatchRows(NamedTuple):
    """What a batch changes: files with all their rows, paths, and documents of SCIP indexes."""

    files: EncodedFiles
    removed: list[str]
    documents: list[ScipDocument]
    removed_documents: list[str]

    @property
    def paths(self) -> list[str]:
        """The paths that it replaces or removes."""
        return [*(file.path for file in self.files.files), *self.removed]


ROWS_FORMAT: Final = hashlib.sha256(
    repr((_VERSION, rows.COPIES, type_info(BatchRows))).encode()
).hexdigest()[:16]
_DECODER: Final = msgpack.Decoder(BatchRows)


def make_rows(run: IndexRun, records: Sequence[Record]) -> BatchRows:
    """Make the rows of a batch, and give ids to its files."""
    context = RunContext(
        repository_id=run.repository_id, run_id=run.pk, extractor=Extractor.parse(run.extractor)
    )
    return BatchRows(
        files=encode_files(
            context, [record for record in records if isinstance(record, FileRecord)]
        ),
        removed=[record.path for record in records if isinstance(record, Removal)],
        documents=[record for record in records if isinstance(record, ScipDocument)],
        removed_documents=[record.path for record in records if isinstance(record, ScipRemoval)],
    )


def pack_rows(batch: BatchRows) -> bytes:
    """Pack rows for the batch's table."""
    return compress(msgpack.encode(batch))


def unpack_rows(data: bytes) -> BatchRows:
    """Read what `pack_rows` packed in a process of the same ROWS_FORMAT. Raises BundleError."""
    try:
        return _DECODER.decode(decompress(data, limit_bytes=_MOST_BYTES))
    except MsgspecError as exc:
        raise BundleError("the rows of the batch are damaged") from exc
