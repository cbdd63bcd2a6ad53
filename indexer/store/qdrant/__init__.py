"""The store in a Qdrant server or cluster, and a client's own way to it."""

from importlib.util import find_spec

from indexer.errors import ConfigurationError


def require_client() -> None:
    """Raises ConfigurationError where Qdrant's client is not installed."""
    if find_spec("qdrant_client") is None:
        raise ConfigurationError(
            "Direct uploads need the package qdrant-client, which is not installed: give the "
            "action its input qdrant-url, or set AETERNA_VECTORS=direct in the job's environment; "
            "elsewhere, pip install qdrant-client."
        )
