"""Vectors, embedder settings, and the ids of points."""

import hashlib
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:  # a run's main process handles no array, and numpy costs 0.1 s to import
    import numpy as np
    from numpy.typing import NDArray


# NumPy's names of the packed form on the wire and in the database: little-endian, four bytes each.
UINT32: Final = "<u4"  # term ids
FLOAT32: Final = "<f4"  # term weights and vectors
VALUE_BYTES: Final = 4

Vector: TypeAlias = "NDArray[np.float32]"  # shape (dimensions,)
Matrix: TypeAlias = "NDArray[np.float32]"  # shape (n, dimensions)


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """An embedder's identity: only vectors of equal specs may be compared."""

    provider: str
    model: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}/{self.dimensions}"

    @property
    def vector_bytes(self) -> int:
        """The size of a packed vector."""
        return VALUE_BYTES * self.dimensions

    @classmethod
    def parse(cls, text: str) -> "EmbedderSpec":
        """Parse the result of `str`; the model's name may contain slashes."""
        provider, rest = text.split("/", 1)
        model, dimensions = rest.rsplit("/", 1)
        return cls(provider, model, int(dimensions))


@dataclass(frozen=True, slots=True)
class TermVector:
    """A chunk's lexical half: ascending term ids (uint32) and their BM25 term weights (float32)."""

    ids: "NDArray[np.uint32]"
    weights: "NDArray[np.float32]"


def embedder_input(*, path: str, container: str, text: str) -> str:
    """Return a chunk's embedder input: file stem, enclosing class and text.

    A file that moves between directories is not embedded again (model card: +0.01 MRR).
    """
    stem = _stem(path)
    head = f"{stem} {container}" if container else stem
    return f"{head}\n{text}"


@lru_cache(maxsize=64)
def _stem(path: str) -> str:  # many chunks have the same path
    return PurePosixPath(path).stem


def embedding_digest(text: str) -> bytes:
    """Return the SHA-256 (32 bytes) of an embedder input: the key for reusing its vector."""
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True)
class EmbedderConfig:
    """Settings for `open_embedder`, which raises for a provider without settings.

    `models` is a directory of further static models, each in a folder of its name.
    """

    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str = "https://api.openai.com/v1"
    ollama_url: str = "http://127.0.0.1:11434"
    models: Path | None = None
    timeout_seconds: float = 60.0  # of one attempt
    retry_seconds: float = 120.0  # how long to retry while a service is unavailable or busy


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model in files, with which worker processes embed. It holds no secret."""

    spec: EmbedderSpec
    models: Path | None = None  # as in EmbedderConfig


@dataclass(frozen=True, slots=True)
class DirectUploadGrant:
    """One repository's collection in a Qdrant server, for a client with direct upload.

    `url` is an address for `open_store`; with `token` None the client uses its own secret.
    """

    url: str
    collection: str
    token: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None


def point_id(run_id: uuid.UUID, path: str, ordinal: int) -> uuid.UUID:
    """Return the UUIDv5 of (run, path, ordinal): stable if a run is applied again, else unique."""
    return uuid.uuid5(run_id, f"{path}\0{ordinal}")
