"""What the pages for agents show to copy can be read and starts a server; answers are as shown."""

import json
import os
import re
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters

from aeterna_code_search.agents.configuration import AGENTS, AgentName
from aeterna_code_search.cli.app import _COMMANDS
from aeterna_code_search.cli.commands.agent import RULES
from scripts.local_service import ROOT, Organization, clean_environment
from tests.e2e.agents import Agent, agent_over_http, agent_over_stdio, settings_of, text_of

PAGES = ("docs/how-to/agents.md", "docs/reference/agent-tools.md")
GUIDE = "\n".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
BLOCK = re.compile(r"(?:^<!-- ([^\n]+) -->\n)?^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match[1] or "", match[2], match[3]) for match in BLOCK.finditer(GUIDE)]
CONFIGURATIONS = [
    json.loads(text) if kind == "json" else tomllib.loads(text)
    for _, kind, text in BLOCKS
    if kind in {"json", "toml"}
]
EXAMPLES = [(note, text) for note, kind, text in BLOCKS if kind == "text"]
OWN_NAMES = ("mcpServers", "mcp_servers", "servers", "context_servers")
URL = "https://codesearch.example.com/mcp"


def server_of(configuration: dict[str, Any]) -> dict[str, Any]:
    [name] = [name for name in OWN_NAMES if name in configuration]
    server: dict[str, Any] = configuration[name]["codesearch"]
    return server


@pytest.mark.parametrize("configuration", CONFIGURATIONS, ids=lambda one: json.dumps(one)[:60])
def test_every_configuration_names_a_server_and_holds_no_token(
    configuration: dict[str, Any],
) -> None:
    server = server_of(configuration)

    if "command" in server:
        assert Path(server["command"]).name == "codesearch"
        assert server["args"] == ["mcp"]
    else:
        assert URL in server.values()
        bearer = server.get("headers", {}).get("Authorization", "")
        assert re.fullmatch(r"Bearer \$\{[\w:-]+\}", bearer) or "bearer_token_env_var" in server
    assert server.get("env", {}).get("AETERNA_TOKEN", "$AETERNA_TOKEN").startswith("$")


def test_the_agents_are_there() -> None:
    headings = re.findall("^## (.+)$", GUIDE, re.MULTILINE)

    assert {
        "Claude Code",
        "Claude Desktop",
        "Cursor",
        "Codex CLI",
        "Gemini CLI",
        "Zed",
        "Windsurf",
    } <= set(headings)
    assert len(CONFIGURATIONS) == 14


@pytest.mark.parametrize("name", list(AgentName))
def test_the_command_writes_what_the_guide_shows(name: AgentName) -> None:
    agent = AGENTS[name]
    heading = agent.title.replace("Codex", "Codex CLI").replace(
        "VS Code", "VS Code (GitHub Copilot)"
    )
    section = GUIDE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    assert agent.project_file.rpartition("/")[2] in section
    shown = [
        server_of(json.loads(text) if kind == "json" else tomllib.loads(text))
        for _, kind, text in BLOCK.findall(section)
        if kind in {"json", "toml"}
    ]
    written = agent.command_entry(["codesearch"], {"AETERNA_TOKEN_FILE": "token"})
    if name is AgentName.ZED:
        shown[0].pop("env")  # a path, which only its user knows
    assert written in shown
    if agent.remote:
        assert agent.remote_entry("https://codesearch.example.com/") in shown


def test_the_rules_are_those_of_the_guide() -> None:
    assert RULES in [text for _, kind, text in BLOCKS if kind == "markdown"]


def test_the_common_configuration_starts_the_server(examples: Organization, tmp_path: Path) -> None:
    """As an agent does: the command by its name, from the PATH, with what it has in its own."""
    [text] = [text for note, _, text in BLOCKS if note == "generic stdio"]
    server = server_of(json.loads(text))
    own = str(Path(sys.executable).parent)
    settings = clean_environment(settings_of(examples, tmp_path / "data"))
    settings["PATH"] = os.pathsep.join([own, settings["PATH"]])
    assert shutil.which(server["command"], path=own), "make setup installs the command"

    parameters = StdioServerParameters(**server, env=settings, cwd=tmp_path)
    with agent_over_stdio(parameters, tmp_path / "errors") as agent:
        answer = agent.ask("code_search", query="retry", limit=1)

    assert answer["count"] == 1


@pytest.fixture(scope="module")
def agent(examples: Organization) -> Iterator[Agent]:
    with agent_over_http(examples.service.url, examples.token) as connected:
        yield connected


@pytest.mark.parametrize(("note", "text"), EXAMPLES, ids=[note.split()[0] for note, _ in EXAMPLES])
def test_the_examples_are_what_is_answered(agent: Agent, note: str, text: str) -> None:
    """The guide shows some lines of an answer, in their order."""
    tool, arguments = note.split(" ", 1)

    lines = iter(text_of(agent.call(tool, **json.loads(arguments))).splitlines())

    missing = [line for line in text.splitlines() if line and line not in lines]
    assert missing == []


def test_every_command_exists() -> None:
    shell = "\n".join(text for _, kind, text in BLOCKS if kind == "sh")
    used = set(re.findall(r"codesearch ([a-z]+)`", GUIDE)) | set(
        re.findall(r"manage\.py (\w+)", shell)
    )

    known = set(_COMMANDS)
    known |= {path.stem for path in ROOT.glob("central/*/management/commands/*.py")}
    assert used
    assert used <= known


def test_every_tool_is_told_of(agent: Agent) -> None:
    table = re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE)

    assert agent.tools().keys() <= set(table)
