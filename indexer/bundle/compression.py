"""The outer layer of a batch: gzip, bounded when inflated, and the identity of what is inside."""

import gzip
import hashlib
import zlib
from typing import Final

from indexer.errors import BundleError

# Vectors hardly compress, so higher levels cost time and save little.
_GZIP_LEVEL: Final = 1
_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS  # zlib's way of asking for a gzip header and trailer


def compress(body: bytes) -> bytes:
    """`body` as gzip; the same body gives the same bytes."""
    return gzip.compress(body, _GZIP_LEVEL, mtime=0)


def identity(body: bytes) -> str:
    """SHA-256 of the decompressed body in hex: what makes a repeated upload the same upload."""
    return hashlib.sha256(body).hexdigest()


def decompress(data: bytes, *, limit_bytes: int) -> bytes:
    """The body of gzip `data`; never inflates more than `limit_bytes` + 1.

    Raises BundleError: `batch_not_gzip` (also where it is cut off) or `batch_too_large`.
    """
    inflater = zlib.decompressobj(_GZIP_WINDOW)
    try:
        body = inflater.decompress(data, limit_bytes + 1)
    except zlib.error as exc:
        raise BundleError("the batch is not valid gzip", code="batch_not_gzip") from exc
    if len(body) > limit_bytes:
        raise BundleError(
            f"the batch is larger than {limit_bytes} bytes when decompressed",
            code="batch_too_large",
        )
    if not inflater.eof or inflater.unused_data:
        raise BundleError("the batch is not one whole gzip stream", code="batch_not_gzip")
    return body
