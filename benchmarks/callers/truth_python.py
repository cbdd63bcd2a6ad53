"""The truth for Python: pyright is asked what each name means, with all packages on its path."""

import json
import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

from benchmarks.callers.language_server import LanguageServer
from benchmarks.callers.python_source import Defined, Outline, Used, imported_names
from benchmarks.callers.repositories import Family, Repository
from benchmarks.callers.tools import node_packages, python_packages
from benchmarks.callers.truth import CALLABLE, NAMED, Definition, Site, Truth

CONSTRUCTORS = frozenset({"__init__", "__new__"})
NOT_PUBLIC = frozenset({"tests", "test", "testing"})
Place = tuple[str, str, int, int]  # repository, file, line, column
Range = tuple[str, int, int]  # absolute path, line, column
HOLDS = re.compile(r": type\[|^\(type\)|->")  # how a variable for a class or function is shown
SITE = "site"  # the packages as if they were installed


def find(family: Family, workspace: Path, cache: Path) -> Truth:
    """Every definition and site below `workspace`, each site with what pyright says it means."""
    tools = node_packages(family.tools, cache)
    configure(family, workspace, python_packages(family.libraries, cache))
    files = [
        (repository.name, path.relative_to(workspace / repository.name).as_posix())
        for repository in family.repositories
        for path in sorted((workspace / repository.name).rglob("*.py"))
    ]
    outlines = {file: one for file in files if (one := outline(workspace, file))}
    definitions = Definitions(family, outlines)
    command = ["node", str(tools / "node_modules/pyright/langserver.index.js"), "--stdio"]
    names = definitions.names.union(*(one.aliases for one in outlines.values()))
    sites: list[Site] = []
    with LanguageServer(command, workspace) as server:
        for (project, path), one in outlines.items():
            file = Document(server, workspace / project / path)
            for use, found in file.meanings(one.used, names):
                places = [locate(family, workspace, *place) for place in found]
                targets = definitions.meant(use, places)
                held: tuple[int, ...] = ()
                if not targets and any(place[0] for place in places):
                    types = [locate(family, workspace, *place) for place in file.types(use)]
                    held = definitions.meant(use, types)
                if use.kind in NAMED and found and not definitions.callable((*targets, *held)):
                    continue
                owner = definitions.index.get((project, path, use.owner)) if use.owner else None
                place = (project, path, use.line, use.column)
                means = (targets, bool(found), owner, held)
                sites.append(Site(*place, use.name, use.kind, *means, use.receiver))
    return Truth(" ".join(family.tools), tuple(definitions.all), tuple(sites))


def configure(family: Family, workspace: Path, libraries: Path) -> None:
    """Lay the packages out as if installed, and tell pyright where each repository begins."""
    for repository in family.repositories:
        for package in repository.packages:
            source = workspace / repository.name / package
            shutil.copytree(source, workspace / SITE / source.name, dirs_exist_ok=True)
    roots = [*(repository.name for repository in family.repositories), SITE]
    environments = [{"root": root, "extraPaths": [SITE]} for root in roots]
    (workspace / "pyrightconfig.json").write_text(
        json.dumps(
            {
                "include": [repository.name for repository in family.repositories],
                "executionEnvironments": environments,
                "pythonVersion": "3.13",
                "pythonPlatform": "Linux",
                "typeCheckingMode": "off",
                "venvPath": str(libraries.parent),
                "venv": libraries.name,
            }
        ),
        encoding="utf-8",
    )


