"""To which servers a token goes, where nobody but a clone's file names them."""

import stat
from pathlib import Path

import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from aeterna_code_search.client.target.trusted_servers import require_trusted, trust_server
from indexer.errors import ConfigurationError, UnconfirmedServerError
from indexer.exits import Exit
from scripts.local_service import Service, free_address
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository
from tests.cli.terminal import in_terminal

TOKEN = {"AETERNA_TOKEN": "aet_secret"}


def named(url: str) -> dict[str, str]:
    """What a clone holds that names a server."""
    return {".codesearch.toml": f'[server]\nurl = "{url}"\norganization = "acme"\n', "a.py": ""}


@pytest.mark.parametrize("host", ["127.0.0.1:1", "[::1]:1", "localhost", "127.9.9.9"])
def test_this_machine_needs_no_confirmation(host: str, tmp_path: Path) -> None:
    require_trusted(f"http://{host}", tmp_path, may_ask=False)


@pytest.mark.parametrize(
    ("url", "is_the_same"),
    [
        ("https://code.example", True),
        ("https://code.example:443/below", True),
        ("http://code.example", False),
        ("https://code.example:8443", False),
        ("https://code.example.evil.example", False),
        ("https://127.0.0.1.evil.example", False),
    ],
)
def test_a_server_is_its_scheme_its_name_and_its_port(
    url: str, is_the_same: bool, tmp_path: Path
) -> None:
    trust_server("https://code.example", tmp_path)
    if is_the_same:
        require_trusted(url, tmp_path, may_ask=False)
        return
    with pytest.raises(UnconfirmedServerError, match="your token was not sent"):
        require_trusted(url, tmp_path, may_ask=False)


@pytest.mark.parametrize("name", ["straße", "\uff53trasse", "ä"])
def test_a_name_that_is_not_ascii_is_no_servers_that_was_confirmed(
    name: str, tmp_path: Path
) -> None:
    trust_server("https://strasse.example", tmp_path)
    with pytest.raises(ConfigurationError, match="must be written in ASCII letters"):
        require_trusted(f"https://{name}.example", tmp_path, may_ask=True)
    with pytest.raises(ConfigurationError, match="must be written in ASCII letters"):
        trust_server(f"https://{name}.example", tmp_path)


def test_what_is_confirmed_is_kept_for_its_owner_alone(tmp_path: Path) -> None:
    for name in ("b", "a", "b"):
        trust_server(f"https://{name}.example", tmp_path / "data")
    servers = tmp_path / "data" / "servers"
    assert servers.read_text() == "https://a.example:443\nhttps://b.example:443\n"
    assert stat.S_IMODE(servers.stat().st_mode) == 0o600
    assert list(servers.parent.iterdir()) == [servers]


def test_where_it_cannot_be_kept_it_says_what_to_set(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match="set AETERNA_DATA_DIR to another directory"):
        trust_server("https://code.example", tmp_path / "file")


@pytest.mark.parametrize("command", [("status",), ("search", "x"), ("index",), ("sidecar",)])
def test_without_a_terminal_a_clone_gets_no_token_and_it_says_what_to_type(
    command: tuple[str, ...], make_repository: MakeRepository, tmp_path: Path
) -> None:
    root = make_repository("shop", named("https://code.invalid"))
    environ = {**TOKEN, "AETERNA_DATA_DIR": str(tmp_path / "data")}
    done = codesearch(*command, directory=root, environ=environ)
    assert (done.returncode, done.stdout) == (Exit.REFUSED, "")
    assert "names the server https://code.invalid:443. If you trust it, run" in done.stderr
    assert "set AETERNA_URL, which takes precedence over the file" in done.stderr


def test_in_a_terminal_it_asks_once(make_repository: MakeRepository, tmp_path: Path) -> None:
    root = make_repository("shop", named("http://code.invalid"))
    environ = {**TOKEN, "AETERNA_DATA_DIR": str(tmp_path / "data")}
    question = "names the server http://code.invalid:80; send your token there? [y/N]"
    codes = []
    for typed, is_request_token in (("\n", True), ("y\n", True), ("", False)):
        code, sent = in_terminal("status", directory=root, environ=environ, typed=typed)
        assert (question in sent) == is_request_token
        codes.append(code)
    assert codes == [Exit.REFUSED, Exit.UNREACHABLE, Exit.UNREACHABLE]


def test_the_environment_names_a_server_without_a_question(
    make_repository: MakeRepository, tmp_path: Path
) -> None:
    root = make_repository("shop", named("https://code.invalid"))
    url = f"http://{free_address()}"
    environ = {**TOKEN, "AETERNA_DATA_DIR": str(tmp_path), "AETERNA_URL": url}
    assert codesearch("status", directory=root, environ=environ).returncode == Exit.UNREACHABLE


def test_init_confirms_the_server_that_it_is_given(
    service: Service, make_repository: MakeRepository, tmp_path: Path
) -> None:
    token = LocalToken(service.data_dir, "servers-acme").bearer()
    root = make_repository("servers-init", {"a.py": "a = 1\n"})
    given = ("--url", service.url, "--organization", "servers-acme")
    environ = {"AETERNA_TOKEN": token, "AETERNA_DATA_DIR": str(tmp_path / "data")}
    done = codesearch("init", *given, directory=root, environ=environ)
    assert done.returncode == Exit.OK, done.stderr
    assert (tmp_path / "data" / "servers").read_text() == f"{service.url}\n"
