"""One running service for all tests of the command line, and repositories to index."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from scripts.examples import example_repositories
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import MakeRepository, make_repository, prepared_data_directory
from tests.e2e.indexing import index_here

__all__ = ["MakeRepository", "make_repository"]  # the fixture of the end-to-end tests

ACME = ("auth-service", "common-utils")


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """A service of this machine that runs: share it, and name projects of your own."""
    with prepared_data_directory() as directory, running_service(directory) as running:
        yield running


@pytest.fixture(scope="session")
def acme(service: Service) -> Iterator[Organization]:
    """The organisation acme with two of the example repositories, indexed: ask it, no more."""
    with tempfile.TemporaryDirectory() as directory:
        organization = Organization(service, "acme", LocalToken(service.data_dir, "acme").bearer())
        repositories = example_repositories(Path(directory))
        for name in ACME:
            index_here(organization, repositories[name], name)
        yield organization


@pytest.fixture(scope="session")
def acme_environ(acme: Organization) -> dict[str, str]:
    """What names acme to a command."""
    return {
        "AETERNA_URL": acme.service.url,
        "AETERNA_TOKEN": acme.token,
        "AETERNA_ORGANIZATION": acme.slug,
    }
