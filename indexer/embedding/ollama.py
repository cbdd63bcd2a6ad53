"""Ollama's embeddings, through its own interface (`POST /api/embed`, Ollama 0.3 and later)."""

import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

from indexer.embedding.catalogue import base_name
from indexer.embedding.http import (
    UNREADABLE,
    Answer,
    Limits,
    RemoteEmbedder,
    UnreadableAnswerError,
    error_for_status,
)
from indexer.errors import EmbedderMismatchError, EmbedderUnavailableError, EmbeddingError
from indexer.http_bodies import read_answer
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from indexer.retry import Retryable, parse_retry_after
from indexer.urls import without_proxy

# Small requests: a CPU embeds some hundred tokens a second, and each request has a time-out. Ollama
# itself cuts a text at the model's context length.
LIMITS: Final = Limits(texts=32, bytes=32_000, text_bytes=32_000, requests=2)

# Prefixes of documents and of queries, from the models' cards.
_PREFIXES: Final[Mapping[str, tuple[str, str]]] = {
    "nomic-embed-text": ("search_document: ", "search_query: "),
    "mxbai-embed-large": ("", "Represent this sentence for searching relevant passages: "),
    "embeddinggemma": ("title: none | text: ", "task: search result | query: "),
}


def open_ollama(spec: EmbedderSpec, access: EmbedderConfig) -> RemoteEmbedder:
    """Open the embedder of `spec`. Sends no request: `check` tests whether Ollama has the model."""
    document, query = _PREFIXES.get(base_name(spec), ("", ""))
    return RemoteEmbedder(
        spec,
        OllamaService(spec, access),
        retry_seconds=access.retry_seconds,
        before_document=document,
        before_query=query,
    )


class OllamaService:
    """One Ollama server. Its tokens have no price."""

    limits = LIMITS
    price: float | None = None

    def __init__(self, spec: EmbedderSpec, access: EmbedderConfig) -> None:
        url = access.ollama_url.rstrip("/")
        self.name = f"Ollama at {url}"
        self._spec = spec
        self._http = httpx.Client(
            base_url=url,
            timeout=httpx.Timeout(access.timeout_seconds, connect=min(access.timeout_seconds, 5.0)),
            mounts=without_proxy(url),
        )
        weakref.finalize(self, self._http.close)

    def request(self, texts: Sequence[str]) -> Answer | Retryable:
        body = {"model": self._spec.model, "input": list(texts), "truncate": True}
        try:
            response = read_answer(self._http, "POST", "/api/embed", json=body)
        except httpx.RequestError as exc:
            problem = EmbedderUnavailableError(
                f"{self.name} did not answer ({type(exc).__name__}): check OLLAMA_URL, and that "
                "`ollama serve` runs there"
            )
            problem.__cause__ = exc
            return Retryable(problem)
        if not response.is_success:
            return self._failed(response)
        try:
            answer = response.json()
            return Answer(answer["embeddings"], int(answer.get("prompt_eval_count") or 0))
        except UNREADABLE as exc:
            raise UnreadableAnswerError(f"not in Ollama's form ({type(exc).__name__})") from exc

    def _failed(self, response: httpx.Response) -> Retryable:
        status, message = response.status_code, _message(response)
        if status == httpx.codes.NOT_FOUND and "not found" in message:
            raise EmbedderMismatchError(
                f"{self.name} has no model {self._spec.model}: run "
                f"`ollama pull {self._spec.model}` there."
            )
        if status == httpx.codes.NOT_FOUND or response.is_redirect:
            raise EmbeddingError(
                f"{self.name} knows no /api/embed (HTTP {status}): check OLLAMA_URL, and that it "
                "is Ollama 0.3 or later."
            )
        pause = parse_retry_after(response.headers.get("Retry-After"))
        return error_for_status(status, service=self.name, pause_seconds=pause, message=message)


def _message(response: httpx.Response) -> str:
    """Return Ollama's error message; "" for an answer of another server."""
    try:
        fields: Any = response.json()
        return str(fields["error"])
    except (ValueError, LookupError, TypeError, RecursionError):
        return ""