def outline(workspace: Path, file: tuple[str, str]) -> Outline | None:
    """The file's definitions and uses; None where Python itself cannot read it."""
    try:
        return Outline((workspace / file[0] / file[1]).read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return None


class Definitions:
    """All definitions of the family, found by name and by place."""

    def __init__(self, family: Family, outlines: dict[tuple[str, str], Outline]) -> None:
        self.all: list[Definition] = []
        self.index: dict[tuple[str, str, str], int] = {}
        self._by_place: dict[Place, int] = {}
        repositories = {repository.name: repository for repository in family.repositories}
        for (project, path), one in outlines.items():
            for defined in one.defined:
                public = is_public(repositories[project], path, defined)
                self._add(project, path, defined, public=public)
        self.names = {one.name for one in self.all}

    def _add(self, project: str, path: str, defined: Defined, *, public: bool) -> None:
        key = (project, path, defined.qualified_name)
        if key not in self.index:  # overloads and the like are one definition
            self.index[key] = len(self.all)
            self.all.append(
                Definition(
                    *(project, path, defined.line, defined.qualified_name),
                    *(defined.kind, public),
                )
            )
        self._by_place[project, path, defined.line, defined.column] = self.index[key]

    def meant(self, use: Used, places: Iterable[Place]) -> tuple[int, ...]:
        """The definitions at `places`; a constructor stands for its class where that is called."""
        found = set()
        for place in places:
            if (index := self._by_place.get(place)) is None:
                continue
            one = self.all[index]
            if one.name in CONSTRUCTORS and use.name not in CONSTRUCTORS:
                index = self.index[one.project, one.file, one.container]
            found.add(index)
        return tuple(sorted(found))

    def callable(self, targets: Iterable[int]) -> bool:
        """Whether something that can be called is among them, and no mere property."""
        return any(self.all[target].kind in CALLABLE for target in targets)


def is_public(repository: Repository, path: str, defined: Defined) -> bool:
    """Whether a library means the definition for others."""
    within = any(path.startswith(f"{package}/") for package in repository.packages)
    named = not any(part.startswith("_") for part in defined.qualified_name.split("."))
    return within and named and not defined.in_function and not NOT_PUBLIC & {*path.split("/")}


class Document:
    """A file that pyright is asked about."""

    def __init__(self, server: LanguageServer, path: Path) -> None:
        self._server = server
        self._uri = path.as_uri()
        self._text = path.read_text(encoding="utf-8")
        self._lines = self._text.split("\n")
        document = {"uri": self._uri, "languageId": "python", "version": 1}
        server.tell("textDocument/didOpen", {"textDocument": {**document, "text": self._text}})

    def meanings(self, used: list[Used], known: set[str]) -> Iterator[tuple[Used, list[Range]]]:
        """Each use with the places of what it means.

        A name that nothing in the sample has, and no import gives, needs no question.
        """
        names = known | set(imported_names(self._text))
        asked = [use for use in used if use.name in names]
        positions = [self._position(use) for use in asked]
        answers = self._server.ask_all("textDocument/definition", positions)
        yield from zip(asked, map(_places, answers), strict=True)
        for use in used:
            if use.name not in names and use.kind not in NAMED:
                yield use, [("", 0, 0)]

    def types(self, use: Used) -> list[Range]:
        """The places of what a variable holds, if that is a class or function and no instance."""
        position = self._position(use)
        places = _places(self._server.ask("textDocument/typeDefinition", position))
        shown = self._server.ask("textDocument/hover", position) if places else None
        line = shown["contents"]["value"].partition("\n\n")[0] if shown else ""
        return places if HOLDS.search(line) else []

    def _position(self, use: Used) -> dict[str, Any]:
        before = self._lines[use.line - 1][: use.column]
        character = len(before.encode("utf-16-le")) // 2
        return {
            "textDocument": {"uri": self._uri},
            "position": {"line": use.line - 1, "character": character},
        }


def _places(answer: Any) -> list[Range]:
    places = answer if isinstance(answer, list) else [answer] if answer else []
    starts = [(unquote(urlparse(one["uri"]).path), one["range"]["start"]) for one in places]
    return [(path, start["line"] + 1, start["character"]) for path, start in starts]


def locate(family: Family, workspace: Path, path: str, line: int, column: int) -> Place:
    """The repository and file of a place; what is outside the sample has no repository."""
    inside = Path(path)
    if not inside.is_relative_to(workspace):
        return "", path, line, column
    project, *rest = inside.relative_to(workspace).parts
    if project != SITE:
        return project, "/".join(rest), line, column
    for repository in family.repositories:
        for package in repository.packages:
            if Path(package).name == rest[0]:
                return repository.name, "/".join([package, *rest[1:]]), line, column
    return "", path, line, column
