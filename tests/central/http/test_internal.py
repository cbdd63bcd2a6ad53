"""Routes for this machine's own commands ask for the key of the data directory."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django import Settings

KEY = "k" * 40
PATHS = ["/internal/dump-index", "/internal/local-token", "/internal/reconcile"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def _data_dir(settings: Settings, tmp_path: Path) -> None:
    """A data directory whose server has left a key."""
    settings.DATA_DIR = tmp_path
    (tmp_path / "server_key").write_text(KEY)


@pytest.mark.usefixtures("_data_dir")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("key", [None, "", "x" * 40, KEY + "k", "é"])
def test_without_the_key_there_is_no_answer(path: str, key: str | None) -> None:
    headers = {} if key is None else {"X-Aeterna-Server-Key": key}
    answer = Client().post(path, b"{}", content_type="application/json", headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_server_key")


@pytest.mark.parametrize("path", PATHS)
def test_without_a_key_file_nobody_is_let_in(path: str, settings: Settings, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path
    answer = Client().post(path, b"{}", "application/json", headers={"X-Aeterna-Server-Key": ""})
    assert answer.status_code == 401
