"""Pipfile and conda's environments: what an application installs."""

import re
from collections.abc import Iterator
from typing import Final

from indexer.ecosystems.parsing import exact_pins, read_toml, string, table
from indexer.ecosystems.pypi.requirements import (
    pins_of,
    read_requirements,
)
from indexer.records.manifests import (
    Dependency,
    Ecosystem,
    Manifest,
    ManifestProblem,
    python_name,
)

_TABLES: Final = frozenset({"pipenv", "requires", "scripts"})  # the others of a Pipfile are groups
_ITEM = re.compile(r"(?P<indent> *)-\s+(?P<value>[^\s#][^#]*)?(?:#.*)?")
_CONDA = re.compile(
    r"(?:[\w./-]+::)?(?P<name>[A-Za-z0-9_][\w.-]*)\s*(?P<required>[=<>!~][^\[]*)?(?:\[.*\])?"
)
# `=1.2` is any 1.2, so that only a whole version is taken for one; a build may follow.
_CONDA_EXACT = re.compile(r"(?:==\s*|=\s*(?=\d+\.\d+\.[^\s,=*|]))([^\s,=*|]+)(?:=[^=]*)?")


def read_pipfile(text: str, _path: str) -> Manifest:
    """Read Pipfile. Raises ValueError and RecursionError."""
    wanted = [
        Dependency(python_name(name), "" if required == "*" else required)
        for key, group in read_toml(text).items()
        if key not in _TABLES
        for name, requirement in table(group).items()
        for required in [string(requirement) or string(table(requirement).get("version"))]
    ]
    return Manifest(Ecosystem.PYPI, dependencies=tuple(wanted), pins=pins_of(wanted))


def read_conda(text: str, path: str) -> Manifest:
    """Read environment.yml: the list of `dependencies`, and that of `pip` in it."""
    conda, pip = _listed(text)
    found = [match for line in conda if (match := _CONDA.fullmatch(line.strip("'\"")))]
    wanted = [
        Dependency(python_name(match["name"]), (match["required"] or "").strip())
        for match in found
        if match["name"] != "python"
    ]
    from_pip = read_requirements("\n".join(line.strip("'\"") for line in pip), path)
    return Manifest(
        Ecosystem.PYPI,
        dependencies=(*wanted, *from_pip.dependencies),
        pins=(*exact_pins(wanted, _CONDA_EXACT), *from_pip.pins),
        settings=from_pip.settings,
        problem=ManifestProblem.PARTIAL if len(found) < len(conda) else None,
    )


def _listed(text: str) -> tuple[list[str], list[str]]:
    """Return conda's and pip's items of the list `dependencies`, in block style."""
    conda: list[str] = []
    pip: list[str] = []
    outer = None
    for line in _below("dependencies:", text):
        item = _ITEM.fullmatch(line)
        if not item:
            continue
        outer = len(item["indent"]) if outer is None else outer
        value = (item["value"] or "").rstrip()
        if len(item["indent"]) > outer:
            pip.append(value)
        elif value != "pip:":
            conda.append(value)
    return conda, pip


def _below(key: str, text: str) -> Iterator[str]:
    """Yield the lines of a top-level key's block."""
    is_inside = False
    for line in text.splitlines():
        if line[:1] not in {"", " ", "-", "#"}:
            is_inside = line.split("#")[0].rstrip() == key
        elif is_inside:
            yield line
