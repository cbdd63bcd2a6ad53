"""The coding agents: the files that they read, and the form of a server in them.

Sources, checked in November 2026:
Claude Code: https://code.claude.com/docs/en/mcp
Codex: https://developers.openai.com/codex/mcp
Cursor: https://cursor.com/docs/context/mcp
Gemini CLI: https://geminicli.com/docs/tools/mcp-server
VS Code: https://code.visualstudio.com/docs/agents/reference/mcp-configuration
Windsurf: https://docs.windsurf.com/windsurf/cascade/mcp
Zed: https://zed.dev/docs/ai/mcp, and https://zed.dev/docs/worktree-trust for a project's settings
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

SERVER: Final = "codesearch"
MCP_ROUTE: Final = "/mcp"
Entry = dict[str, Any]
_TOKENS: Final = ("AETERNA_TOKEN", "AETERNA_TOKEN_FILE")
_SETTINGS: Final = ("AETERNA_URL", "AETERNA_ORGANIZATION", *_TOKENS)


class AgentName(StrEnum):
    """The agents by the names that are typed."""

    CLAUDE = "claude"
    CODEX = "codex"
    CURSOR = "cursor"
    GEMINI = "gemini"
    VSCODE = "vscode"
    WINDSURF = "windsurf"
    ZED = "zed"


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent. Files are relative to the checkout's root and to the home directory.

    `project_file` is "" if it has none. `remote` is a server over HTTP, in which URL stands for the
    address; it is empty if a header cannot name a variable: a token does not belong in a file.
    """

    title: str
    project_file: str
    user_file: str
    next_step: str
    servers_key: str = "mcpServers"
    stdio: Mapping[str, Any] = field(default_factory=dict)
    remote: Mapping[str, Any] = field(default_factory=dict)
    names_tokens: bool = False  # passes no variable with TOKEN in its name that is not named

    def command_entry(self, command: Sequence[str], environ: Mapping[str, str]) -> Entry:
        """Return the server as a command of this machine."""
        entry = {**self.stdio, "command": command[0], "args": [*command[1:], "mcp"]}
        if "env_vars" in self.stdio:  # TOML: the command comes first
            entry["env_vars"] = entry.pop("env_vars")
        if self.names_tokens and (named := [name for name in _TOKENS if environ.get(name)]):
            entry["env"] = {name: f"${name}" for name in named}
        return entry

    def remote_entry(self, url: str) -> Entry:
        """Return the server at a service's address; {} if the agent has no such form."""
        address = url.rstrip("/") + MCP_ROUTE
        return {key: address if value == "URL" else value for key, value in self.remote.items()}

    def foreign_members(self, existing: object) -> tuple[str, ...]:
        """Return the names of an entry's members that the two methods above do not write so.

        Any address and any command that starts codesearch may be ours.
        """
        if not isinstance(existing, Mapping):
            return ("no members",)
        own = self._own_entry(existing)
        return tuple(sorted(key for key in existing if own.get(key, self) != existing[key]))

    def _own_entry(self, existing: Mapping[str, Any]) -> Entry:
        """Return what we would write with the address, or the command, of an entry."""
        address = existing.get("url", existing.get("httpUrl"))
        if address is not None:
            return self.remote_entry(str(address).removesuffix(MCP_ROUTE))
        arguments, environ = existing.get("args"), existing.get("env")
        words = [existing.get("command"), *(arguments if isinstance(arguments, list) else ())]
        names = {str(word).rpartition("/")[2] for word in words[:-1]}
        return self.command_entry(
            words[:-1] if SERVER in names else [""], environ if isinstance(environ, Mapping) else {}
        )


def _bearer(variable: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {variable}"}


_VSCODE_USER: Final = (
    "Library/Application Support/Code/User/mcp.json"
    if sys.platform == "darwin"
    else ".config/Code/User/mcp.json"
)
AGENTS: Final[Mapping[AgentName, Agent]] = {
    AgentName.CLAUDE: Agent(
        title="Claude Code",
        project_file=".mcp.json",
        user_file=".claude.json",
        next_step="Start Claude Code again; /mcp shows whether it is connected.",
        stdio={"type": "stdio"},
        remote={"type": "http", "url": "URL", "headers": _bearer("${AETERNA_TOKEN}")},
    ),
    AgentName.CODEX: Agent(
        title="Codex",
        project_file=".codex/config.toml",
        user_file=".codex/config.toml",
        servers_key="mcp_servers",
        next_step="Start Codex again; it reads a repository's file only if you trust the "
        "repository. /mcp shows whether it is connected.",
        stdio={"env_vars": list(_SETTINGS)},
        remote={"url": "URL", "bearer_token_env_var": "AETERNA_TOKEN"},
    ),
    AgentName.CURSOR: Agent(
        title="Cursor",
        project_file=".cursor/mcp.json",
        user_file=".cursor/mcp.json",
        next_step="Switch the server on in Cursor's settings, under MCP.",
        remote={"url": "URL", "headers": _bearer("${env:AETERNA_TOKEN}")},
    ),
    AgentName.GEMINI: Agent(
        title="Gemini CLI",
        project_file=".gemini/settings.json",
        user_file=".gemini/settings.json",
        next_step="Start Gemini CLI again; /mcp shows whether it is connected.",
        remote={"httpUrl": "URL", "headers": _bearer("${AETERNA_TOKEN}")},
        names_tokens=True,
    ),
    AgentName.VSCODE: Agent(
        title="VS Code",
        project_file=".vscode/mcp.json",
        user_file=_VSCODE_USER,
        servers_key="servers",
        next_step="Start the server with the command `MCP: List Servers` of VS Code.",
        stdio={"type": "stdio"},
    ),
    AgentName.WINDSURF: Agent(
        title="Windsurf",
        project_file="",
        user_file=".codeium/windsurf/mcp_config.json",
        next_step="Refresh the servers in Windsurf's Cascade panel.",
    ),
    AgentName.ZED: Agent(
        title="Zed",
        project_file=".zed/settings.json",
        user_file=".config/zed/settings.json",
        servers_key="context_servers",
        next_step="Zed asks whether you trust the repository before it starts its server.",
    ),
}


def configuration_text(agent: Agent, path: str, entry: Entry) -> str:
    """Return a configuration with nothing but the server: JSON, or TOML by the file's name."""
    if not path.endswith(".toml"):
        return json.dumps({agent.servers_key: {SERVER: entry}}, indent=2)
    lines = (f"{key} = {json.dumps(value)}" for key, value in entry.items())  # strings and lists
    return "\n".join([f"[{agent.servers_key}.{SERVER}]", *lines])
