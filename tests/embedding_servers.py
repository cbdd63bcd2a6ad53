"""Stand-ins for OpenAI and Ollama over real HTTP: their wire formats, their limits, their troubles.

A text's vector is a function of its words, so that texts with words in common are similar.
"""

import base64
import json
import math
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np

from indexer.lexical import tokenize
from tests.listening import listening

KEY = "sk-test-0123456789"


class Trouble(StrEnum):
    """What one request meets instead of an answer, or with it."""

    BUSY = "429 with Retry-After"
    QUOTA = "429 that no waiting mends"
    BROKEN = "500"
    GONE = "404: the model was removed"
    SLOW = "no answer before the client gives up"
    DROPPED = "a connection that ends without an answer"
    TRUNCATED = "fewer bytes than announced"
    CUT = "half of a JSON document"
    A_PAGE = "a page of HTML"
    TOO_FEW = "a vector less than texts"
    NOT_FINITE = "NaN in a vector"
    SHUFFLED = "vectors in another order, told by their index"
    ALL_ZERO = "vectors without direction"


@dataclass
class Server:
    """Where it listens, what it was asked, and how it answers; a test may change it meanwhile."""

    dimensions: int
    models: set[str]
    url: str = ""
    key: str = KEY
    troubles: list[Trouble] = field(default_factory=list)  # one a request; then none
    retry_after: str = "0"
    most_tokens: int = 300_000  # of a request
    most_text_tokens: int = 8_192
    most_texts: int = 2_048
    is_rigid: bool = False  # its vectors have one length, whatever is asked for
    requests: list[dict[str, Any]] = field(default_factory=list)  # bodies
    headers: list[dict[str, str]] = field(default_factory=list)
    at_once: int = 0
    most_at_once: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)
    let_go: threading.Event = field(default_factory=threading.Event)
    barrier: threading.Barrier | None = None  # answers wait for those of another server

    @property
    def texts(self) -> list[str]:
        """All that was asked for, request by request."""
        return [text for body in self.requests for text in body["input"]]

    def vectors(self, texts: Sequence[str], dimensions: int | None = None) -> np.ndarray:
        return np.stack([vector_of(text, dimensions or self.dimensions) for text in texts])


Answer = tuple[int, dict[str, Any]]


@contextmanager
def openai_server(
    dimensions: int = 1536, *, model: str = "text-embedding-3-small", port: int = 0
) -> Iterator[Server]:
    """`url` is what OPENAI_BASE_URL is set to; KEY is the one key that it takes."""
    with _serving(Server(dimensions, {model}), _OpenAI, port) as server:
        server.url += "/v1"
        yield server


@contextmanager
def ollama_server(
    dimensions: int = 768, *, model: str = "nomic-embed-text", port: int = 0
) -> Iterator[Server]:
    """`url` is what OLLAMA_URL is set to."""
    with _serving(Server(dimensions, {model}), _Ollama, port) as server:
        yield server


def count_tokens(text: str) -> int:
    return math.ceil(len(text.encode()) / 3)


def vector_of(text: str, dimensions: int) -> np.ndarray:
    """The sum of its words' directions, of any length; of no word: of its own."""
    words = tokenize(text) or [text]
    return np.sum([_direction(word, dimensions) for word in words], axis=0)


@cache
def _direction(word: str, dimensions: int) -> np.ndarray:
    seed = int.from_bytes(word.encode()[:64])
    return np.random.default_rng(seed).standard_normal(dimensions).astype(np.float32)


