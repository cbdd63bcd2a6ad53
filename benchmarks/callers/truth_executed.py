"""The truth for Python by execution: which definition each call reached while the tests ran.

It knows fixtures and other values that no tool tells the type of, and nothing of what was not run.
"""

import ast
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.callers.python_source import Outline, Used
from benchmarks.callers.repositories import Family, Repository
from benchmarks.callers.tools import ToolError, python_packages
from benchmarks.callers.truth import Definition, Site, Truth
from benchmarks.callers.truth_python import Definitions, outline

PLUGIN = Path(__file__).with_suffix("") / "record_calls.py"
OPTIONS = (
    *("-q", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings=", "--tb=no"),
    *("--continue-on-collection-errors", "--timeout=60", "-m", "not stress"),
)
ELSEWHERE = "--ignore-glob=*test_serving*"  # servers in processes of their own: nothing is seen
SECONDS = 900
Row = tuple[str, int, int, str, str]  # as the plugin writes them


def find(family: Family, workspace: Path, cache: Path) -> Truth:
    """Run each repository's tests, with the sources of all; sites are the calls that were made."""
    python = python_packages(family.libraries, cache) / "bin" / "python"
    files = [
        (repository.name, path.relative_to(workspace / repository.name).as_posix())
        for repository in family.repositories
        for path in sorted((workspace / repository.name).rglob("*.py"))
    ]
    outlines = {file: one for file in files if (one := outline(workspace, file))}
    definitions = Definitions(family, outlines)
    reached: dict[tuple[str, str], dict[tuple[int, int], set[int]]] = {}
    for repository in family.repositories:
        for path, line, column, callee, name in run_tests(family, repository, workspace, python):
            file = _inside(workspace, path)  # of a template it is none of these
            target = definitions.index.get((*_inside(workspace, callee), name))
            if target is not None and file in outlines:
                reached.setdefault(file, {}).setdefault((line, column), set()).add(target)
    sites = [
        site
        for (project, file), places in sorted(reached.items())
        for use, targets in _uses(workspace / project / file, outlines[project, file], places)
        if (site := _site(definitions, (project, file), use, targets))
    ]
    return Truth("tests that ran", tuple(definitions.all), tuple(sites), is_partial=True)


def _uses(
    path: Path, outline: Outline, places: dict[tuple[int, int], set[int]]
) -> Iterator[tuple[Used, set[int]]]:
    names = names_of_calls(path.read_text(encoding="utf-8"))
    used = {(one.line, one.column): one for one in outline.used}
    for end, targets in sorted(places.items()):
        if use := used.get(names.get(end, (0, 0))):
            yield use, targets


def _site(
    definitions: Definitions, file: tuple[str, str], use: Used, targets: set[int]
) -> Site | None:
    """Of what was reached, what bears the name: else a wrapper or an operator was in between."""
    named = tuple(sorted(one for one in targets if definitions.all[one].name == use.name))
    place = (*file, use.line, use.column)
    means = meaning(named, definitions.all, use.receiver)
    return Site(*place, use.name, use.kind, *means, use.receiver) if named else None


def meaning(
    reached: tuple[int, ...], definitions: Sequence[Definition], receiver: str
) -> tuple[tuple[int, ...], bool, None, tuple[int, ...]]:
    """Targets, judged, owner and held of a site; a variable holds a method without a receiver."""
    if not receiver and any(definitions[one].kind == "method" for one in reached):
        return (), True, None, reached
    return reached, True, None, ()


def run_tests(
    family: Family, repository: Repository, workspace: Path, python: Path
) -> Iterator[Row]:
    """What the plugin saw; that tests fail is no matter, as long as they ran."""
    written = workspace / f"{repository.name}.calls.json"
    written.unlink(missing_ok=True)
    sources = [
        str((workspace / one.name / package).parent)
        for one in family.repositories
        for package in one.packages
    ]
    environment = {
        **os.environ,
        "CALLS_BELOW": str(workspace),
        "CALLS_FILE": str(written),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(PLUGIN.parent), *sources]),
    }
    command = [str(python), "-m", "pytest", "-p", PLUGIN.stem, *OPTIONS, ELSEWHERE, "tests"]
    directory = workspace / repository.name
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        check=False,
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    if not written.exists():
        raise ToolError(f"tests of {repository.name}:\n{(done.stdout + done.stderr)[-2000:]}")
    for row in json.loads(written.read_text(encoding="utf-8")):
        yield tuple(row)


def names_of_calls(source: str) -> dict[tuple[int, int], tuple[int, int]]:
    """Where the name of each called function stands, by where the call's expression ends.

    Lines from 1; the ends' columns are in bytes, as the interpreter has them, the names' in
    characters.
    """
    lines = [line.encode() for line in source.split("\n")]
    found = {}
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name):
            line, offset = function.lineno, function.col_offset
        elif isinstance(function, ast.Attribute):
            line = function.end_lineno or 0
            offset = (function.end_col_offset or 0) - len(function.attr.encode())
        else:
            continue
        column = len(lines[line - 1][:offset].decode())
        found[node.end_lineno or 0, node.end_col_offset or 0] = (line, column)
    return found


def _inside(workspace: Path, path: str) -> tuple[str, str]:
    if not Path(path).is_relative_to(workspace):
        return "", path
    project, *rest = Path(path).relative_to(workspace).parts
    return project, "/".join(rest)
