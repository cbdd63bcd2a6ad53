"""`python -m benchmarks pycg`: call graphs of PyCG's micro-benchmark, against those expected.

Its programs are small, each of one feature of Python: a category is a folder of them. An expected
graph names functions; what the service has beside it (classes, values that are passed on) is left
out. Edges to what has no source in a program are `outside`, and are counted apart.
"""

import argparse
import ast
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import httpx

from benchmarks import pinned, tables
from scripts.local_service import Service, running_service, temporary_workspace

REPOSITORY = pinned.PinnedRepository(
    "PyCG",
    "https://github.com/vitsalis/PyCG",
    "8d5dc40837803beef1d8d379fbf2cdad6cd94641",
    ("micro-benchmark/snippets",),
)
OUTPUT = Path("build/pycg.json")
ALL = "all"
_CALLS = ("call", "new", "decorate")
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Edges = dict[tuple[str, str], str]  # the confidence by caller and callee, with their modules


@dataclass
class Tally:
    """The edges of a category; a program is sound if none is missed, complete if none is wrong."""

    programs: int = 0
    expected: int = 0
    outside: int = 0
    right: int = 0
    wrong: int = 0
    wrong_at_high: int = 0
    sound: int = 0
    complete: int = 0
    differences: list[str] = field(default_factory=list)

    def add(self, name: str, expected: set[tuple[str, str]], found: Edges, outside: int) -> None:
        """Count a program."""
        missed, wrong = expected - found.keys(), found.keys() - expected
        self.programs += 1
        self.expected += len(expected)
        self.outside += outside
        self.right += len(expected) - len(missed)
        self.wrong += len(wrong)
        self.wrong_at_high += sum(found[edge] == "high" for edge in wrong)
        self.sound += not missed and not outside
        self.complete += not wrong
        self.differences += [f"{name}: missed: {a} -> {b}" for a, b in sorted(missed)]
        self.differences += [f"{name}: {found[one]}: {' -> '.join(one)}" for one in sorted(wrong)]


def main(arguments: Sequence[str]) -> None:
    """Index all programs as one repository, compare, print the tables, write build/pycg.json."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks pycg", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--verbose", action="store_true", help="list what is missed or wrong")
    options = parser.parse_args(arguments)
    with temporary_workspace("aeterna-bench-pycg-") as workspace:
        cached, clones = workspace / "cache", options.repositories
        directory = pinned.lay_out(REPOSITORY, workspace, clones=clones, cache=cached)
        with running_service(workspace / "data") as service:
            found = _found(service, directory)
        tallies = _tallies(directory / REPOSITORY.paths[0], found)
    for category, tally in tallies.items() if options.verbose else ():
        if category != ALL:
            print("\n".join(f"{category}/{line}" for line in tally.differences))
    tables.show([one for named in tallies.items() for one in _figures(*named)], OUTPUT)


def _tallies(snippets: Path, found: Mapping[Path, Edges]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = defaultdict(Tally)
    for file in sorted(snippets.rglob("callgraph.json")):
        program = file.parent
        graph = json.loads(file.read_text(encoding="utf-8"))
        expected = {(caller, one) for caller, callees in graph.items() for one in callees}
        inside = {edge for edge in expected if _is_inside(program, edge[1])}
        for name in (program.parent.name, ALL):
            tallies[name].add(
                program.name, inside, found.get(program, {}), len(expected) - len(inside)
            )
    return {name: tallies[name] for name in sorted(tallies, key=lambda one: (one == ALL, one))}


def _is_inside(program: Path, callee: str) -> bool:
    module = program / callee.partition(".")[0]
    return module.is_dir() or module.with_suffix(".py").exists()


def _found(service: Service, repository: Path) -> dict[Path, Edges]:
    """Return the edges between functions, by program."""
    organization = service.organization("pycg")
    organization.index(repository, "pycg")
    found: dict[Path, Edges] = defaultdict(dict)
    asked = {"org_id": "pycg"}
    headers = {"Authorization": f"Bearer {organization.token}"}
    with httpx.Client(base_url=service.url, headers=headers, timeout=60) as client:
        while asked.get("cursor") != "":
            page = client.get("/api/v1/trace/calls", params=asked).raise_for_status().json()
            for call in page["calls"]:
                path = repository / call["path"]
                program = repository.joinpath(*Path(call["path"]).parts[:4])
                callee = _name(program, repository / call["callee_path"], call["callee"])
                if call["kind"] in _CALLS and callee:
                    edge = (_caller(program, path, call), callee)
                    known = found[program].get(edge, call["confidence"])
                    found[program][edge] = min(known, call["confidence"])  # "high" is first
            asked["cursor"] = page["next_cursor"] or ""
    return found


def _caller(program: Path, path: Path, call: Mapping[str, str]) -> str:
    """Return the function that calls: what decorates one is called by what is around it."""
    name = "" if call["caller"] == "<module>" else call["caller"]
    if call["kind"] == "decorate":
        name = name.rpartition(".")[0]
    while not (found := _name(program, path, name)):
        name = name.rpartition(".")[0]
    return found


def _name(program: Path, path: Path, name: str) -> str:
    """Return a function's or module's name as expected graphs have it; "" for a class."""
    if name and name not in _functions(path):
        return ""
    modules = path.relative_to(program).with_suffix("").parts
    return ".".join([*(part for part in modules if part != "__init__"), *filter(None, [name])])


@cache
def _functions(path: Path) -> frozenset[str]:
    return frozenset(_functions_in(ast.parse(path.read_text(encoding="utf-8")), ""))


def _functions_in(around: ast.AST, prefix: str) -> Iterator[str]:
    for one in ast.iter_child_nodes(around):
        is_function = isinstance(one, _FUNCTIONS)
        name = f"{prefix}{one.name}" if isinstance(one, (*_FUNCTIONS, ast.ClassDef)) else ""
        if is_function:
            yield name
        yield from _functions_in(one, f"{name}." if name else prefix)


def _figures(name: str, tally: Tally) -> Iterator[tables.Figure]:
    found = tally.right + tally.wrong
    yield tables.Figure(
        f"{name}: recall of {tally.expected} edges", _share(tally.right, tally.expected), ""
    )
    yield tables.Figure(f"{name}: precision of {found}", _share(tally.right, found), "")
    yield tables.Figure(f"{name}: wrong at high", tally.wrong_at_high, "edges")
    yield tables.Figure(f"{name}: sound of {tally.programs}", tally.sound, "programs")
    yield tables.Figure(f"{name}: complete of {tally.programs}", tally.complete, "programs")


def _share(count: int, of: int) -> float:
    return count / of if of else 1.0
