"""What a person and an agent wait for: the command's start, a search by it, a search over MCP."""

import asyncio
import itertools
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from benchmarks.corpora import python_repository
from benchmarks.searching import QUERIES
from benchmarks.tables import Figure, percentile
from scripts.local_service import Organization, clean_environment, running_service
from scripts.local_watcher import running_watcher

COMMAND = str(Path(sys.executable).parent / "codesearch")
STARTS = 10
CALLS = 200


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of the command and of the tools against a running service."""
    repository = python_repository(workspace / "corpus", megabytes=1)
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        acme.index(repository, "corpus")
        yield Figure("chunks searched", acme.get("index/status")["total_chunks"], "chunks")
        environment = clean_environment(
            {
                "AETERNA_URL": service.url,
                "AETERNA_TOKEN": acme.token,
                "AETERNA_ORGANIZATION": acme.slug,
                "AETERNA_DATA_DIR": str(workspace / "own"),
            }
        )
        yield from starting(environment, repository)
        yield from over_http(acme)
        errors = workspace / "errors"
        yield from over_stdio(environment, repository, errors)
        with running_watcher(repository, workspace / "own", environment):
            (repository / "uncommitted.py").write_text("def retry_with_back_off():\n    pass\n")
            yield from uncommitted(environment, repository, errors)


def starting(environment: Mapping[str, str], directory: Path) -> Iterator[Figure]:
    """From the command to the end of its process."""
    helped = run_command(environment, directory, "--help")
    yield Figure("codesearch --help, median", percentile(helped, 50), "ms", 300)
    found = run_command(environment, directory, "search", "retry", "with", "back-off")
    yield Figure("codesearch search, median", percentile(found, 50), "ms", 600)


def run_command(environment: Mapping[str, str], directory: Path, *arguments: str) -> list[float]:
    """Milliseconds of each of some starts; the first, which compiles, is not counted."""
    samples = []
    for _ in range(STARTS + 1):
        started = time.perf_counter()
        subprocess.run(
            [COMMAND, *arguments], env=environment, cwd=directory, check=True, capture_output=True
        )
        samples.append(1000 * (time.perf_counter() - started))
    return samples[1:]


def over_http(acme: Organization) -> Iterator[Figure]:
    """`search_code` at the service's /mcp."""

    async def asked() -> list[float]:
        headers = {"Authorization": f"Bearer {acme.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=30) as http:
            transport = streamable_http_client(f"{acme.service.url}/mcp", http_client=http)
            async with Client(transport) as client:
                return await calls(client)

    yield from latencies("over HTTP", asyncio.run(asked()))


def over_stdio(environment: Mapping[str, str], directory: Path, errors: Path) -> Iterator[Figure]:
    """`search_code` by `codesearch mcp`, from its start to the first answer and then on."""

    async def asked() -> tuple[float, list[float]]:
        started = time.perf_counter()
        async with stdio_agent(environment, directory, errors) as client:
            await client.list_tools()
            ready = 1000 * (time.perf_counter() - started)
            return ready, await calls(client)

    ready, samples = asyncio.run(asked())
    yield Figure("codesearch mcp, until the tools are listed", ready, "ms")
    yield from latencies("over stdio", samples)


def uncommitted(environment: Mapping[str, str], directory: Path, errors: Path) -> Iterator[Figure]:
    """The same with uncommitted work in front: two services are asked, one answer is made."""

    async def asked() -> list[float]:
        async with stdio_agent(environment, directory, errors) as client:
            while not await is_in_front(client):
                await asyncio.sleep(0.1)
            return await calls(client)

    yield from latencies("over stdio, uncommitted work in front", asyncio.run(asked()))


async def is_in_front(client: Client) -> bool:
    """Whether an answer has the uncommitted file."""
    result = await client.call_tool("code_index_status", {"structured": True})
    status = result.structured_content or {}
    return bool(status.get("local", {}).get("files"))


@asynccontextmanager
async def stdio_agent(
    environment: Mapping[str, str], directory: Path, errors: Path
) -> AsyncIterator[Client]:
    """The SDK's client with a `codesearch mcp` of its own."""
    server = StdioServerParameters(
        command=COMMAND, args=["mcp"], env=dict(environment), cwd=directory
    )
    with errors.open("w") as log:
        async with Client(stdio_client(server, errlog=log)) as client:
            yield client


async def calls(client: Client) -> list[float]:
    """Milliseconds of searches, one after the other, after some that are not counted."""
    samples = []
    for query in itertools.islice(itertools.cycle(QUERIES), len(QUERIES) + CALLS):
        started = time.perf_counter()
        result = await client.call_tool("search_code", {"query": query, "top_k": 10})
        if result.is_error:
            raise RuntimeError(f"search_code: {result.content}")
        samples.append(1000 * (time.perf_counter() - started))
    return samples[len(QUERIES) :]


def latencies(how: str, samples: list[float]) -> Iterator[Figure]:
    """Both percentiles."""
    yield Figure(f"search_code {how}, p50", percentile(samples, 50), "ms", 200)
    yield Figure(f"search_code {how}, p99", percentile(samples, 99), "ms", 200)
