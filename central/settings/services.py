"""Settings of the vector store, embedders, limits and observability."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from central.settings import env
from indexer.embedding.catalogue import DEFAULTS, REMOTE, dimensions_of
from indexer.errors import ConfigurationError
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from indexer.store.qdrant.address import from_rest_url

BATCH_FILES: Final = 500  # AETERNA_BATCH_MAX_FILES
REPOSITORIES_OF_ORGANIZATION: Final = 20_000  # AETERNA_REPOSITORIES_MAX
HISTORY_COMMITS: Final = 10_000  # the newest of a repository; AETERNA_HISTORY_COMMITS, 0: none
WAITING_BYTES: Final = 32 * 1024**3  # of uploads, as stored; AETERNA_WAITING_MAX_BYTES
READS_AT_ONCE: Final = 14  # the other threads are for runs and webhooks
# Python computes in one thread at a time: more at once would take longer, each and together.
SEARCHES_AT_ONCE: Final = 3  # AETERNA_SEARCHES_AT_ONCE
REMOTE_SEARCHES_AT_ONCE: Final = 12  # the same with a remote embedder, for which they mostly wait
_SCHEMES: Final = {"postgres": ("postgresql", "postgres"), "qdrant": ("qdrant", "qdrants")}


def vector_store_url() -> str | None:
    """Return VECTOR_STORE_URL or what CODESEARCH_STORE_BACKEND stands for; None without either.

    Raises ImproperlyConfigured if they name different stores.
    """
    url, backend = env.text("VECTOR_STORE_URL"), env.text("CODESEARCH_STORE_BACKEND")
    if backend is None:
        return url
    if backend not in _SCHEMES:
        raise ImproperlyConfigured(
            f"CODESEARCH_STORE_BACKEND must be qdrant or postgres, not {backend!r}. For the "
            "embedded store leave it unset."
        )
    if url is None:
        return "postgresql:" if backend == "postgres" else _qdrant_url()
    scheme = url.split(":", 1)[0]
    if scheme not in _SCHEMES[backend]:
        raise ImproperlyConfigured(
            f"CODESEARCH_STORE_BACKEND is {backend}, but VECTOR_STORE_URL begins with '{scheme}:'. "
            "Unset one of them, or let both name the same store."
        )
    return url


def _qdrant_url() -> str:
    url = env.text("QDRANT_URL")
    if url is None:
        raise ImproperlyConfigured(
            "CODESEARCH_STORE_BACKEND is qdrant, and nothing says where it is: set "
            "QDRANT_URL=http://HOST:6333 or VECTOR_STORE_URL=qdrant://HOST:6334."
        )
    try:
        return from_rest_url(url)
    except ConfigurationError as exc:
        raise ImproperlyConfigured(f"QDRANT_URL: {exc}") from exc


# Callers wait for a query: if the service is slow, it is searched without similarity.
_TIMEOUT_SECONDS: Final = 3.0
_RETRY_SECONDS: Final = 0.5


def access() -> EmbedderConfig:
    """Return the access by which the service embeds queries."""
    default = EmbedderConfig()
    models = env.text("AETERNA_MODELS_DIR")
    return EmbedderConfig(
        openai_api_key=env.text("OPENAI_API_KEY"),
        openai_base_url=(env.text("OPENAI_BASE_URL") or default.openai_base_url).rstrip("/"),
        ollama_url=(env.text("OLLAMA_URL") or default.ollama_url).rstrip("/"),
        models=Path(models) if models else None,
        timeout_seconds=_TIMEOUT_SECONDS,
        retry_seconds=_RETRY_SECONDS,
    )


def default_embedder() -> str:
    """Return the embedder of new organisations: provider/model/dimensions, checked elsewhere.

    Missing parts are the provider's default, or what is known of its model.
    """
    provider = env.text("CODESEARCH_EMBEDDER_PROVIDER") or "builtin"
    usual = DEFAULTS.get(provider)
    model = env.text("CODESEARCH_EMBEDDER_MODEL") or (usual.model if usual else "")
    known = dimensions_of(EmbedderSpec(provider, model, 0))
    dimensions = env.number("CODESEARCH_EMBEDDER_DIMENSIONS", default=known[1] if known else 0)
    return str(EmbedderSpec(provider, model, dimensions))


def searches_at_once(embedder: str) -> int:
    """Return how many searches a process handles at once; more where they wait for an embedder."""
    is_remote = EmbedderSpec.parse(embedder).provider in REMOTE
    count = env.number(
        "AETERNA_SEARCHES_AT_ONCE",
        default=REMOTE_SEARCHES_AT_ONCE if is_remote else SEARCHES_AT_ONCE,
    )
    if not 1 <= count <= READS_AT_ONCE:
        raise ImproperlyConfigured(
            f"AETERNA_SEARCHES_AT_ONCE must be 1 to {READS_AT_ONCE}, not {count}."
        )
    return count


_SHARED = ("redis://", "rediss://")


@dataclass(frozen=True, slots=True)
class Rates:
    """Limits such as '600/minute' ('off' for none), by purpose."""

    search: str
    index: str


def rates() -> Rates:
    """Return the limits of each token and each person."""
    return Rates(
        search=env.text("AETERNA_RATE_SEARCH") or "600/minute",
        index=env.text("AETERNA_RATE_INDEX") or "6000/minute",
    )


def rate_storage(broker_url: str | None) -> str | None:
    """Return the Redis in which all processes count: the broker unless another is named.

    None: each process counts separately.
    """
    url = env.text("AETERNA_RATE_STORAGE") or broker_url or ""
    return url if url.startswith(_SHARED) else None


_COLLECTOR = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SERVICE_NAME = "aeterna-code-search"


def has_collector() -> bool:
    """Return whether OpenTelemetry's own variables name a collector."""
    is_off = env.flag("OTEL_SDK_DISABLED", default=False) or "none" in env.words(
        "OTEL_TRACES_EXPORTER"
    )
    return not is_off and any(map(env.text, _COLLECTOR))


def service_name() -> str | None:
    """Return the service name of traces; None if OpenTelemetry's own variables set it."""
    attributes = env.text("OTEL_RESOURCE_ATTRIBUTES") or ""
    is_set = env.text("OTEL_SERVICE_NAME") or "service.name=" in attributes
    return None if is_set else SERVICE_NAME
