"""Names that a language's own library has: what is called so is nobody's package. Pure."""

import sys
from typing import Final

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
