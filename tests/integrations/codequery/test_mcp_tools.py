"""CodeQuery as a tool of `codesearch mcp --with codequery`, a process that speaks MCP."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aeterna_code_search.integrations.codequery.records import FIELDS
from scripts.local_service import clean_environment
from tests.cli.command import PROGRAM
from tests.cli.mcp.test_stdio import INITIALIZE
from tests.integrations.codequery.openai_server import Server


@contextmanager
def agent(directory: Path, environ: Mapping[str, str]) -> Iterator["Agent"]:
    """Its service is one that is away: CodeQuery needs none."""
    away = {"AETERNA_URL": "http://127.0.0.1:9", "AETERNA_TOKEN": "x", "AETERNA_ORGANIZATION": "x"}
    with subprocess.Popen(
        [*PROGRAM, "mcp", "--with", "codequery"],
        cwd=directory,
        env=clean_environment({**away, **environ}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            speaker = Agent(process)
            speaker.ask("initialize", **INITIALIZE)
            yield speaker
        finally:
            process.kill()


class Agent:
    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process, self._id = process, 0

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        assert self._process.stdin
        assert self._process.stdout
        self._id += 1
        message = {"jsonrpc": "2.0", "id": self._id, "method": method, "params": parameters}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()
        result: dict[str, Any] = json.loads(self._process.stdout.readline())["result"]
        return result

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", name=tool, arguments=arguments)


def test_the_tool_answers_by_its_name_and_its_aliases(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    with agent(checkout, environ) as asked:
        [tool] = [one for one in asked.ask("tools/list")["tools"] if one["name"] == "CodeQuery"]
        assert tuple(tool["inputSchema"]["properties"]) == FIELDS
        assert tool["inputSchema"]["required"] == ["query"]
        assert not tool["annotations"]["readOnlyHint"]
        for name in ("CodeQuery", "code_query", "code-query"):
            result = asked.call(name, query="verify_token", include_results=True)
            assert result["content"][0]["text"] == "It is in src/tokens.py."
            assert result["structuredContent"]["results"][0]["file_path"] == "src/tokens.py"
        refused = asked.call("CodeQuery", query="x", model="gpt-4")
        assert refused["isError"]
        assert "invalid_request (400): model must be" in refused["content"][0]["text"]
        refused = asked.call("CodeQuery", query="x", concurrent_limit=21)
        assert "concurrent_limit must be less than or equal to 20" in str(refused["content"])
    assert len(server.uploaded) == 2


def test_where_it_is_off_the_tool_says_so(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    Path(environ["CODESEARCH_CONFIG"]).write_text("")
    (checkout / "config.toml").write_text("[codequery]\nenabled = true\n")
    with agent(checkout, environ) as asked:
        refused = asked.call("CodeQuery", query="x")
    assert refused["isError"]
    assert "disabled (400): CodeQuery is disabled" in refused["content"][0]["text"]
    assert environ["CODESEARCH_CONFIG"] in refused["content"][0]["text"]
    assert server.requests == []
