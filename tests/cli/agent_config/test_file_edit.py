"""Whose entry it is: in every agent's format, only the shape that the command writes is its own."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
import tomlkit

from aeterna_code_search.agents.configuration import AGENTS, Agent, AgentName
from aeterna_code_search.cli.agent_config.file_edit import installation, removal

TOKEN = {"AETERNA_TOKEN": "set"}
URL = "https://codesearch.example.com"


def written(agent: Agent, path: Path, entry: object) -> str:
    """The text of the agent's file, with this entry and another server."""
    content = {agent.servers_key: {"docs": {"command": "docs"}, "codesearch": entry}}
    is_toml = path.suffix == ".toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tomlkit.dumps(content) if is_toml else json.dumps(content))
    return path.read_text()


def servers(agent: Agent, path: Path, text: str) -> dict[str, Any]:
    content = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    found: dict[str, Any] = content[agent.servers_key]
    return found


def entries(agent: Agent) -> list[dict[str, Any]]:
    """What the command writes for an agent."""
    commands = [["codesearch"], ["uvx", "--from", "aeterna-code-search", "codesearch"]]
    made = [agent.command_entry(command, TOKEN) for command in commands]
    return [*made, *([agent.remote_entry(URL)] if agent.remote else [])]


@pytest.fixture(params=list(AgentName))
def agent(request: pytest.FixtureRequest) -> Agent:
    return AGENTS[request.param]


@pytest.fixture
def path(agent: Agent, tmp_path: Path) -> Path:
    return tmp_path / agent.user_file


def test_what_the_command_wrote_is_updated_and_removed(agent: Agent, path: Path) -> None:
    for entry in entries(agent):
        before = written(agent, path, entry)
        same = installation(agent, path, entry)
        assert same.is_empty
        assert same.foreign == ()
        for other in entries(agent):
            change = installation(agent, path, other)
            assert change.foreign == ()
            assert servers(agent, path, change.after)["codesearch"] == other
        removed = removal(agent, path)
        assert (removed.foreign, removed.before) == ((), before)
        assert servers(agent, path, removed.after) == {"docs": {"command": "docs"}}


@pytest.mark.parametrize(
    ("members", "foreign"),
    [
        ({"env": {"AETERNA_URL": "https://elsewhere.example"}}, ("env",)),
        ({"env": {"AETERNA_TOKEN": "$HOME"}}, ("env",)),
        ({"env": {"PATH": "/elsewhere"}, "cwd": "/elsewhere"}, ("cwd", "env")),
        ({"env": ["AETERNA_TOKEN"]}, ("env",)),
        ({"timeout": 5}, ("timeout",)),
        ({"headers": {"X-Elsewhere": "1"}}, ("headers",)),
        ({"type": "other"}, ("type",)),
        ({"env_vars": ["HOME"]}, ("env_vars",)),
        ({"command": "rg"}, ("command",)),
        ({"command": ["codesearch"]}, ("command",)),
        ({"args": ["serve"]}, ("args",)),
        ({"args": "mcp"}, ("args", "command")),
    ],
)
def test_an_entry_with_anything_else_is_foreign(
    agent: Agent, path: Path, members: dict[str, Any], foreign: tuple[str, ...]
) -> None:
    entry = agent.command_entry(["codesearch"], {})
    before = written(agent, path, {**entry, **members})
    change = installation(agent, path, entry)
    assert change.foreign == foreign
    assert not change.is_empty
    assert servers(agent, path, change.after)["codesearch"] == entry
    removed = removal(agent, path)
    assert (removed.foreign, removed.before) == (foreign, before)


@pytest.mark.parametrize(
    ("members", "foreign"),
    [
        ({"headers": {"Authorization": "Bearer abc"}}, ("headers",)),
        ({"headers": None}, ("headers",)),
        ({"url": "https://elsewhere.example/sse"}, ("url",)),
        ({"httpUrl": 5}, ("httpUrl",)),
        ({"bearer_token_env_var": "OPENAI_API_KEY"}, ("bearer_token_env_var",)),
        ({"env": {"AETERNA_TOKEN": "$AETERNA_TOKEN"}}, ("env",)),
        ({"command": "codesearch", "args": ["mcp"]}, ("args", "command")),
    ],
)
@pytest.mark.parametrize("name", [one for one in AgentName if AGENTS[one].remote])
def test_a_service_with_anything_else_is_foreign(
    name: AgentName, tmp_path: Path, members: dict[str, Any], foreign: tuple[str, ...]
) -> None:
    agent, path = AGENTS[name], tmp_path / AGENTS[name].user_file
    if path.suffix == ".toml" and None in members.values():
        members = {"headers": {}}  # TOML has no null
    entry = agent.remote_entry(URL)
    written(agent, path, {**entry, **members})
    assert set(foreign) <= set(installation(agent, path, entry).foreign)
    assert set(foreign) <= set(removal(agent, path).foreign)


@pytest.mark.parametrize("entry", ["codesearch mcp", ["codesearch", "mcp"], 1])
def test_an_entry_that_has_no_members_is_foreign(agent: Agent, path: Path, entry: object) -> None:
    written(agent, path, entry)
    assert installation(agent, path, entries(agent)[0]).foreign == ("no members",)
    assert removal(agent, path).foreign == ("no members",)
