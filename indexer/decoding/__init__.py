"""Text of files that are not plain UTF-8: by mark, by declaration, else by a detector."""

from indexer.decoding.codec import Decoded, is_wide
from indexer.decoding.decode import decode_text
from indexer.decoding.encode import blob_bytes, has_mark

__all__ = ["Decoded", "blob_bytes", "decode_text", "has_mark", "is_wide"]
