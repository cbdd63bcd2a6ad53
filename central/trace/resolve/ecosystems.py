"""How the languages of each ecosystem look names up, as far as resolution depends on it."""

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from indexer.records.manifests import Ecosystem

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
_APPLE: Final = frozenset({
    "AppKit", "Combine", "CoreData", "CoreFoundation", "CoreGraphics", "Darwin", "Dispatch",
    "Foundation", "Glibc", "Observation", "Swift", "SwiftUI", "Testing", "UIKit", "XCTest", "os",
})  # fmt: skip
_JVM: Final = frozenset({"java", "javax", "jakarta", "kotlin", "kotlinx", "scala", "jdk", "sun"})
_OF_CLASS_NAME: Final = frozenset({""})


@dataclass(frozen=True, slots=True)
class NameRules:
    """The look-up of names.

    `standard`: first names of modules of the standard library. `omitted_by_wildcards` matches the
    names that `import *` or `export *` leaves out.
    """

    standard: frozenset[str] = frozenset()
    omitted_by_wildcards: re.Pattern[str] | None = None
    inherits_bare_names: bool = False  # a method may call an inherited one by its bare name
    tries_enclosing_names: bool = False  # a name inside the definitions around a reference first
    tries_enclosing_scopes: bool = False  # in `a.b` a name is that of `a.b`, then that of `a`
    has_full_names: bool = False  # a path with its namespace needs no import
    shares_wildcards: bool = False  # all files see what one file of the program imports for all
    has_headers: bool = False  # C: a file may declare what another one defines
    imports_by_end: bool = False  # of the path of a file: `#include`, `source`
    functions_as_values: bool = False  # what holds a function is stored
    has_programs: bool = False  # what no visible function is named is a program
    imports_beside: bool = False  # a script imports from its own directory
    capitalizes_functions: bool = False  # as classes
    has_extensions: bool = False  # members may be given to a type from elsewhere
    extends_by_package: bool = False  # and no import names them
    has_implicit_receivers: bool = False  # a bare name in an extension may be its receiver's
    shares_modules: bool = False  # several packages have files of one namespace
    members_of_every_class: frozenset[str] = frozenset()
    modules_of_special_forms: frozenset[str] = frozenset()  # whose types tell no class
    # Members that making an instance calls; "" has the name of its class. Secondary ones may stand
    # beside a constructor that is no member.
    constructors: frozenset[str] = frozenset()
    secondary_constructors: frozenset[str] = frozenset()
    calls_each_constructor: bool = False  # one of each name
    constructor_decorator: str = ""  # gives a class a constructor that is not written


_NO_RULES: Final = NameRules()
_RULES: Final[Mapping[str, NameRules]] = {
    Ecosystem.PYPI: NameRules(
        standard=sys.stdlib_module_names,
        omitted_by_wildcards=re.compile("_"),
        functions_as_values=True,
        imports_beside=True,
        members_of_every_class=frozenset(dir(object)),
        modules_of_special_forms=frozenset({"typing", "typing_extensions"}),
        constructors=frozenset({"__init__", "__new__"}),
        calls_each_constructor=True,
        constructor_decorator="dataclass",
    ),
    Ecosystem.NPM: NameRules(
        standard=_NODE,
        omitted_by_wildcards=re.compile(r"default\Z"),
        constructors=frozenset({"constructor"}),
    ),
    Ecosystem.GO: NameRules(capitalizes_functions=True),
    Ecosystem.CARGO: NameRules(
        standard=frozenset({"std", "core", "alloc", "proc_macro", "test"}),
        has_extensions=True,
        extends_by_package=True,
    ),
    Ecosystem.RUBYGEMS: NameRules(
        standard=_RUBY,
        inherits_bare_names=True,
        tries_enclosing_names=True,
        shares_wildcards=True,
        has_extensions=True,
        extends_by_package=True,
        constructors=frozenset({"initialize"}),
        secondary_constructors=frozenset({"new"}),  # `def self.new`
    ),
    Ecosystem.SWIFTPM: NameRules(
        standard=_APPLE,
        inherits_bare_names=True,
        has_full_names=True,
        has_extensions=True,
        extends_by_package=True,
        constructors=frozenset({"init"}),
    ),
    Ecosystem.MAVEN: NameRules(
        standard=_JVM,
        inherits_bare_names=True,
        has_full_names=True,
        has_extensions=True,
        has_implicit_receivers=True,
        shares_modules=True,
        constructors=_OF_CLASS_NAME,
        secondary_constructors=frozenset({"constructor", "this"}),  # Kotlin, Scala
    ),
    Ecosystem.NUGET: NameRules(
        standard=frozenset({"System"}),
        inherits_bare_names=True,
        tries_enclosing_scopes=True,
        has_full_names=True,
        shares_wildcards=True,
        shares_modules=True,
        capitalizes_functions=True,
        has_extensions=True,
        extends_by_package=True,
        constructors=_OF_CLASS_NAME,
    ),
    Ecosystem.COMPOSER: NameRules(
        has_full_names=True, shares_modules=True, constructors=frozenset({"__construct"})
    ),
    Ecosystem.SHELL: NameRules(imports_by_end=True, has_programs=True),
    Ecosystem.NONE: NameRules(
        inherits_bare_names=True,
        tries_enclosing_names=True,
        has_headers=True,
        imports_by_end=True,
        constructors=_OF_CLASS_NAME,
    ),
}


def name_rules(ecosystem: str) -> NameRules:
    """Return the rules of an ecosystem."""
    return _RULES.get(ecosystem, _NO_RULES)


def is_standard(ecosystem: str, path: str) -> bool:
    """Whether an import path leads into the standard library."""
    if ecosystem == Ecosystem.GO:
        return "." not in path.partition("/")[0]
    first = path.removeprefix("node:").partition("/")[0].partition(".")[0]
    return path.startswith("node:") or first in name_rules(ecosystem).standard
