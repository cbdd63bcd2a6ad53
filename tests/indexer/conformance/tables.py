"""The tables, and our answers to their questions."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from indexer.ecosystems import ECOSYSTEMS, Workspace, read_manifest
from indexer.ecosystems.base import PackageEcosystem
from indexer.ecosystems.maven import gradle_locks
from indexer.ecosystems.npm.local_names import real_path
from indexer.languages import LANGUAGES_BY_NAME, detect
from indexer.languages.plain import TEXT
from indexer.pipeline.select import (
    SelectionRules,
    skip_reason_by_content,
    skip_reason_by_entry,
)
from indexer.records.files import TreeEntry

TABLES: Final = sorted(Path(__file__).with_name("tables").glob("*.json"))


@dataclass(frozen=True, slots=True)
class Row:
    """One answer of a tool; `asked` is a row as the table has it."""

    tool: str
    version: str
    question: str
    ecosystem: str
    asked: Any

    @property
    def name(self) -> str:
        return (
            self.asked["name"] if isinstance(self.asked, dict) else " ".join(map(str, self.asked))
        )

    @property
    def differs(self) -> str:
        """Why our answer is another one; "" if it must not be."""
        return self.asked.get("differs", "") if isinstance(self.asked, dict) else ""

    @property
    def says(self) -> Any:
        return self.asked["says"] if isinstance(self.asked, dict) else self.asked[-1]

    def ours(self) -> Any:
        """Our answer, about what the tool's answer is about."""
        return _ANSWERS[self.question](self)


def rows(table: Path) -> Iterator[Row]:
    """Yield the rows of one table."""
    found = json.loads(table.read_text("utf-8"))
    for asked in found["rows"]:
        yield Row(found["tool"], found["version"], found["question"], found["ecosystem"], asked)


def _workspace(files: Mapping[str, str]) -> Workspace:
    read = ((path, read_manifest(path, text)) for path, text in files.items())
    regular = {path.rpartition("/")[0] for path in files if path.endswith("__init__.py")}
    return Workspace(((path, manifest) for path, manifest in read if manifest), lambda: regular)


def _packages(row: Row) -> Any:
    found = {
        one.root: [one.name, one.version]
        for one in _workspace(row.asked["files"]).packages
        if one.ecosystem == row.ecosystem and one.name
    }
    return {root: found.get(root, ["", ""]) for root in row.says} | found


def _pins(row: Row) -> Any:
    found = {
        one.root: {need.name: need.pinned for need in one.dependencies}
        for one in _workspace(row.asked["files"]).packages
        if one.ecosystem == row.ecosystem
    }
    return {
        root: {name: found.get(root, {}).get(name, "") for name in pinned}
        for root, pinned in row.says.items()
    }


def _modules(row: Row) -> Any:
    workspace = _workspace(row.asked["files"])
    return {
        path: sorted(
            one.name
            for one in workspace.module_names(
                path=path,
                language=detect(path, row.asked["files"].get(path, "").encode()).name,
                namespace="",
            )
            if one.public
        )
        for path in row.says
    }


def _resolves(row: Row) -> Any:
    files = row.asked["files"]
    workspace = _workspace(files)
    names = {
        path: {
            one.name
            for one in workspace.module_names(
                path=path, language=detect(path, text.encode()).name, namespace=""
            )
        }
        for path, text in files.items()
    }
    return {asked: _reached(workspace, files, names, *asked.split(" ", 1)) for asked in row.says}


def _reached(
    workspace: Workspace,
    files: Mapping[str, str],
    names: Mapping[str, set[str]],
    file: str,
    specifier: str,
) -> str:
    """Return the files that an import may reach, those of the file's own package first."""
    language = detect(file, b"").name
    package = workspace.package_of(path=file, language=language)
    path = LANGUAGES_BY_NAME[language].import_style.path(file, specifier, "")
    needs = package.dependencies if package else ()
    meant = real_path(path, ((one.name, one.alias) for one in needs))
    path = meant[1] if meant else path
    found = [one for one in files if path in names[one]]
    own = [one for one in found if workspace.package_of(path=one, language=language) == package]
    return " | ".join(own or found)


def _rules(row: Row) -> PackageEcosystem:
    return ECOSYSTEMS[row.ecosystem]


def _languages(row: Row) -> Any:
    found = {path: detect(path, text.encode()) for path, text in row.asked["files"].items()}
    return {path: None if one is TEXT else one.name for path, one in found.items()}


def _generated(row: Row) -> Any:
    return {path: _is_aside(path, text.encode()) for path, text in row.asked["files"].items()}


def _is_aside(path: str, content: bytes) -> bool:
    entry = TreeEntry(path, "100644", "a" * 40, len(content))
    by_entry = skip_reason_by_entry(entry, attributes={}, rules=SelectionRules())
    return bool(by_entry or skip_reason_by_content(path, content))


def _order(row: Row) -> Any:
    parse = gradle_locks.parse_version if row.tool == "gradle" else _rules(row).parse_version
    one, other = (parse(version) for version in row.asked[:2])
    return (one > other) - (one < other)


def _allows(row: Row) -> Any:
    allows = gradle_locks.allows if row.tool == "gradle" else _rules(row).allows
    assert allows is not None
    required, version, _ = row.asked
    return allows(required, version)


_ANSWERS: Final[Mapping[str, Callable[[Row], Any]]] = {
    "packages": _packages,
    "pins": _pins,
    "modules": _modules,
    "resolves": _resolves,
    "languages": _languages,
    "generated": _generated,
    "order": _order,
    "allows": _allows,
}
