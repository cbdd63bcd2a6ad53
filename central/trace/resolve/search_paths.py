"""Where else a file finds what it imports: beside it, where files say, by the end of a path.

A script's directory is first on Python's `sys.path`, and programs, tests and containers add others.
These are tried if the repository's usual roots and the declared packages have no such module.
"""

from collections.abc import Sequence
from typing import NamedTuple

from central.trace.resolve.ecosystems import is_standard, name_rules
from central.trace.resolve.engine import RuleGenerator
from central.trace.resolve.path_ends import modules_by_path_end
from central.trace.resolve.questions import ImportPath, ResolvedDefinition
from central.trace.resolve.sql import Declared, FileContext, Files, Modules, Searched
from indexer.records.references import SEARCHED


class FurtherPaths(NamedTuple):
    """What paths may mean in one further place."""

    paths: Sequence[str]
    is_certain: bool = True


def searched_paths(
    file: int, context: FileContext, paths: Sequence[str]
) -> RuleGenerator[list[FurtherPaths]]:
    """Return what the paths may mean in each further place, nearest first."""
    rules = name_rules(context.ecosystem)
    if rules.imports_by_end:
        certain, others = yield from modules_by_path_end(
            file, context.repository, paths, has_search_path=rules.has_headers
        )
        return [FurtherPaths(certain), FurtherPaths(others, is_certain=False)]
    return (yield from _of_scripts(file, context, paths)) if rules.imports_beside else []


def _of_scripts(
    file: int, context: FileContext, paths: Sequence[str]
) -> RuleGenerator[list[FurtherPaths]]:
    places, searched, declared = yield [Files(file), Searched(file), Declared(context.package)]
    modules = [_module(row.name.removeprefix(SEARCHED)) for row in searched]
    own = _module(places[0].path.rpartition("/")[0]) if places else "/"
    if own != "/":
        (packages,) = yield [Modules(context.repository, own)]
        modules = modules if packages else [own, *modules]
    taken = {row.name.replace("-", "_") for row in declared}
    asked = [
        path
        for path in paths
        if not path.startswith("/")
        and not is_standard(context.ecosystem, path)
        and path.partition(".")[0] not in taken
    ]
    directories = dict.fromkeys(modules) if asked else ()
    return [
        FurtherPaths([f"{directory}.{path}".replace("/.", "/", 1) for path in asked])
        for directory in directories
    ]


def _module(directory: str) -> str:
    """Return the name of a directory as a module: `python_module` of its `__init__.py`."""
    return "/" + directory.replace("/", ".")


def searched_meaning(
    file: int, context: FileContext, paths: Sequence[str]
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return the meaning of the paths in the nearest directory where they have one."""
    for further in (yield from searched_paths(file, context, paths)):
        answers = yield [ImportPath(*context, path) for path in further.paths]
        found = [definition._replace(rule="import") for answer in answers for definition in answer]
        if found:
            certain = further.is_certain
            return [target._replace(is_certain=target.is_certain and certain) for target in found]
    return []
