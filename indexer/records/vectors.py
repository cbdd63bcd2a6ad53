"""Vectors, the embedders that make them, and the names of their points."""

import hashlib
import uuid
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:  # a run's main process handles no array, and numpy costs 0.1 s to import
    import numpy as np
    from numpy.typing import NDArray


Vector: TypeAlias = "NDArray[np.float32]"  # shape (dimensions,)
Matrix: TypeAlias = "NDArray[np.float32]"  # shape (n, dimensions)


@dataclass(frozen=True, slots=True)
class EmbedderSpec:
    """Which vectors: two vectors may be compared only if their specs are equal."""

    provider: str
    model: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.provider}/{self.model}/{self.dimensions}"

    @classmethod
    def parse(cls, text: str) -> "EmbedderSpec":
        """Read what `str` wrote; the model's name may itself hold slashes."""
        provider, rest = text.split("/", 1)
        model, dimensions = rest.rsplit("/", 1)
        return cls(provider, model, int(dimensions))


@dataclass(frozen=True, slots=True)
class TermVector:
    """A chunk's lexical half: ascending term ids (uint32) and their BM25 term weights (float32)."""

    ids: "NDArray[np.uint32]"
    weights: "NDArray[np.float32]"


def embedder_input(*, path: str, container: str, text: str) -> str:
    """What is embedded for a chunk: file stem, enclosing class and text, nothing else.

    So a file may move between directories without being embedded again (model card: +0.01 MRR).
    """
    stem = PurePosixPath(path).stem
    head = f"{stem} {container}" if container else stem
    return f"{head}\n{text}"


def embedding_digest(text: str) -> bytes:
    """SHA-256 (32 bytes) of an embedder input: the key under which its vector is reused."""
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True)
class EmbedderConfig:
    """What `open_embedder` may use; a provider that is not set up here raises when it is opened.

    `models` is a directory of further static models, each in a folder of its name.
    """

    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str = "https://api.openai.com/v1"
    ollama_url: str = "http://127.0.0.1:11434"
    models: Path | None = None
    timeout_seconds: float = 60.0  # of one attempt
    retry_seconds: float = 120.0  # how long a service that is away or busy is waited for


@dataclass(frozen=True, slots=True)
class DirectUploadGrant:
    """One repository's collection in a Qdrant server, for a client that writes there itself.

    `url` is as open_store reads it; `token` None: the client uses a secret of its own.
    """

    url: str
    collection: str
    token: str | None = field(default=None, repr=False)
    expires_at: datetime | None = None


def point_id(run_id: uuid.UUID, path: str, ordinal: int) -> uuid.UUID:
    """UUIDv5 of (run, path, ordinal): the same when a run is applied again, else never reused."""
    return uuid.uuid5(run_id, f"{path}\0{ordinal}")
