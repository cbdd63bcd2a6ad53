"""`python -m benchmarks agents`: the tokens of ten tasks by kind of client, and the start.

`tokens` (the default) asks `codesearch mcp` over a service with the examples and this repository.
`fit` writes agents/token_costs.json from git work trees, `count` the table of the tests.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from mcp.client.stdio import StdioServerParameters
from rich.console import Console
from rich.table import Table

from aeterna_code_search.agents.tokens import estimate_tokens
from benchmarks.agents.answers import Sent, ask, ask_semble, serena_server
from benchmarks.agents.corpus import count, fit_costs
from benchmarks.agents.starting import starting
from benchmarks.agents.tasks import OWN_PROJECT, TASKS, Call
from benchmarks.agents.tokenizer import Tokenizer, installed_tokenizer
from benchmarks.tables import Figure, print_table
from scripts.examples import example_repositories, index_all, wait_until_linked
from scripts.local_git import git
from scripts.local_service import (
    ROOT,
    Organization,
    clean_environment,
    running_service,
    temporary_workspace,
)

MAX_OVER: Final = 1.15
LINK_SECONDS: Final = 600
Answers = Sequence[Sent | None]


def main(arguments: Sequence[str]) -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks agents", description=__doc__)
    parser.add_argument("what", nargs="?", choices=["tokens", "fit", "count"], default="tokens")
    parser.add_argument("directories", nargs="*", type=Path, help="of fit: git work trees")
    parser.add_argument("--workspace", type=Path, help="kept, and used again; default: a new one")
    parser.add_argument("--before", type=Path, help="a work tree of another version to compare")
    parser.add_argument("--semble", type=Path, help="an interpreter with semble 0.7")
    parser.add_argument("--serena", type=Path, help="the program serena, with uvx on the PATH")
    options = parser.parse_args(arguments)
    with temporary_workspace("aeterna-bench-agents-") as temporary:
        workspace = (options.workspace or temporary).resolve()
        workspace.mkdir(exist_ok=True)
        tokenizer = installed_tokenizer(workspace)
        if options.what == "fit":
            fit_costs(options.directories, tokenizer)
        elif options.what == "count":
            count(tokenizer)
        else:
            _measure(workspace, tokenizer, options)


def _measure(workspace: Path, tokenizer: Tokenizer, options: argparse.Namespace) -> None:
    projects = example_repositories(workspace / "projects")
    own = workspace / "projects" / OWN_PROJECT
    git(ROOT, "clone", "--quiet", "--depth=1", f"file://{ROOT}", str(own))
    with running_service(workspace / "data") as service:
        acme = Organization(service, "acme", service.create_organization("acme"))
        index_all(acme, {**projects, OWN_PROJECT: own})
        wait_until_linked(acme, seconds=LINK_SECONDS)
        environment = clean_environment(
            {
                "AETERNA_URL": service.url,
                "AETERNA_TOKEN": acme.token,
                "AETERNA_ORGANIZATION": acme.slug,
                "AETERNA_DATA_DIR": str(workspace / "own"),
            }
        )
        errors = workspace / "errors"
        calls = [task.ours for task in TASKS]
        structured = [Call(call.tool, {**call.arguments, "structured": True}) for call in calls]
        server = _server(environment, workspace)
        told: dict[str, Answers] = {}
        if options.before:
            of_before = {**environment, "PYTHONPATH": str(options.before.resolve())}
            told["before"] = ask(_server(of_before, workspace), calls, errors)
        told["now"] = ask(server, calls, errors)
        told["structured"] = ask(server, structured, errors)
        figures = starting(environment, workspace)
    if options.semble:
        told["semble"] = ask_semble(options.semble, workspace / "projects", workspace / "home")
    if options.serena:
        peer = serena_server(options.serena, workspace / "projects", environment)
        told["Serena"] = ask(peer, [task.serena for task in TASKS], errors)
    _print(told, tokenizer)
    print_table([*figures, *_estimates(told, tokenizer)])


def _server(environment: dict[str, str], directory: Path) -> StdioServerParameters:
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "aeterna_code_search.cli", "mcp"],
        env=environment,
        cwd=directory,
    )


def _print(told: dict[str, Answers], tokenizer: Tokenizer) -> None:
    """Print the tokens that a model reads: from text, from structured content, from both."""
    columns = []
    for answers in told.values():
        texts = [list(sent.by_client.values()) for sent in answers if sent]
        counts = iter(tokenizer.count([text for kinds in texts for text in kinds]))
        columns.append([[next(counts) for _ in range(3)] if sent else None for sent in answers])
    table = Table("task", *(f"{name}: text / structure / both" for name in told))
    for task, *cells in zip(TASKS, *columns, strict=True):
        table.add_row(task.wanted, *map(_cell, cells))
    sums = [[sum(kinds) for kinds in zip(*filter(None, cells), strict=True)] for cells in columns]
    table.add_row("together", *map(_cell, sums))
    Console(width=200).print(table)


def _cell(counts: Sequence[int] | None) -> str:
    return " / ".join(f"{count:,}" for count in counts) if counts else "none"


def _estimates(told: dict[str, Answers], tokenizer: Tokenizer) -> list[Figure]:
    """Return how far the estimates of this version are above the counts."""
    texts = [
        text
        for name in ("now", "structured")
        for sent in told[name]
        if sent
        for text in (sent.text, sent.structure)
        if text
    ]
    counts = tokenizer.count(texts)
    over = [estimate_tokens(text) / count for text, count in zip(texts, counts, strict=True)]
    return [
        Figure("least estimate of an answer, of its tokens", min(over), "times", 1, at_least=True),
        Figure("largest estimate of an answer, of its tokens", max(over), "times", MAX_OVER),
    ]
