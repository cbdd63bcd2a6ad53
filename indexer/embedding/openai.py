"""Embeddings of OpenAI and of compatible services, through OpenAI's client."""

import base64
import json
import re
import weakref
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import openai

from indexer.embedding.catalogue import openai_price
from indexer.embedding.http import (
    UNREADABLE,
    Answer,
    Limits,
    RemoteEmbedder,
    UnreadableAnswerError,
    error_for_status,
)
from indexer.errors import EmbedderMismatchError, EmbedderUnavailableError, EmbeddingError
from indexer.records.vectors import FLOAT32, EmbedderConfig, EmbedderSpec
from indexer.retry import Retryable, parse_retry_after
from indexer.urls import without_proxy

# A request may hold 2,048 texts and 300,000 tokens, a text 8,191 tokens. No token is shorter than a
# byte, so a request of this many bytes keeps the limit without a tokenizer. A text is cut at 3
# bytes a token, the least for code; if it still has too many tokens, the service refuses it and it
# is cut again.
LIMITS: Final = Limits(texts=512, bytes=256_000, text_bytes=24_000, requests=4)

_SHORTENED: Final = re.compile(r"(?:.*/)?text-embedding-3-")  # models that know `dimensions`


def open_openai(spec: EmbedderSpec, access: EmbedderConfig) -> RemoteEmbedder:
    """Open the embedder of `spec`. Raises EmbeddingError if there is no key."""
    key = access.openai_api_key
    if not key:
        raise EmbeddingError(
            f"The embedder {spec} needs a key: set OPENAI_API_KEY, or OPENAI_API_KEY_FILE to the "
            "path of a file that holds it (any text, for a service that wants none)."
        )
    if not (key.isascii() and key.isprintable() and " " not in key):  # invalid in a header
        raise EmbeddingError("OPENAI_API_KEY is no key: it has characters that no key has.")
    return RemoteEmbedder(spec, OpenAIService(spec, access), retry_seconds=access.retry_seconds)


class OpenAIService:
    """`POST /embeddings` of one base URL."""

    limits = LIMITS

    def __init__(self, spec: EmbedderSpec, access: EmbedderConfig) -> None:
        url = access.openai_base_url
        self.name = f"the embedding service at {url}"
        self.price = openai_price(url, spec.model)
        self._spec = spec
        self._dimensions = spec.dimensions if _SHORTENED.match(spec.model) else openai.omit
        timeout = openai.Timeout(access.timeout_seconds, connect=min(access.timeout_seconds, 5.0))
        self._client = openai.OpenAI(
            api_key=access.openai_api_key,
            base_url=url,
            timeout=timeout,
            max_retries=0,  # RemoteEmbedder retries within its own time limit
            http_client=openai.DefaultHttpxClient(
                timeout=timeout,
                mounts=without_proxy(url),
                follow_redirects=False,  # code goes only to the configured host
            ),
        )
        weakref.finalize(self, self._client.close)

    def request(self, texts: Sequence[str]) -> Answer | Retryable:
        try:
            answer = self._client.embeddings.with_raw_response.create(
                model=self._spec.model,
                input=list(texts),
                dimensions=self._dimensions,
                encoding_format="base64",  # a fifth of the bytes, and not decoded by the client
            )
        except openai.APIStatusError as exc:
            error = exc
        except openai.APIConnectionError as exc:
            kind = type(exc.__cause__ or exc).__name__
            problem = EmbedderUnavailableError(
                f"{self.name} did not answer ({kind}): check OPENAI_BASE_URL, and that this "
                "machine may reach it"
            )
            return Retryable(problem)
        else:
            return self._read(answer.headers, answer.content)
        # Raised here so that it has no cause, which may hold a part of the key.
        return self._failed(error.status_code, error.response.headers, error.body)

    def _read(self, headers: Mapping[str, str], content: bytes) -> Answer:
        if "json" not in headers.get("Content-Type", "json"):
            raise EmbeddingError(
                f"{self.name} answers, but not in JSON: check OPENAI_BASE_URL, which ends in /v1 "
                "as a rule."
            )
        try:
            return _answer(json.loads(content))
        except UNREADABLE as exc:
            raise UnreadableAnswerError(f"not in OpenAI's form ({type(exc).__name__})") from exc

    def _failed(self, status: int, headers: Mapping[str, str], body: object) -> Retryable:
        error = body if isinstance(body, dict) else {"message": body}
        message = str(error.get("message") or "").replace(self._client.api_key, "…")
        if status in {401, 403}:
            raise EmbeddingError(
                f"{self.name} does not take the key (HTTP {status}): check OPENAI_API_KEY, that "
                f"it is of this service, and that it may use {self._spec.model}."
            )
        if status == 404:
            raise EmbedderMismatchError(
                f"{self.name} has no {self._spec.model} (HTTP 404): check OPENAI_BASE_URL, which "
                "ends in /v1 as a rule, and the organisation's embedder."
            )
        if error.get("code") == "insufficient_quota":
            raise EmbedderUnavailableError(
                f"{self.name} says that what is paid for is used up (insufficient_quota): check "
                "the plan and the billing of OPENAI_API_KEY's account."
            )
        pause = parse_retry_after(headers.get("Retry-After"))
        return error_for_status(status, service=self.name, pause_seconds=pause, message=message)


def _answer(body: Any) -> Answer:
    """Return the rows in the order of the texts. Raises one of UNREADABLE for another shape."""
    data = body["data"]
    rows: list[object] = [None] * len(data)
    for position, item in enumerate(data):
        index = item.get("index", position)
        if rows[index] is not None:
            raise ValueError("two vectors of one text")
        rows[index] = _vector(item["embedding"])
    usage = body.get("usage") or {}
    return Answer(rows, int(usage.get("total_tokens") or usage.get("prompt_tokens") or 0))


def _vector(data: object) -> object:
    """Decode base64; services without base64 return numbers."""
    if isinstance(data, str):
        return np.frombuffer(base64.b64decode(data, validate=True), dtype=FLOAT32)
    return data
