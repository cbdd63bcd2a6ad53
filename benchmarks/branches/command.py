"""`python -m benchmarks branches`: five public repositories with five release branches each.

Measures what a branch takes beside an own small repository of only the files that differ from the
default branch: rows, bytes and seconds. Then a merge into a branch beside the same into the default
one, and searches and callers of the default branch with and without branches, in turns.
Writes build/branches.json.
"""

import argparse
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from benchmarks import pinned, tables
from benchmarks.branches import default_branch, merges, storage
from benchmarks.branches.clones import Clone, lay_out
from benchmarks.resource_usage import opened_database
from benchmarks.tables import Figure
from scripts.local_service import Organization, running_service, temporary_workspace

_REPOSITORIES = Path(__file__).with_name("repositories.toml")
OUTPUT = Path("build/branches.json")
_ALLOW = "UPDATE tenancy_organization SET branches = '{release/*}'"


def main(arguments: Sequence[str]) -> None:
    """Index the repositories and their branches, measure, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks branches", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--workspace", type=Path, help="where clones are kept; default: a new one")
    parser.add_argument("--only", nargs="*", help="names of repositories; default: all")
    options = parser.parse_args(arguments)
    rows = tomllib.loads(_REPOSITORIES.read_text(encoding="utf-8"))["repository"]
    with temporary_workspace("aeterna-bench-branches-") as temporary, ExitStack() as stack:
        workspace = (options.workspace or temporary).resolve()
        clones = [
            lay_out(_pinned(row), row["releases"], workspace, clones=options.repositories)
            for row in rows
            if not options.only or row["name"] in options.only
        ]
        started = (
            stack.enter_context(running_service(temporary / name))
            for name in ("with", "off", "own")
        )
        with_branches, without, own = (service.organization("acme") for service in started)
        with opened_database(with_branches.service) as database:
            database.execute(_ALLOW)
        figures: list[Figure] = []
        for figure in _measured(clones, with_branches, without, own, workspace):
            print(f"{figure.name}: {figure.value:.4g} {figure.unit}", flush=True)
            figures.append(figure)
    tables.show(figures, OUTPUT)


def _pinned(row: Mapping[str, Any]) -> pinned.PinnedRepository:
    return pinned.PinnedRepository(row["name"], row["url"], row["head"], ())


def _measured(
    clones: Sequence[Clone],
    with_branches: Organization,
    without: Organization,
    own: Organization,
    workspace: Path,
) -> Iterator[Figure]:
    for clone in clones:
        print(f"{clone.name}: indexing", flush=True)
        for acme in (with_branches, without):
            acme.index(clone.check_out("main"), clone.name)
    yield from storage.branches(clones, with_branches, own, workspace / "differing")
    yield from default_branch.beside(with_branches, without, clones)
    yield from default_branch.on_branches(with_branches, clones)
    yield from merges.beside(clones, with_branches, without)
