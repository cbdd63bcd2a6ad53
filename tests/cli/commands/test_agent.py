"""`codesearch agent`: the configuration files of coding agents."""

import json
import os
import re
import sys
import tomllib
from pathlib import Path

import pytest
import tomlkit

from aeterna_code_search.agents.configuration import AGENTS, AgentName
from aeterna_code_search.cli.commands import agent as agent_command
from scripts.local_git import new_repository
from scripts.local_service import ROOT
from tests.cli.command import codesearch
from tests.cli.terminal import in_terminal

STDIO = {"command": "codesearch", "args": ["mcp"]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return new_repository(tmp_path / "shop")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def agent(*arguments: str, root: Path, home: Path) -> tuple[int, str, str]:
    """Run the command with codesearch on the path."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environ = {"HOME": str(home), "PATH": path, "PYTHONWARNINGS": "error"}
    done = codesearch("agent", *arguments, directory=root, environ=environ)
    return done.returncode, done.stdout, done.stderr


def installed(path: Path, name: AgentName) -> object:
    text = path.read_text()
    content = tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    return content[AGENTS[name].servers_key]["codesearch"]


@pytest.mark.parametrize("name", list(AgentName))
def test_every_agent_s_file_is_written_once(name: AgentName, root: Path, home: Path) -> None:
    in_project = AGENTS[name].project_file
    options = ("--yes",) if in_project else ("--yes", "--user")
    path = root / in_project if in_project else home / AGENTS[name].user_file
    code, shown, notes = agent("install", name, *options, root=root, home=home)
    assert code == 0, notes
    assert "+" in shown
    assert "Written." in notes
    server = installed(path, name)
    assert isinstance(server, dict)
    assert {key: server[key] for key in STDIO} == STDIO
    before = path.read_bytes()
    again = agent("install", name, *options, root=root, home=home)
    assert again[:2] == (0, f"{path} has the server already.\n")
    assert path.read_bytes() == before
    code, _, _ = agent("uninstall", name, *options, root=root, home=home)
    assert code == 0
    assert "codesearch" not in path.read_text()


@pytest.mark.parametrize("name", [one for one in AgentName if AGENTS[one].remote])
def test_a_service_over_http_is_named_without_a_token(
    name: AgentName, root: Path, home: Path
) -> None:
    url = "https://codesearch.example.com"
    code, _, notes = agent("install", name, "--url", url, "--yes", root=root, home=home)
    assert code == 0, notes
    server = installed(root / AGENTS[name].project_file, name)
    assert f"{url}/mcp" in str(server)
    assert "Set AETERNA_TOKEN" in notes
    assert "AETERNA_TOKEN" in str(server)
    agent("install", name, "--yes", root=root, home=home)
    back = installed(root / AGENTS[name].project_file, name)
    assert "url" not in str(back).lower().replace("aeterna_url", "")


def test_an_agent_whose_headers_name_no_variable_says_what_to_do(root: Path, home: Path) -> None:
    code, _, notes = agent("install", "zed", "--url", "https://a.example", root=root, home=home)
    assert code == 2
    assert "leave --url out and set AETERNA_URL" in " ".join(notes.split())


def test_other_settings_and_comments_stay(root: Path, home: Path) -> None:
    path = root / ".vscode/mcp.json"
    path.parent.mkdir()
    mine = '{\n  // mine\n  "servers": {\n    "docs": {"command": "docs"}, // foreign\n  },\n}\n'
    path.write_text(mine)
    path.chmod(0o600)
    code, shown, _ = agent("install", "vscode", "--yes", root=root, home=home)
    assert code == 0
    text = path.read_text()
    assert [line for line in mine.splitlines() if line not in text] == []
    assert '"codesearch": {' in text
    assert path.stat().st_mode & 0o777 == 0o600
    assert shown.startswith(f"--- {path}\n+++ {path}\n@@")
    agent("uninstall", "vscode", "--yes", root=root, home=home)
    assert "// foreign" in path.read_text()


FOREIGN = {"env": {"AETERNA_URL": "https://elsewhere.example"}}


def foreign(path: Path, name: AgentName) -> str:
    """Write a file with our server's name and command, and a foreign environment."""
    entry = AGENTS[name].command_entry(["codesearch"], {}) | FOREIGN
    content = {AGENTS[name].servers_key: {"codesearch": entry}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(tomlkit.dumps(content) if path.suffix == ".toml" else json.dumps(content))
    return path.read_text()


@pytest.mark.parametrize("name", [AgentName.CLAUDE, AgentName.CODEX])
@pytest.mark.parametrize("action", ["install", "uninstall"])
def test_an_entry_of_others_is_named_and_not_changed_without_a_question(
    action: str, name: AgentName, root: Path, home: Path
) -> None:
    path = root / AGENTS[name].project_file
    before = foreign(path, name)
    for options, expected in ((["--yes"], 2), (["--dry-run"], 0), ([], 2)):
        code, shown, notes = agent(action, name, *options, root=root, home=home)
        assert code == expected
        assert "-" in shown
        assert "elsewhere.example" in shown
        assert f"{path} has an entry codesearch that this command did not write (env)." in notes
        assert "Nothing was written" in notes
        assert path.read_text() == before


@pytest.mark.parametrize(("typed", "writes"), [("y\n", True), ("\n", False)])
@pytest.mark.parametrize("action", ["install", "uninstall"])
def test_an_entry_of_others_is_replaced_or_removed_after_a_question(
    action: str, typed: str, writes: bool, root: Path, home: Path
) -> None:
    path = root / ".mcp.json"
    before = foreign(path, AgentName.CLAUDE)
    code, sent = in_terminal(
        "agent", action, "claude", directory=root, environ={"HOME": str(home)}, typed=typed
    )
    assert code == 0
    assert "did not write (env)" in sent
    assert (path.read_text() != before) is writes
    assert ("elsewhere" in path.read_text()) is not writes


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "cannot be understood"),
        ('{"mcpServers": []}', "mcpServers is not an object"),
        ("\udcff", "cannot be understood"),
    ],
)
def test_a_file_that_is_not_understood_is_left_as_it_is(
    text: str, says: str, root: Path, home: Path
) -> None:
    path = root / ".mcp.json"
    path.write_bytes(text.encode(errors="surrogateescape"))
    code, shown, notes = agent("install", "claude", "--yes", root=root, home=home)
    assert (code, shown) == (2, "")
    assert says in notes
    assert path.read_bytes() == text.encode(errors="surrogateescape")
    assert '"command": "codesearch"' in notes  # to paste


