"""Where else a file finds what it imports: beside it, where files say, by the end of a path.

A script's directory is first on Python's `sys.path`, and programs, tests and containers add others.
These are tried if the repository's usual roots and the declared packages have no such module.
"""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from central.trace.resolve.ecosystems import is_standard, name_rules
from central.trace.resolve.engine import RuleGenerator
from central.trace.resolve.questions import ImportPath, ResolvedDefinition
from central.trace.resolve.sql import (
    Declared,
    FileContext,
    Files,
    Modules,
    PathEnds,
    PathRow,
    Searched,
)
from central.trace.resolve.statements import MAX_PATHS
from indexer.records.references import SEARCHED

# Of the standard library: a header of the repository with such a name is another one.
_STANDARD: Final = frozenset({
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h",
    "limits.h", "locale.h", "math.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h",
    "stdatomic.h", "stdbit.h", "stdbool.h", "stdckdint.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "stdnoreturn.h", "string.h", "tgmath.h", "threads.h", "time.h", "uchar.h",
    "wchar.h", "wctype.h",
})  # fmt: skip


def modules_by_path_end(
    file: int, repository: int, paths: Sequence[str], *, has_search_path: bool
) -> RuleGenerator[tuple[list[str], list[str]]]:
    """Return the modules that paths mean: those that are certain, and the others.

    These are `/src/lib/a.h` of `"lib/a.h"`, `lib/a.h` of `<lib/a.h>` and of `$DIR/lib/a.h`. One is
    certain if no other file's path ends so, and if the name is in quotes or the language has no
    search path outside of the repository. Such a language may name the file where it is installed:
    of a path that no file has, the only one with its longest end is meant.
    """
    (places,) = yield [Files(file)]
    here = yield [Modules(repository, path) for path in paths]
    missing = [path for path, rows in zip(paths, here, strict=True) if not rows]
    directory = posixpath.dirname(f"/{places[0].path}") if places else "/"
    whole = [
        posixpath.relpath(path, directory) if path.startswith("/") else path for path in missing
    ]
    ends = [[end] if has_search_path else list(_ends(end)) for end in whole]
    answers = iter((yield [PathEnds(repository, end) for several in ends for end in several]))
    certain: list[str] = []
    others: list[str] = []
    for path, several in zip(missing, ends, strict=True):
        rows, *shorter = [next(answers) for _ in several]
        nearest = _nearest(rows, directory)
        installed = next(filter(None, shorter), ())
        if not rows and len(installed) == 1:
            others.append(f"/{installed[0].path}")
        elif len(nearest) == 1 and path not in _STANDARD:
            is_certain = len(rows) == 1 and (path.startswith("/") or not has_search_path)
            (certain if is_certain else others).append(f"/{nearest[0]}")
    return certain, others


def _ends(path: str) -> Iterator[str]:
    """Yield the path and its ends, the longest first."""
    names = path.split("/")
    return ("/".join(names[start:]) for start in range(len(names)))


def _nearest(rows: Sequence[PathRow], directory: str) -> list[str]:
    """Return the paths in the nearest directory, from the importing file's up, that has any."""
    if len(rows) > MAX_PATHS:
        return []
    paths = [row.path for row in rows]
    found = (
        [path for path in paths if f"/{path}".startswith(above)] for above in _upwards(directory)
    )
    return next(filter(None, found), [])


def _upwards(directory: str) -> Iterator[str]:
    """Yield a directory and those above it, each with a slash at its end."""
    while directory != "/":
        yield f"{directory}/"
        directory = posixpath.dirname(directory)
    yield "/"


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
