"""The store in a Qdrant server or cluster, and direct upload to it."""

from importlib.util import find_spec

from indexer.errors import ConfigurationError


def require_client() -> None:
    """Raise ConfigurationError if Qdrant's client is not installed."""
    if find_spec("qdrant_client") is None:
        raise ConfigurationError(
            "Direct uploads need the package qdrant-client, which is not installed: give the "
            "action its input qdrant-url, or set AETERNA_VECTORS=direct in the job's environment; "
            "elsewhere, pip install qdrant-client."
        )
