"""Vectors of queries from the OpenAI model of ChunkHound's databases, and the key for it.

The key is in the user's own secrets.yaml, else in the environment. Files of the project are not
read, including OneTool's `.onetool/` in a checkout.
"""

import stat
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from aeterna_code_search.integrations.chunkhound.errors import (
    EmbeddingFailedError,
    InvalidRequestError,
    MissingKeyError,
    NotInstalledError,
)
from aeterna_code_search.integrations.chunkhound.targets import expand_home
from indexer.config.settings import embedder_access
from indexer.embedding import open_embedder
from indexer.errors import ConfigurationError, EmbeddingError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec

SPEC: Final = EmbedderSpec("openai", "text-embedding-3-small", 1536)
CHUNKHOUND_EMBEDDING_SECONDS: Final = 20.0
CHUNKHOUND_RETRY_SECONDS: Final = 15.0
CHUNKHOUND_SECRETS_BYTES: Final = 65_536
NAME: Final = "OPENAI_API_KEY"
SECRETS_FILES: Final = ("~/.onetool/config/secrets.yaml", "~/.onetool/secrets.yaml")


def embed_queries(queries: Sequence[str], environ: Mapping[str, str]) -> list[list[float]]:
    """Embed the queries as unit vectors with one request.

    Raises EmbeddingFailedError, and what `embedding_access` raises.
    """
    access = embedding_access(environ)
    try:
        rows = open_embedder(SPEC, access).embed_queries(list(queries))
    except ImportError as exc:
        raise NotInstalledError("openai") from exc
    except EmbeddingError as exc:
        raise EmbeddingFailedError(f"The queries could not be embedded: {exc}") from exc
    return [[float(value) for value in row] for row in rows]


def embedding_access(environ: Mapping[str, str]) -> EmbedderConfig:
    """Return the configuration of the embedder of queries, with its key.

    The key is that of OT_SECRETS_FILE, `~/.onetool/config/secrets.yaml`,
    `~/.onetool/secrets.yaml`, OPENAI_API_KEY or OPENAI_API_KEY_FILE, in this order. The URL is
    always OPENAI_BASE_URL. Raises MissingKeyError, and InvalidRequestError for an invalid file or
    setting.
    """
    try:
        access = embedder_access(environ)
    except ConfigurationError as exc:
        raise InvalidRequestError(f"{exc}") from exc
    key = _configured_key(environ) or access.openai_api_key
    if not key:
        raise MissingKeyError
    return replace(
        access,
        openai_api_key=key,
        timeout_seconds=CHUNKHOUND_EMBEDDING_SECONDS,
        retry_seconds=CHUNKHOUND_RETRY_SECONDS,
    )


def _configured_key(environ: Mapping[str, str]) -> str:
    named = environ.get("OT_SECRETS_FILE", "").strip()
    if named:
        path = expand_home(environ, named)
        if not path.is_absolute():  # a relative path would name a file of the checkout
            raise InvalidRequestError("OT_SECRETS_FILE must be an absolute path")
        return _key_in(path, must_exist=True)
    for name in SECRETS_FILES:
        if key := _key_in(expand_home(environ, name), must_exist=False):
            return key
    return ""


def _key_in(path: Path, *, must_exist: bool) -> str:
    """Read the key in a file; errors name the file and do not quote it."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > CHUNKHOUND_SECRETS_BYTES:
            raise InvalidRequestError(
                f"{path} must be a file of at most {CHUNKHOUND_SECRETS_BYTES:,} bytes"
            )
        content = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError) as exc:
        if must_exist:
            raise InvalidRequestError(
                f"The file that OT_SECRETS_FILE names does not exist: {path}"
            ) from exc
        return ""
    except OSError as exc:
        raise InvalidRequestError(f"{path} cannot be read: {exc.strerror}") from exc
    return _read_key(path, content)


def _read_key(path: Path, content: bytes) -> str:
    try:
        import yaml
    except ImportError as exc:
        raise NotInstalledError("PyYAML") from exc
    try:
        secrets = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError):
        secrets = "unreadable"  # the parser's own message quotes the file
    if secrets is None:
        return ""
    if not isinstance(secrets, dict):
        raise InvalidRequestError(f"{path} must be YAML with lines such as {NAME}: sk-…")
    key = secrets.get(NAME) or ""
    if not isinstance(key, str):
        raise InvalidRequestError(f"{NAME} in {path} must be a string: put it in quotes")
    return key.strip()
