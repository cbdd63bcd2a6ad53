"""What makes a running service another one than a command would start."""

import os
from pathlib import Path

import pytest

from aeterna_code_search.client.target import identity
from aeterna_code_search.client.target.identity import service_identity


def test_settings_of_the_service_are_part_of_it() -> None:
    first = service_identity({"OPENAI_API_KEY": "one", "HOME": "/home/one"})
    assert service_identity({"OPENAI_API_KEY": "two", "HOME": "/home/one"}) != first
    assert service_identity({"OPENAI_API_KEY": "one", "HOME": "/home/two"}) == first


@pytest.mark.parametrize("name", ["AETERNA_PROJECT", "AETERNA_IDLE_MINUTES", "AETERNA_TOKEN"])
def test_what_only_commands_obey_is_not(name: str) -> None:
    assert service_identity({name: "1"}) == service_identity({})


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(identity, "_ROOT", tmp_path)
    for package in ("aeterna_code_search/agents", "central/search", "indexer"):
        (tmp_path / package).mkdir(parents=True)
    (tmp_path / "manage.py").touch()
    return tmp_path


def test_a_changed_file_of_a_checkout_makes_another(checkout: Path) -> None:
    file = checkout / "central/search/views.py"
    file.write_text("one")
    first = service_identity({})
    (checkout / "central/search/__pycache__").mkdir()
    (checkout / "central/search/notes.md").touch()
    assert service_identity({}) == first
    os.utime(file, ns=(0, 0))
    assert service_identity({}) != first


def test_an_upgraded_package_makes_another(checkout: Path) -> None:
    (checkout / "manage.py").unlink()
    metadata = checkout / "aeterna_code_search-0.1.0.dist-info"
    metadata.mkdir()
    (metadata / "RECORD").write_text("files")
    first = service_identity({})
    (checkout / "central/search/views.py").touch()
    assert service_identity({}) == first
    metadata.rename(checkout / "aeterna_code_search-0.2.0.dist-info")
    assert service_identity({}) != first
