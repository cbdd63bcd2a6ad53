"""Qdrant's client is optional: the action leaves it out where vectors go to the service."""

import sys

import pytest

from indexer.errors import ConfigurationError
from indexer.store.qdrant import require_client


def test_the_error_of_a_missing_client_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "qdrant_client", None)  # so that it is not found
    with pytest.raises(ConfigurationError) as error:
        require_client()
    assert str(error.value) == (
        "Direct uploads need the package qdrant-client, which is not installed: give the action "
        "its input qdrant-url, or set AETERNA_VECTORS=direct in the job's environment; elsewhere, "
        "pip install qdrant-client."
    )


def test_the_installed_client_is_accepted() -> None:
    require_client()
