"""Go. `queries/go.trace.scm` matches imports and references."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from indexer.languages.base import ExportRule, Language, grammar, names
from indexer.languages.import_style import ImportStyle
from indexer.languages.rewrites import Edit, Rewrite, blanked, closing, occurrences
from indexer.records.manifests import Ecosystem

_VERSION: Final = re.compile(r"v\d+$")
_DOT_VERSION: Final = re.compile(r"\.v\d+$")


def _local_name(module: str, is_used: Callable[[str], bool]) -> str:
    """Return the first probable package name that the file uses; the true one is elsewhere."""
    found = _packages(module)
    return next(filter(is_used, found), found[0]) if len(found) > 1 else found[0]


def _packages(module: str) -> tuple[str, ...]:
    """Return probable names of the package, the likeliest first.

    They come from the last part of the path, without versions, dots and `go-`.
    """
    parts = module.rstrip("/").split("/")
    last = parts.pop()
    is_version = len(parts) > 0 and _VERSION.match(last) is not None
    stem = _DOT_VERSION.sub("", parts[-1] if is_version else last)
    name = stem.removeprefix("go-").removesuffix("-go").removesuffix(".go")
    likely = [name, *([last] if is_version else []), stem, name.rpartition("-")[2]]
    found = [name.replace("-", sign).replace(".", sign) for name in likely for sign in ("_", "")]
    return tuple(dict.fromkeys(found))


_NEW: Final = re.compile(rb"(?<![\w.])new\(")
# An argument of `new` that is no type: one with a call, a literal, an operator.
_IS_TYPE: Final = re.compile(
    rb"\s*(?:<-|chan\b|struct\b|interface\b|(?:map|\[)[^{]*$|func\b[^{]*$)"
)
_IS_VALUE: Final = re.compile(rb"(?<!\bfunc)[\w\])}]\(|[\"`'+!&|^=/%{-]|^\s*\d")


def _new_values(source: bytes) -> Iterator[Sequence[Edit]]:
    """Give `new(value)` another name: the grammar reads the first argument of `new` as a type."""
    for found in occurrences(_NEW, source):
        argument = source[found.end() : max(closing(source, found.end() - 1) - 1, found.end())]
        if _IS_VALUE.search(argument) and not _IS_TYPE.match(argument):
            yield [Edit(found.start(), b"neW")]


_REWRITES: Final = (
    Rewrite(_new_values),
    blanked(rb"^func[ \t]*\([^()\n]{1,200}\)[ \t]*\w+(\[[^][\n]{1,200}\])\("),
)

GO: Final = Language(
    "go",
    grammar("go"),
    version=3,
    rewrites=_REWRITES,
    linguist=("Go",),
    suffixes=(".go",),
    ecosystem=Ecosystem.GO,
    import_style=ImportStyle(lambda _file, module, _inside: module, _local_name),
    export_rule=ExportRule.CAPITAL,
    separate_type_namespace=True,
    package_visible_functions=True,
    unknown_types=names("any comparable"),
    builtins=names("""
        append cap clear close complex copy delete imag len make max min new panic print
        println real recover bool byte comparable complex64 complex128 error float32 float64
        int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr any
        true false nil iota
    """),
    fixed_types=True,
)
LANGUAGES: Final = (GO,)
