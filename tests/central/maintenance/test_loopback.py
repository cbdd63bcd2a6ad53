"""Commands ask the running embedded server, with the key of the data directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from central.corpus.dump import dump_lines
from central.repositories.models import Repository
from central.runtime.data_directory import lock_data_directory, write_server_record
from tests.central.protocol import api_of

KEY = "k" * 40


@pytest.fixture
def data_dir(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    """A data directory whose server has left a key."""
    settings.DATA_DIR = tmp_path
    (tmp_path / "server_key").write_text(KEY)
    return tmp_path


@pytest.mark.django_db
@pytest.mark.usefixtures("data_dir")
def test_bad_requests_with_the_key() -> None:
    headers = {"X-Aeterna-Server-Key": KEY}
    client = Client(headers=headers)
    url = "/internal/dump-index"
    ghost = {"organization": "acme", "repository": "ghost"}
    assert client.get(url).status_code == 405
    assert client.post(url, b"[]", "application/json").status_code == 400
    assert client.post(url, {"organization": 7}, "application/json").status_code == 400
    assert client.post(url, ghost, "application/json").json()["code"] == "repository_not_found"


@pytest.mark.django_db(transaction=True)
def test_the_commands_ask_the_running_server(
    live_server: LiveServer,
    data_dir: Path,
    settings: Settings,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api_of().index({"a.py": "def a\n"})
    # Whatever proxy and hosts the environment names.
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    settings.ALLOWED_HOSTS = ["localhost"]
    with lock_data_directory(data_dir):
        write_server_record(data_dir, live_server.url.replace("localhost", "127.0.0.1"))
        call_command("dump_index", "--organization", "acme", "--repository", "shop")
        repository = Repository.objects.select_related("organization").get()
        assert capsys.readouterr().out.splitlines() == dump_lines(repository)
        call_command("reconcile", "--check")
        assert "shop" in capsys.readouterr().out
        with pytest.raises(CommandError, match="Stop the server first"):
            call_command("optimize_index")
        write_server_record(data_dir, "http://127.0.0.1:1")
        with pytest.raises(CommandError, match="does not answer"):
            call_command("dump_index", "--organization", "acme", "--repository", "shop")
