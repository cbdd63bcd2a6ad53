"""`codesearch mcp` as a process: its streams and its end. Its tools are `tests/agents`'."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from scripts.local_service import clean_environment, free_address
from tests.cli.command import PROGRAM
from tests.cli.conftest import MakeRepository
from tests.waiting import wait_until

INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Agent:
    """Speaks with a server over its standard input and output, a line a message."""

    def __init__(self, directory: Path, environ: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [*PROGRAM, "mcp"],
            cwd=directory,
            env=clean_environment(environ),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._id = 0

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a request; whatever else stands on standard output fails the test."""
        assert self.process.stdin
        assert self.process.stdout
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": parameters}
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert answer["id"] == self._id
        result: dict[str, Any] = answer["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Call a tool."""
        return self.ask("tools/call", name=tool, arguments=arguments)


@contextmanager
def new_agent(directory: Path, environ: dict[str, str]) -> Iterator[Agent]:
    """An agent whose server has introduced itself."""
    agent = Agent(directory, environ)
    with agent.process as process:
        agent.ask("initialize", **INITIALIZE)
        yield agent
        process.kill()


@pytest.fixture(scope="module")
def agent(
    acme_environ: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Agent]:
    with new_agent(tmp_path_factory.mktemp("elsewhere"), acme_environ) as agent:
        yield agent


def test_an_agent_searches_and_traces_the_place_of_its_directory(agent: Agent) -> None:
    found = agent.call("code_search", query="verify_token", limit=1)
    assert "structuredContent" not in found
    assert "\nauth-service/" in found["content"][0]["text"]
    callers = agent.call("code_trace_callers", symbol="HandleLogin", workspace="org-acme")
    assert "acme_auth/app.py:44" in callers["content"][0]["text"]
    status = agent.call("code_index_status", structured=True)
    assert len(status["structuredContent"]["projects"]["rows"]) == 2


def test_the_environment_asks_for_structured_content(
    acme_environ: dict[str, str], tmp_path: Path
) -> None:
    with new_agent(tmp_path, {**acme_environ, "AETERNA_STRUCTURED": "true"}) as agent:
        assert len(agent.call("code_index_status")["structuredContent"]["projects"]["rows"]) == 2
        assert "structuredContent" not in agent.call("code_index_status", structured=False)


def test_the_target_is_opened_when_the_tools_have_been_listed(tmp_path: Path) -> None:
    environ = {"AETERNA_DATA_DIR": str(tmp_path / "data"), "AETERNA_IDLE_MINUTES": "soon"}
    with new_agent(tmp_path, environ) as agent:
        assert agent.process.stderr
        assert len(agent.ask("tools/list")["tools"]) == 20
        assert "AETERNA_IDLE_MINUTES must be a number" in agent.process.stderr.readline()


def test_a_wrong_setting_is_named(acme_environ: dict[str, str], tmp_path: Path) -> None:
    server = Agent(tmp_path, {**acme_environ, "AETERNA_STRUCTURED": "yes"})
    _, errors = server.process.communicate()
    assert "AETERNA_STRUCTURED must be true or false; it is 'yes'." in errors


def test_in_a_checkout_that_is_not_indexed_an_agent_is_told(
    acme_environ: dict[str, str], make_repository: MakeRepository
) -> None:
    with new_agent(make_repository("brand-new", {"a.py": "a = 1\n"}), acme_environ) as agent:
        found = agent.call("code_search", query="verify_token", limit=1, structured=True)
    assert found["structuredContent"]["receipt"]["complete"] is False
    said = "Incomplete: brand-new (this checkout is not indexed; `codesearch init` indexes it)"
    assert said in found["content"][0]["text"]


def test_another_organisation_is_not_this_servers(agent: Agent) -> None:
    refused = agent.call("code_index_status", workspace="globex")
    assert refused["isError"]
    assert "organization_not_found" in refused["content"][0]["text"]


def test_names_that_are_alike_reach_the_agent(agent: Agent) -> None:
    refused = agent.call("code_trace_callers", symbol="verify_tokn")
    assert "symbol_not_found" in refused["content"][0]["text"]
    assert "Similar names: verify_token" in refused["content"][0]["text"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_and_leaves_no_process(
    acme_environ: dict[str, str], tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with new_agent(tmp_path, acme_environ) as agent:
        agent.call("code_index_status")
        children = psutil.Process(agent.process.pid).children(recursive=True)
        os.kill(agent.process.pid, number)
        assert agent.process.wait(timeout=30) == code
    wait_until(lambda: not any(map(is_alive, children)), f"{children} are left")


def is_alive(process: psutil.Process) -> bool:
    """False too for one that has ended and whose new parent has not looked at it yet."""
    try:
        return process.status() not in {psutil.STATUS_ZOMBIE, psutil.STATUS_DEAD}
    except psutil.NoSuchProcess:
        return False


def test_without_its_service_it_lists_tools_says_what_is_wrong_and_ends_with_its_input(
    tmp_path: Path,
) -> None:
    environ = {
        "AETERNA_URL": f"http://{free_address()}",
        "AETERNA_TOKEN": "aet_x",
        "AETERNA_ORGANIZATION": "acme",
    }
    with new_agent(tmp_path, environ) as agent:
        names = {tool["name"] for tool in agent.ask("tools/list")["tools"]}
        assert {"code_search", "code_graph", "search_code"} <= names
        refused = agent.call("code_search", query="x")
        assert "service_unavailable (503)" in refused["content"][0]["text"]
        output, _ = agent.process.communicate(timeout=30)
        assert (agent.process.returncode, output) == (0, "")
