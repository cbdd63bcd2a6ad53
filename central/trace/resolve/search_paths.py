"""Where else Python looks for what an import names: beside the script, and where files say.

A script's directory is first on `sys.path`, and programs, tests and containers add others. These
are tried if the repository's usual roots and the declared packages have no such module.
"""

from collections.abc import Sequence

from central.trace.resolve.ecosystems import is_standard, name_rules
from central.trace.resolve.engine import RuleGenerator
from central.trace.resolve.questions import ImportPath, ResolvedDefinition
from central.trace.resolve.sql import Declared, FileContext, Files, Modules, Searched
from indexer.records.references import SEARCHED


def searched_paths(
    file: int, context: FileContext, paths: Sequence[str]
) -> RuleGenerator[list[list[str]]]:
    """Return what the paths may mean in each further directory, nearest first."""
    if not name_rules(context.ecosystem).imports_beside:
        return []
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
    return [[f"{one}.{path}".replace("/.", "/", 1) for path in asked] for one in directories]


def _module(directory: str) -> str:
    """Return the name of a directory as a module: `python_module` of its `__init__.py`."""
    return "/" + directory.replace("/", ".")


def searched_meaning(
    file: int, context: FileContext, paths: Sequence[str]
) -> RuleGenerator[list[ResolvedDefinition]]:
    """Return the meaning of the paths in the nearest directory where they have one."""
    for meant in (yield from searched_paths(file, context, paths)):
        answers = yield [ImportPath(*context, path) for path in meant]
        found = [one._replace(rule="import") for answer in answers for one in answer]
        if found:
            return found
    return []
