"""Processor time of a server's processes until it has listed its tools."""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import psutil

from benchmarks.tables import Figure

STARTS: Final = 7
MAX_RATIO: Final = 1.3
_BARE: Final = """
import anyio
from mcp.server import MCPServer
anyio.run(MCPServer("bare", subscriptions=False).run_stdio_async)
"""
_INITIALIZE: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmark", "version": "1"},
}


def starting(environment: Mapping[str, str], directory: Path) -> list[Figure]:
    """Measure `codesearch mcp` and the SDK's server without tools, in turns."""
    programs = (
        [sys.executable, "-c", _BARE],
        [sys.executable, "-m", "aeterna_code_search.cli", "mcp"],
    )
    samples: list[list[float]] = [[], []]
    for start in range(STARTS + 1):
        for program, seconds in zip(programs, samples, strict=True):
            taken = _until_listed(program, environment, directory)
            if start:  # the first one compiles
                seconds.append(taken)
    bare, ours = map(statistics.median, samples)
    return [
        Figure("the SDK's server without tools, until tools/list is answered", bare, "s CPU"),
        Figure("codesearch mcp, until tools/list is answered", ours, "s CPU"),
        Figure("… of the SDK's server", ours / bare, "times", MAX_RATIO),
    ]


def _until_listed(program: Sequence[str], environment: Mapping[str, str], directory: Path) -> float:
    with subprocess.Popen(
        program,
        env=dict(environment),
        cwd=directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        _ask(server, "initialize", _INITIALIZE)
        _ask(server, "tools/list", {})
        seconds = _processor_seconds(server.pid)
        server.kill()
    return seconds


def _ask(server: "subprocess.Popen[str]", method: str, parameters: dict[str, Any]) -> None:
    assert server.stdin
    assert server.stdout
    message = {"jsonrpc": "2.0", "id": method, "method": method, "params": parameters}
    server.stdin.write(f"{json.dumps(message)}\n")
    server.stdin.flush()
    if "result" not in json.loads(server.stdout.readline()):
        raise RuntimeError(f"{method} is not answered")


def _processor_seconds(process: int) -> float:
    """Return the time of a process and of those that it has started, to a clock tick."""
    seconds = 0.0
    for one in [psutil.Process(process), *psutil.Process(process).children(recursive=True)]:
        times = one.cpu_times()
        seconds += times.user + times.system + times.children_user + times.children_system
    return round(seconds, len(str(os.sysconf("SC_CLK_TCK"))))