def test_a_dry_run_and_a_pipe_write_nothing(root: Path, home: Path) -> None:
    code, shown, notes = agent("install", "claude", "--dry-run", root=root, home=home)
    assert (code, notes) == (0, "Nothing was written.\n")
    assert '+    "codesearch": {' in shown
    code, _, notes = agent("install", "claude", root=root, home=home)
    assert code == 2
    assert "add --yes" in notes
    assert not (root / ".mcp.json").exists()


@pytest.mark.parametrize(("typed", "writes"), [("y\n", True), ("\n", False)])
def test_on_a_terminal_it_asks(typed: str, writes: bool, root: Path, home: Path) -> None:
    code, sent = in_terminal(
        "agent", "install", "claude", directory=root, environ={"HOME": str(home)}, typed=typed
    )
    assert code == 0
    assert f"Write {root / '.mcp.json'}? [y/N]" in sent
    assert (root / ".mcp.json").exists() is writes


def test_outside_of_a_repository_it_says_what_to_add(tmp_path: Path, home: Path) -> None:
    code, _, notes = agent("install", "claude", "--yes", root=tmp_path, home=home)
    assert code == 2
    assert "or add --user" in notes


def test_a_link_out_of_the_repository_is_not_followed(root: Path, home: Path) -> None:
    (root / ".mcp.json").symlink_to(home / "important.json")
    code, _, notes = agent("install", "claude", "--yes", root=root, home=home)
    assert code == 2
    assert "is a link out of the repository" in notes
    assert not (home / "important.json").exists()


def test_a_link_of_one_s_own_is_followed(root: Path, home: Path) -> None:
    (home / "dotfiles").mkdir()
    (home / "dotfiles/claude.json").write_text("{}")
    (home / ".claude.json").symlink_to("dotfiles/claude.json")
    assert agent("install", "claude", "--user", "--yes", root=root, home=home)[0] == 0
    assert (home / ".claude.json").is_symlink()
    assert "codesearch" in (home / "dotfiles/claude.json").read_text()


def test_the_command_can_be_another(root: Path, home: Path) -> None:
    command = "uvx --from aeterna-code-search codesearch"
    _, _, notes = agent("install", "cursor", "--command", command, "-y", root=root, home=home)
    server = installed(root / ".cursor/mcp.json", AgentName.CURSOR)
    expected = ["--from", "aeterna-code-search", "codesearch", "mcp"]
    assert server == {"command": "uvx", "args": expected}
    _, _, notes = agent("install", "cursor", "--command", "/not/there", "-y", root=root, home=home)
    assert "/not/there is not on your PATH" in notes


def test_what_uvx_has_started_is_named_with_uvx(monkeypatch: pytest.MonkeyPatch) -> None:
    assert agent_command._own_command() == ["codesearch"]
    monkeypatch.setattr(sys, "prefix", "/home/ada/.cache/uv/archive-v0/x1")
    expected = ["uvx", "--from", "aeterna-code-search", "codesearch"]
    assert agent_command._own_command() == expected


def test_the_rules_name_the_tools(root: Path, home: Path) -> None:
    code, shown, _ = agent("rules", root=root, home=home)
    assert code == 0
    assert shown.startswith("## Code search\n")
    named = set(re.findall(r"code_\w+", shown))
    tools = (ROOT / "docs/reference/agent-tools.md").read_text()
    assert named >= {"code_search", "code_grep", "code_trace_callers"}
    assert named <= set(re.findall(r"^\| `(\w+)` \|", tools, re.MULTILINE))
