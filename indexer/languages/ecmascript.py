"""JavaScript, TypeScript and TypeScript with JSX."""

import posixpath
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from indexer.languages.base import (
    SLASH_COMMENTS,
    Containers,
    ExportRule,
    Language,
    Lexis,
    grammar,
    names,
)
from indexer.languages.import_style import ImportStyle, relative_module
from indexer.languages.rewrites import blanked, replaced, type_arguments_blanked
from indexer.records.manifests import Ecosystem

_SUFFIX: Final = re.compile(r"(?:\.d)?\.(?:[cm]?[jt]s|[jt]sx)$")


def javascript_module(path: str) -> str:
    """Convert `src/session.ts` → `/src/session`, `src/a.d.ts` → `/src/a`; keep other suffixes."""
    return "/" + _SUFFIX.sub("", path)


def javascript_modules(path: str) -> tuple[str, ...]:
    """Return all internal names: `src/index.ts` is `/src/index` and `/src` (`/` at the root)."""
    module = javascript_module(path)
    return (module, posixpath.dirname(module)) if module.endswith("/index") else (module,)


def _import_path(file: str, module: str, _inside: str) -> str:
    """Resolve a specifier; one that begins with a dot is relative to the file."""
    return relative_module(file, module, javascript_module) if module.startswith(".") else module


def _local_name(module: str, _is_used: Callable[[str], bool]) -> str:
    return module


_BUILTINS: Final = names("""
    Array ArrayBuffer Atomics BigInt Boolean DataView Date Error EvalError Function Infinity
    Intl JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect
    RegExp Set String Symbol SyntaxError TypeError URIError URL URLSearchParams WeakMap
    WeakRef WeakSet console decodeURI decodeURIComponent encodeURI encodeURIComponent eval
    globalThis import isFinite isNaN parseFloat parseInt require setTimeout setInterval
    setImmediate clearTimeout clearInterval queueMicrotask structuredClone undefined process
    Buffer window document module exports super this string number boolean unknown never any
    void object symbol bigint Record Array ReadonlyArray
""")

_CONTAINERS: Final = Containers("""
    Array ReadonlyArray: []=0 *=0 pop.()=0 shift.()=0 at.()=0 find.()=0 findLast.()=0
        filter.().*=0 filter.().[]=0 slice.().*=0 slice.().[]=0 values.().*=0
    Set ReadonlySet: *=0 values.().*=0
    Map ReadonlyMap: get.()=1 values.().*=1 keys.().*=0 *.0=0 *.1=1 entries.().*.0=0
        entries.().*.1=1
    WeakMap: get.()=1
    Record: []=1 [*]=1
    Iterable Iterator IterableIterator AsyncIterable AsyncIterator Generator AsyncGenerator: *=0
""")

_REWRITES: Final = (
    replaced(rb"\bfor\s*(?:await\s*)?\(\s*((?:await\s+)?using)\s+(?=[\w$])", b"const"),
    blanked(rb"\b(accessor)[ \t]+(?=[\w$#\[])"),
    blanked(rb"^[ \t]*import[ \t]+(defer|source)[ \t]+(?=[*\w$])"),
)
_TYPE_REWRITES: Final = (
    *_REWRITES,
    type_arguments_blanked(rb"[\w$.,<>\[\]\s]|&(?!&)|\|(?!\|)", before=rb"`"),
    blanked(rb"[<,]\s*((?:in\s+)?out\s+|in\s+)(?=[A-Za-z_$])"),
    blanked(rb"^[ \t]*export[ \t]+(type)[ \t]*(?=\*)"),
)

JAVASCRIPT: Final = Language(
    "javascript",
    grammar("javascript", "ecmascript", "javascript", "jsx"),
    version=3,
    rewrites=_REWRITES,
    lexis=Lexis((SLASH_COMMENTS,)),
    linguist=("JavaScript",),
    suffixes=(".js", ".jsx", ".mjs", ".cjs", ".gs"),
    interpreters=("node",),
    ecosystem=Ecosystem.NPM,
    import_style=ImportStyle(_import_path, _local_name),
    export_rule=ExportRule.EXPLICIT_AT_TOP,
    self_names=names("this"),
    super_names=names("super"),
    constructor_calls=names("super"),
    wrapper_types=names(
        "Promise PromiseLike Awaited Partial Required Readonly NonNullable NoInfer Omit Pick"
    ),
    unknown_types=names("any unknown object never void Object Proxy"),
    open_objects=names("globalThis window exports module"),
    functions_as_values=True,
    function_methods=names("apply bind call"),
    function_givers=names("bind"),
    containers=_CONTAINERS,
    builtins=_BUILTINS,
)
TYPESCRIPT: Final = replace(
    JAVASCRIPT,
    name="typescript",
    not_null="!",
    grammar=grammar("typescript", "ecmascript", "typescript", function="language_typescript"),
    rewrites=_TYPE_REWRITES,
    linguist=("TypeScript",),
    suffixes=(".ts", ".mts", ".cts"),
    interpreters=("deno", "bun", "ts-node"),
)
TSX: Final = replace(
    JAVASCRIPT,
    name="tsx",
    not_null="!",
    grammar=grammar("typescript", "ecmascript", "typescript", "jsx", function="language_tsx"),
    rewrites=_TYPE_REWRITES,
    linguist=("TSX",),
    suffixes=(".tsx",),
    interpreters=(),
)
LANGUAGES: Final = (JAVASCRIPT, TYPESCRIPT, TSX)
