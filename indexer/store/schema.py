"""Names and limits that the adapters share: payload keys, collection names, path prefixes."""

import hashlib
import re

from indexer.errors import StoreError
from indexer.records.vectors import EmbedderSpec

DENSE = "dense"
TERMS = "terms"

# Points a request. Edge takes 7 ms to write 100, during which it answers no other request.
WRITE_BATCH = 100
READ_BATCH = 1000

# The largest weight that a document's term may have: BM25 saturates below k1 + 1 = 2.2.
MAX_TERM_WEIGHT = 2.2

_ORGANIZATION = re.compile(r"[a-z0-9][a-z0-9-]*")
_UNSAFE = re.compile(r"[^a-z0-9]+")


def organization_key(organization: str) -> str:
    """Return the slug if it is safe as a directory's name. Raises StoreError."""
    if not _ORGANIZATION.fullmatch(organization):
        message = f"{organization!r} is no organisation's slug: use a-z, 0-9 and hyphens."
        raise StoreError(message)
    return organization


def embedder_key(embedder: EmbedderSpec) -> str:
    """Return a name for the embedder that is safe in files and SQL (at most 45 characters).

    The hash distinguishes embedders whose readable part is equal.
    """
    text = str(embedder)
    readable = _UNSAFE.sub("_", text.lower()).strip("_")[:36]
    return f"{readable}_{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def path_prefixes(path: str) -> list[str]:
    """Return every ancestor directory of `path`, then `path`: all values of a path filter.

    "a/b/c.py" → ["a", "a/b", "a/b/c.py"]
    """
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def normalized_prefix(path: str) -> str:
    """Normalise a path filter ("src/auth/", "./src") to the stored form."""
    return path.removeprefix("./").strip("/")
