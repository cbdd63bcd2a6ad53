"""Answers of tools as clients hand them to a model: text, structured content, or both."""

import asyncio
import json
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

from aeterna_code_search.agents.tokens import compact_json
from benchmarks.agents.tasks import TASKS, Call
from benchmarks.retrieval.baseline import MODEL

_SEMBLE = Path(__file__).with_name("ask_semble.py")


@dataclass(frozen=True, slots=True)
class Sent:
    """What a client receives; "" without structured content."""

    text: str
    structure: str = ""

    @property
    def by_client(self) -> dict[str, str]:
        """What the model reads, by what its client gives it."""
        return {
            "text": self.text,
            "structure": self.structure or self.text,
            "both": f"{self.text}{self.structure}",
        }


def ask(
    server: StdioServerParameters, calls: Sequence[Call | None], errors: Path
) -> list[Sent | None]:
    """Return a server's answer to each call. Raises RuntimeError for an error."""

    async def asked() -> list[Sent | None]:
        with errors.open("w") as log:
            async with Client(stdio_client(server, errlog=log)) as client:
                return [
                    call and _sent(call, await client.call_tool(call.tool, call.arguments))
                    for call in calls
                ]

    return asyncio.run(asked())


def _sent(call: Call, result: CallToolResult) -> Sent:
    text = "".join(part.text for part in result.content if isinstance(part, TextContent))
    if result.is_error:
        raise RuntimeError(f"{call.tool}: {text}")
    structure = result.structured_content
    return Sent(text, "" if structure is None else compact_json(structure))


def ask_semble(python: Path, directory: Path, home: Path) -> list[Sent | None]:
    """Return the answers of semble's tool `search`, which the SDK repeats as `result`."""
    queries = [task.semble for task in TASKS if task.semble]
    question = {"directory": str(directory), "model": str(MODEL), "queries": queries}
    home.mkdir(exist_ok=True)
    environment = {"HOME": str(home), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        [python, _SEMBLE],
        input=json.dumps(question),
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    answers = iter(json.loads(done.stdout))
    return [
        Sent(text := next(answers), compact_json({"result": text})) if task.semble else None
        for task in TASKS
    ]


def serena_server(
    program: Path, directory: Path, environ: Mapping[str, str]
) -> StdioServerParameters:
    """Return Serena with its own tools, for the project at `directory`."""
    options = ["--agent-interface", "tools", "--enable-web-dashboard", "false"]
    options += ["--enable-gui-log-window", "false", "--project", str(directory)]
    # The language server would find the names of this work tree instead of the project's.
    own = {name: value for name, value in environ.items() if name != "PYTHONPATH"}
    return StdioServerParameters(command=str(program), args=["start-mcp-server", *options], env=own)
