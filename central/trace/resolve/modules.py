"""Modules: which files provide them, and which belong to a standard library."""

import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from central.trace.resolve.sql import ModuleRow, Place

_NODE: Final = frozenset({
    "assert", "async_hooks", "buffer", "child_process", "cluster", "console", "constants",
    "crypto", "dgram", "diagnostics_channel", "dns", "domain", "events", "fs", "http", "http2",
    "https", "inspector", "module", "net", "os", "path", "perf_hooks", "process", "punycode",
    "querystring", "readline", "repl", "stream", "string_decoder", "sys", "timers", "tls",
    "trace_events", "tty", "url", "util", "v8", "vm", "wasi", "worker_threads", "zlib",
})  # fmt: skip
_RUBY: Final = frozenset({
    "abbrev", "base64", "benchmark", "bigdecimal", "cgi", "csv", "date", "delegate", "digest",
    "drb", "English", "erb", "etc", "fcntl", "fiddle", "fileutils", "find", "forwardable",
    "getoptlong", "io", "ipaddr", "irb", "json", "logger", "matrix", "minitest", "monitor",
    "mutex_m", "net", "nkf", "objspace", "observer", "open-uri", "open3", "openssl", "optparse",
    "ostruct", "pathname", "pp", "prettyprint", "prime", "pstore", "psych", "pty", "rdoc",
    "readline", "reline", "resolv", "rexml", "rinda", "ripper", "securerandom", "set",
    "shellwords", "singleton", "socket", "stringio", "strscan", "syslog", "tempfile", "time",
    "timeout", "tmpdir", "tsort", "un", "uri", "weakref", "yaml", "zlib",
})  # fmt: skip
_TOP_LEVEL: Final[dict[str, frozenset[str]]] = {
    "pypi": sys.stdlib_module_names,
    "npm": _NODE,
    "cargo": frozenset({"std", "core", "alloc", "proc_macro", "test"}),
    "rubygems": _RUBY,
    "swiftpm": frozenset({
        "AppKit", "Combine", "CoreData", "CoreFoundation", "CoreGraphics", "Darwin", "Dispatch",
        "Foundation", "Glibc", "Observation", "Swift", "SwiftUI", "Testing", "UIKit", "XCTest",
        "os",
    }),
    "maven": frozenset({"java", "javax", "jakarta", "kotlin", "kotlinx", "scala", "jdk", "sun"}),
    "nuget": frozenset({"System"}),
}  # fmt: skip


def is_standard(ecosystem: str, path: str) -> bool:
    """Whether an import path names something of the language's own library."""
    if ecosystem == "go":
        return "." not in path.partition("/")[0]
    first = path.removeprefix("node:").partition("/")[0].partition(".")[0]
    return path.startswith("node:") or first in _TOP_LEVEL.get(ecosystem, ())


class Landing(NamedTuple):
    """A module and the names that a path goes on with in it; `sure` unless nothing declares it."""

    repository: int
    package: int
    module: str
    names: tuple[str, ...]
    ecosystem: str
    sure: bool


Group = list[Landing]
_Prefix = tuple[str, tuple[str, ...]]
_Cut = tuple[str, tuple[str, ...], list[ModuleRow]]


def prefixes(path: str) -> list[_Prefix]:
    """(module, names) for every place where a path may be cut, the longest module first.

    Names hold no "/", so nothing before the last one is a name.
    """
    head, slash, tail = path.rpartition("/")
    parts = tail.split(".")
    return [
        (head + slash + ".".join(parts[:count]), tuple(parts[count:]))
        for count in range(len(parts), 0, -1)
    ]


def landings(
    place: Place,
    path: str,
    rows: Mapping[str, Sequence[ModuleRow]],
    declared: Collection[str],
) -> Iterator[Group]:
    """Groups of modules that the path may begin with, in the order in which they are tried.

    `rows` are the modules of each prefix's name that the place can see.
    """
    cuts = [
        (module, names, [row for row in rows[module] if row.ecosystem == place.ecosystem])
        for module, names in prefixes(path)
    ]
    own = [
        (module, names, [row for row in found if row.repository == place.repository])
        for module, names, found in cuts
    ]
    yield from _longest(own, lambda row: row.package == place.package)
    yield from _longest(own, lambda row: row.package != place.package)
    if path.startswith("/") or is_standard(place.ecosystem, path):
        return
    foreign = [
        (module, names, [row for row in found if row.repository != place.repository])
        for module, names, found in cuts
    ]
    yield from _longest(foreign, lambda row: row.distribution in declared)
    for module, names, found in foreign:
        if found:
            providers = {(row.repository, row.package) for row in found}
            if len(providers) == 1 and is_unmistakable(found[0], module):
                yield [_landing(found[0], module, names, sure=False)]
            return


def is_unmistakable(row: ModuleRow, module: str) -> bool:
    """Whether a module's name alone says whose it is, without a manifest that asks for it."""
    name = row.distribution
    match row.ecosystem:
        case "go":
            return module == name or module.startswith(name + "/")
        case "maven" | "nuget" | "composer":
            return "." in module.strip(".")
        case "npm":
            return name[:1] == "@" or _is_joined(name)
        case "pypi":
            return _is_joined(name) and f"{_canonical(module)}-".startswith(f"{name}-")
        case "cargo" | "rubygems":
            head = _canonical(module.replace("/", "-"))
            return _is_joined(name) and f"{head}-".startswith(f"{_canonical(name)}-")
    return False


def _longest(cuts: Sequence[_Cut], fits: Callable[[ModuleRow], bool]) -> Iterator[Group]:
    """The modules of the longest prefix that has any.

    Where that is the whole path, the next one too: a package may give on a name that one of its
    modules has as well, and then `from package import name` is the former.
    """
    group: Group = []
    for module, names, found in cuts:
        fitting = [row for row in found if fits(row)]
        unique = {(row.repository, row.package): row for row in fitting}
        group += [_landing(row, module, names, sure=True) for row in unique.values()]
        if group and names:
            break
    if group:
        yield group


def _landing(row: ModuleRow, module: str, names: tuple[str, ...], *, sure: bool) -> Landing:
    return Landing(row.repository, row.package, module, names, row.ecosystem, sure)


def _is_joined(name: str) -> bool:
    return "-" in name or "_" in name


def _canonical(name: str) -> str:
    return name.replace("_", "-").replace(".", "-").lower()
