"""The credential of the embedded service."""

import stat
from pathlib import Path

import httpx
import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from central.runtime.data_directory import lock_data_directory, write_server_record
from indexer.client.transport import Transport
from indexer.errors import CentralRefusedError, CentralUnreachableError, ConfigurationError
from scripts.local_service import Service


@pytest.fixture
def kept(service: Service, request: pytest.FixtureRequest) -> Path:
    """Where the token of this test's organisation is kept."""
    name = request.node.name.partition("[")[0].replace("_", "-")[:60].strip("-")
    return service.data_dir / "local_tokens" / name


def test_it_is_kept_for_its_owner_alone(service: Service, kept: Path) -> None:
    token = LocalToken(service.data_dir, kept.name).bearer()
    assert kept.read_text() == token
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert LocalToken(service.data_dir, kept.name).bearer() == token
    assert sorted(kept.parent.glob("tmp*")) == []


def test_one_that_is_refused_is_replaced_where_it_is_used(service: Service, kept: Path) -> None:
    kept.parent.mkdir(0o700, exist_ok=True)
    kept.write_text("aet_of_a_database_that_is_gone")
    credentials = LocalToken(service.data_dir, kept.name)
    transport = Transport(url=service.url, credentials=credentials, retry_seconds=0)
    answer = transport.request("GET", f"/api/v1/index/status?org_id={kept.name}")
    transport.close()
    assert answer["projects"] == []
    assert kept.read_text() == credentials.bearer() != "aet_of_a_database_that_is_gone"


@pytest.mark.parametrize("damage", ["", "\0" * 47, "aet_one\naet_two\n", "aet_\xe4"])
def test_what_is_no_token_is_replaced(service: Service, kept: Path, damage: str) -> None:
    kept.parent.mkdir(mode=0o700, exist_ok=True)
    kept.write_text(damage, "latin-1")
    token = LocalToken(service.data_dir, kept.name).bearer()
    assert token.startswith("aet_")
    assert kept.read_text() == token


def test_where_it_cannot_be_kept_is_said(service: Service, kept: Path) -> None:
    kept.mkdir(parents=True)
    with pytest.raises(ConfigurationError, match="set AETERNA_DATA_DIR"):
        LocalToken(service.data_dir, kept.name).bearer()
    assert sorted(kept.parent.glob("tmp*")) == []
    kept.rmdir()


@pytest.mark.parametrize("key", [None, "", "\0" * 64, "one\ntwo"])
def test_a_key_that_cannot_be_used_is_said_with_what_to_do(tmp_path: Path, key: str | None) -> None:
    if key is not None:
        (tmp_path / "server_key").write_text(key)
    with lock_data_directory(tmp_path):
        write_server_record(tmp_path, "http://127.0.0.1:1")
        with pytest.raises(ConfigurationError, match=r"_key (is damaged: end|cannot be read)"):
            LocalToken(tmp_path, "acme").bearer()


def test_another_commands_new_one_is_taken(service: Service, kept: Path) -> None:
    first = LocalToken(service.data_dir, kept.name)
    refused = first.bearer()
    kept.write_text("of-another-command")
    assert first.refresh(refused)
    assert first.bearer() == "of-another-command"
    assert first.refresh("of-a-third-one")
    assert first.bearer() == "of-another-command"


@pytest.mark.parametrize("organization", ["../../etc/passwd", "..", "", "Acme", "a" * 300])
def test_the_service_says_which_names_are_valid(service: Service, organization: str) -> None:
    before = sorted(service.data_dir.rglob("local_tokens/**"))
    with pytest.raises(CentralRefusedError, match=r"Use 1 to 63|cannot be blank") as caught:
        LocalToken(service.data_dir, organization).bearer()
    assert caught.value.status == 400
    assert sorted(service.data_dir.rglob("local_tokens/**")) == before


def test_without_a_service_there_is_none(tmp_path: Path) -> None:
    with pytest.raises(CentralUnreachableError, match="run the command again"):
        LocalToken(tmp_path, "local").bearer()


def test_neither_it_nor_what_it_is_used_for_goes_through_a_proxy(
    service: Service, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    with pytest.raises(httpx.ConnectError):
        httpx.get(service.url)
    credentials = LocalToken(service.data_dir, kept.name)
    transport = Transport(url=service.url, credentials=credentials, retry_seconds=0)
    assert transport.request("GET", f"/api/v1/index/status?org_id={kept.name}")
    transport.close()
