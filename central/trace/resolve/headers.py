"""Files that others name by the end of their path: headers of C and C++, sourced files of shells.

One that is found from the including file's own directory needs none of this.
"""

import posixpath
from collections.abc import Iterator, Sequence
from typing import Final

from central.trace.resolve.engine import RuleGenerator
from central.trace.resolve.sql import Files, HeaderRow, Headers, Modules
from central.trace.resolve.statements import MAX_HEADERS

# Of the standard library: a header of the repository with such a name is another one.
_STANDARD: Final = frozenset({
    "assert.h", "complex.h", "ctype.h", "errno.h", "fenv.h", "float.h", "inttypes.h", "iso646.h",
    "limits.h", "locale.h", "math.h", "setjmp.h", "signal.h", "stdalign.h", "stdarg.h",
    "stdatomic.h", "stdbit.h", "stdbool.h", "stdckdint.h", "stddef.h", "stdint.h", "stdio.h",
    "stdlib.h", "stdnoreturn.h", "string.h", "tgmath.h", "threads.h", "time.h", "uchar.h",
    "wchar.h", "wctype.h",
})  # fmt: skip


def included_headers(
    file: int, repository: int, paths: Sequence[str], *, has_search_path: bool
) -> RuleGenerator[tuple[list[str], list[str]]]:
    """Return the modules that includes mean: those that are certain, and the others.

    `paths` are those of the includes: `/src/lib/a.h` of `"lib/a.h"`, `lib/a.h` of `<lib/a.h>` and
    `$DIR/lib/a.h`. One is certain if no other header's path ends so, and if the name is in quotes
    or the language has no search path outside of the repository. Such a language may name the file
    where it is installed: of a path that no file has, the only one with its longest end is meant.
    """
    (places,) = yield [Files(file)]
    here = yield [Modules(repository, path) for path in paths]
    missing = [path for path, rows in zip(paths, here, strict=True) if not rows]
    directory = posixpath.dirname(f"/{places[0].path}") if places else "/"
    whole = [_as_written(path, directory) for path in missing]
    ends = [[end] if has_search_path else list(_ends(end)) for end in whole]
    answers = iter((yield [Headers(repository, end) for several in ends for end in several]))
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


def _as_written(path: str, directory: str) -> str:
    return posixpath.relpath(path, directory) if path.startswith("/") else path


def _ends(path: str) -> Iterator[str]:
    """Yield the path and its ends, the longest first."""
    names = path.split("/")
    return ("/".join(names[start:]) for start in range(len(names)))


def _nearest(rows: Sequence[HeaderRow], directory: str) -> list[str]:
    """Return the headers in the nearest directory, from the including file's up, that has any."""
    if len(rows) > MAX_HEADERS:
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
