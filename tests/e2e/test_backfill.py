"""Backfill: real clones over HTTP from a stand-in of GitHub, the real indexer, a real service."""

from collections.abc import Iterator

import pytest

from scripts.local_forge import LocalForge
from scripts.local_service import Service, running_service
from tests.e2e.conftest import prepared_data_directory


@pytest.fixture(scope="module")
def forge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalForge]:
    with LocalForge(tmp_path_factory.mktemp("forge")) as running:
        yield running


@pytest.fixture(scope="module")
def service(forge: LocalForge) -> Iterator[Service]:
    with (
        prepared_data_directory() as directory,
        running_service(directory, forge.settings()) as running,
    ):
        yield running


def test_a_command_indexes_every_repository_of_an_owner(
    forge: LocalForge, service: Service
) -> None:
    for name in ("cart", "shop", "tools"):
        forge.add(name, {f"{name}.py": f"def {name}_total(prices):\n    return sum(prices)\n"})
    organization = service.organization("acme")
    done = service.manage("backfill", "acme", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "3 indexed, 0 failed, 0 skipped" in done.stdout
    found = organization.search("shop_total", mode="symbol")["results"]
    assert [(hit["project"], hit["file"]) for hit in found] == [("shop", "shop.py")]
