"""The installed wheel, outside of the checkout: from the version to an agent's first question."""

import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from mcp.client.stdio import StdioServerParameters

from central.runtime.data_directory import running_server
from central.runtime.idle_shutdown import keep_alive
from scripts.local_git import commit_all, new_repository
from scripts.local_service import temporary_workspace
from tests.distribution.conftest import NAME, Installation, install, uv
from tests.e2e.agents import agent_over_stdio
from tests.e2e.conftest import has_postgres, write_files
from tests.waiting import wait_until

AGENTS_SDK = "openai-agents==0.24.0"  # it installs a package `agents`

MAIL = "def deliver_mail(envelope):\n    return envelope\n\n\ndef send():\n    deliver_mail('a')\n"


@dataclass(frozen=True)
class User:
    """Someone with a home directory and a repository, who has only installed the package."""

    installation: Installation
    home: Path
    repository: Path

    @property
    def data(self) -> Path:
        """Where an index is kept if nothing says otherwise."""
        return self.home / ".local/share/aeterna-code-search"

    def run(self, *command: str) -> str:
        """Standard output of a program that succeeds."""
        done = self.installation.run(*command, home=self.home, directory=self.repository)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture(scope="module")
def user(installation: Installation) -> Iterator[User]:
    with temporary_workspace("aeterna-home-") as home:
        repository = new_repository(home / "mail")
        write_files(repository, {"mail.py": MAIL})
        commit_all(repository, "First commit")
        someone = User(installation, home, repository)
        with keep_alive(someone.data):  # one service for all commands
            assert "1 indexed, 0 skipped" in someone.run("codesearch", "init")
            yield someone
        wait_until(lambda: not has_postgres(someone.data), "PostgreSQL still runs")


def test_the_version_is_that_of_the_wheel(user: User) -> None:
    version = user.installation.wheel.name.split("-")[1]
    assert user.run("codesearch", "--version") == f"codesearch {version}\n"


def test_a_search_finds_what_init_has_indexed(user: User) -> None:
    assert "mail/mail.py:1: def deliver_mail" in user.run("codesearch", "search", "deliver mail")


def test_the_model_is_in_the_wheel(user: User) -> None:
    found = user.run("codesearch", "search", "--mode", "semantic", "letters are posted")
    assert "mail/mail.py:" in found


def test_a_trace_finds_the_caller(user: User) -> None:
    traced = user.run("codesearch", "trace", "callers", "deliver_mail")
    assert "mail/mail.py:6: send -> deliver_mail" in traced


def test_an_agent_asks_over_stdio(user: User, tmp_path: Path) -> None:
    parameters = StdioServerParameters(
        command=str(user.installation.prefix / "bin/codesearch"),
        args=["mcp"],
        env=user.installation.variables(user.home),
        cwd=user.repository,
    )
    with agent_over_stdio(parameters, tmp_path / "errors") as agent:
        assert "code_search" in agent.tools()
        answer = agent.ask("code_search", query="deliver mail", limit=1)
    assert answer["count"] == 1


def test_the_management_commands_have_a_program(user: User) -> None:
    assert "create_organization" in user.run("aeterna-manage", "help")
    assert user.run("aeterna-manage", "list_tokens", "--organization", "local") == ""


def test_pages_have_their_templates_and_static_files(user: User) -> None:
    server = running_server(user.data)
    assert server is not None
    page = httpx.get(server["url"], follow_redirects=True)
    assert page.status_code == 200
    [style] = re.findall(r'href="([^"]+/site[^"]*[.]css)"', page.text)
    assert httpx.get(f"{server['url']}{style}").status_code == 200


def test_the_base_installation_needs_no_package_of_the_server(installation: Installation) -> None:
    listed = uv("pip", "freeze", "--python", installation.prefix / "bin/python").stdout
    assert "\ndjango==" in listed
    assert "redis==" not in listed
    assert "opentelemetry-sdk==" not in listed


def test_the_extras_stand_beside_a_distribution_with_a_package_called_agents(
    installation: Installation, tmp_path: Path
) -> None:
    prefix = tmp_path / "venv"
    uv("venv", "--python", sys.executable, prefix)
    package = f"{NAME}[chunkhound,codequery,langchain,server]"
    command = ("pip", "install", "--python", prefix / "bin/python")
    install(*command, package, environment=installation.settings())
    install(*command, AGENTS_SDK, environment={})
    ours = "aeterna_code_search.integrations"
    modules = f"redis, opentelemetry.sdk, xxhash, {ours}.chunkhound.search"
    modules += f", {ours}.codequery.tool, {ours}.langchain.tool, aeterna_code_search.agents"
    program = f"import {modules}; from agents import Agent, Runner"
    done = subprocess.run(
        [prefix / "bin/python", "-P", "-c", program],
        cwd=tmp_path,
        env=installation.variables(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