class _Handler(ABC, BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    path_asked: str
    state: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        state = self.state
        with state.lock:
            state.requests.append(body)
            state.headers.append({name.lower(): value for name, value in self.headers.items()})
            trouble = state.troubles.pop(0) if state.troubles else None
            state.at_once += 1
            state.most_at_once = max(state.most_at_once, state.at_once)
        try:
            if state.barrier:
                state.barrier.wait(10)
            self._meet(trouble, body)
        finally:
            with state.lock:
                state.at_once -= 1

    def _meet(self, trouble: Trouble | None, body: dict[str, Any]) -> None:
        match trouble:
            case Trouble.SLOW:
                self.state.let_go.wait(30)
                self.close_connection = True
            case Trouble.DROPPED:
                self.close_connection = True
            case Trouble.A_PAGE:
                self._send(200, b"<html>Sign in</html>", kind="text/html")
            case Trouble.BUSY:
                error = self.error("Rate limit reached. Try again.", "rate_limit_exceeded")
                self._send(429, error, {"Retry-After": self.state.retry_after})
            case Trouble.QUOTA:
                error = self.error("You exceeded your current quota.", "insufficient_quota")
                self._send(429, error)
            case Trouble.GONE:
                self._send(404, self.error(f"model {body['model']} not found", None))
            case Trouble.BROKEN:
                self._send(500, self.error("The server had an error.", None))
            case _:
                self._answer(trouble, body)

    def _answer(self, trouble: Trouble | None, body: dict[str, Any]) -> None:
        if self.path != self.path_asked:
            self._send(404, b"404 page not found", kind="text/plain")
            return
        refused = self.refusal(body)
        if refused:
            self._send(refused[0], json.dumps(refused[1]).encode())
            return
        asked = None if self.state.is_rigid else body.get("dimensions")
        vectors = self.state.vectors(body["input"], asked)
        if trouble is Trouble.NOT_FINITE:
            vectors[0][0] = np.nan
        if trouble is Trouble.ALL_ZERO:
            vectors = np.zeros_like(vectors)
        if trouble is Trouble.TOO_FEW:
            vectors = vectors[:-1]
        used = sum(map(count_tokens, body["input"]))
        document = self.document(body, vectors, used, is_shuffled=trouble is Trouble.SHUFFLED)
        content = json.dumps(document).encode()
        if trouble is Trouble.CUT:
            content = content[: len(content) // 2]
        self._send(200, content, is_truncated=trouble is Trouble.TRUNCATED)

    def _send(
        self,
        status: int,
        content: bytes,
        headers: dict[str, str] | None = None,
        *,
        kind: str = "application/json",
        is_truncated: bool = False,
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if is_truncated else content)
        self.close_connection = is_truncated

    @abstractmethod
    def error(self, message: str, code: str | None) -> bytes:
        """A refusal as the service words it."""

    @abstractmethod
    def refusal(self, body: dict[str, Any]) -> Answer | None:
        """What the service says to a request that it does not take; None if it does."""

    @abstractmethod
    def document(
        self, body: dict[str, Any], vectors: np.ndarray, used: int, *, is_shuffled: bool
    ) -> dict[str, Any]:
        """The answer to one that it takes."""

    def log_message(self, format: str, *args: Any) -> None:
        """Be quiet."""


class _OpenAI(_Handler):
    path_asked = "/v1/embeddings"

    def error(self, message: str, code: str | None) -> bytes:
        return json.dumps(_openai_error(message, code)).encode()

    def refusal(self, body: dict[str, Any]) -> Answer | None:
        state, texts = self.state, body["input"]
        if self.headers["Authorization"] != f"Bearer {state.key}":
            given = self.headers["Authorization"].removeprefix("Bearer ")
            said = f"Incorrect API key provided: {given[:8]}*****{given[-4:]}."
            return 401, _openai_error(said, "invalid_api_key")
        if body["model"] not in state.models:
            said = f"The model `{body['model']}` does not exist or you do not have access to it."
            return 404, _openai_error(said, "model_not_found")
        if "dimensions" in body and not body["model"].startswith("text-embedding-3-"):
            said = "This model does not support specifying dimensions."
            return 400, _openai_error(said, None)
        if not texts or len(texts) > state.most_texts or "" in texts:
            return 400, _openai_error("'$.input' is invalid.", None)
        counts = [count_tokens(text) for text in texts]
        if max(counts) > state.most_text_tokens:
            said = (
                f"This model's maximum context length is {state.most_text_tokens} tokens, however "
                f"you requested {max(counts)} tokens. Please reduce your prompt."
            )
            return 400, _openai_error(said, None)
        if sum(counts) > state.most_tokens:
            said = f"Requested {sum(counts)} tokens, max {state.most_tokens} tokens per request"
            return 400, _openai_error(said, "max_tokens_per_request")
        return None

    def document(
        self, body: dict[str, Any], vectors: np.ndarray, used: int, *, is_shuffled: bool
    ) -> dict[str, Any]:
        is_packed = body.get("encoding_format") == "base64"
        data = [
            {
                "object": "embedding",
                "index": index,
                "embedding": _packed(vector) if is_packed else vector.tolist(),
            }
            for index, vector in enumerate(vectors)
        ]
        return {
            "object": "list",
            "data": data[::-1] if is_shuffled else data,
            "model": body["model"],
            "usage": {"prompt_tokens": used, "total_tokens": used},
        }


class _Ollama(_Handler):
    path_asked = "/api/embed"

    def error(self, message: str, code: str | None) -> bytes:
        del code
        return json.dumps({"error": message}).encode()

    def refusal(self, body: dict[str, Any]) -> Answer | None:
        model = body["model"]
        if model not in self.state.models:
            return 404, {"error": f'model "{model}" not found, try pulling it first'}
        longest = max(map(count_tokens, body["input"]))
        if longest > self.state.most_text_tokens and not body.get("truncate", True):
            return 400, {"error": "the input length exceeds the context length"}
        return None

    def document(
        self, body: dict[str, Any], vectors: np.ndarray, used: int, *, is_shuffled: bool
    ) -> dict[str, Any]:
        del is_shuffled  # they have no index
        return {
            "model": body["model"],
            "embeddings": vectors.tolist(),
            "total_duration": 14_143_917,
            "load_duration": 1_019_500,
            "prompt_eval_count": used,
        }


def _openai_error(message: str, code: str | None) -> dict[str, Any]:
    kind = "invalid_request_error"
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _packed(vector: np.ndarray) -> str:
    return base64.b64encode(vector.astype("<f4").tobytes()).decode()


@contextmanager
def _serving(state: Server, handler: type[_Handler], port: int) -> Iterator[Server]:
    with listening(type("Bound", (handler,), {"state": state}), port) as state.url:
        try:
            yield state
        finally:
            state.let_go.set()
