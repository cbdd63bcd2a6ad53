"""The place of a directory, asked by MCP tools; its refusals are also `test_stdio`'s."""

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.cli.mcp.stdio import TargetBackend
from aeterna_code_search.client.target.kept_service import KeptService, OpenService
from aeterna_code_search.client.target.target import IndexTarget
from indexer.client.credentials import StaticToken
from indexer.client.transport import Transport
from indexer.errors import CentralUnreachableError
from scripts.local_service import Organization, free_address


@dataclass(frozen=True)
class Kept(IndexTarget):
    """A place whose connections can be closed."""

    transports: list[Transport] = field(default_factory=list)

    def transport(self, retry_seconds: float = 0.0) -> Transport:
        self.transports.append(super().transport(retry_seconds))
        return self.transports[-1]


class Openings:
    """Stands in for `open_target`: places in turn, and how many of them are held."""

    def __init__(self, acme: Organization, *urls: str, are_local: bool) -> None:
        token = StaticToken(acme.token)
        self._places = [
            Kept(url, acme.slug, "", token, are_local, Path("/nowhere"), None) for url in urls
        ]
        self._next = iter(self._places)
        self.held = 0

    @contextmanager
    def __call__(self, *_: object, **_options: object) -> Iterator[IndexTarget]:
        self.held += 1
        yield next(self._next)
        self.held -= 1

    def close(self) -> None:
        for transport in (one for target in self._places for one in target.transports):
            transport.close()


def test_a_service_on_this_machine_that_has_gone_is_looked_for_again(
    acme: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, back = f"http://{free_address()}", acme.service.url
    with closing(Openings(acme, gone, back, are_local=True)) as openings:
        monkeypatch.setattr("aeterna_code_search.client.target.target.open_target", openings)
        asked = TargetBackend(CommandContext({}, Path()))
        status = asyncio.run(asked.status({"org_id": "org-acme", "project": "auth-service"}))
        assert [one["project"] for one in status["projects"]] == ["auth-service"]
        assert openings.held == 1


def test_files_are_listed_and_read(acme: Organization, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Openings(acme, acme.service.url, are_local=True)) as openings:
        monkeypatch.setattr("aeterna_code_search.client.target.target.open_target", openings)
        backend = TargetBackend(CommandContext({}, Path()))
        listed = asyncio.run(backend.list_files({"project": "auth-service", "glob": "tok*.py"}))
        assert [one["path"] for one in listed["entries"]] == ["acme_auth/tokens.py"]
        asked = {"project": "auth-service", "path": "acme_auth/tokens.py", "end_line": 2}
        assert asyncio.run(backend.read_file(asked))["end_line"] == 2
        place = {name: asked[name] for name in ("project", "path")}
        assert asyncio.run(backend.history(place))["commits"][0]["subject"] == "First commit"
        with pytest.raises(ToolError) as refused:
            asyncio.run(backend.read_file({**asked, "path": "acme_auth/token.py"}))
        assert refused.value.code == "file_not_found"
        assert "acme_auth/tokens.py" in refused.value.near


def test_a_configured_service_that_is_away_is_said_to_be(
    acme: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(Openings(acme, f"http://{free_address()}", are_local=False)) as openings:
        monkeypatch.setattr("aeterna_code_search.client.target.target.open_target", openings)
        with pytest.raises(ToolError, match="did not answer") as refused:
            asyncio.run(TargetBackend(CommandContext({}, Path())).search({"query": "x"}))
        assert (refused.value.code, refused.value.status) == ("service_unavailable", 503)
        assert openings.held == 0


def test_an_agent_is_told_how_to_confirm_a_server_that_a_clone_names(tmp_path: Path) -> None:
    (tmp_path / ".codesearch.toml").write_text('[server]\nurl = "https://code.invalid"\n')
    environ = {"AETERNA_TOKEN": "aet_secret", "AETERNA_ORGANIZATION": "acme"}
    environ["AETERNA_DATA_DIR"] = str(tmp_path / "data")
    with pytest.raises(ToolError, match="run `codesearch status` here in a ter") as refused:
        asyncio.run(TargetBackend(CommandContext(environ, tmp_path)).search({"query": "x"}))
    assert (refused.value.code, refused.value.status) == ("server_not_confirmed", 403)


def test_a_call_in_progress_keeps_the_service_that_another_call_has_lost(
    acme: Organization, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lock on the data directory ends with it, and with the lock the service may end."""

    def lost(_: OpenService) -> None:
        raise CentralUnreachableError("gone")

    with closing(Openings(acme, acme.service.url, acme.service.url, are_local=True)) as openings:
        monkeypatch.setattr("aeterna_code_search.client.target.target.open_target", openings)
        kept = KeptService({}, Path())
        with kept.used() as opened:
            with pytest.raises(CentralUnreachableError, match="gone"):
                kept.request(lost)
            assert openings.held == 2
            assert opened.api.status("auth-service")["projects"]
        assert openings.held == 1
