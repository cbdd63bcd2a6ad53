"""Which vector store the environment names: VECTOR_STORE_URL, or a chart's words for it."""

from typing import Final

from django.core.exceptions import ImproperlyConfigured

from central.settings import env
from indexer.errors import ConfigurationError
from indexer.store.qdrant.address import from_rest_url

_SCHEMES: Final = {"postgres": ("postgresql", "postgres"), "qdrant": ("qdrant", "qdrants")}


def vector_store_url() -> str | None:
    """VECTOR_STORE_URL or what CODESEARCH_STORE_BACKEND stands for; None without either.

    Raises ImproperlyConfigured where they name different stores.
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
