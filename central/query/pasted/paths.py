"""Paths as traces and tools print them: without scheme, host, drive and bundler; their tails."""

import posixpath
import re
from typing import Final, NamedTuple
from urllib.parse import unquote

TAIL_COMPONENTS: Final = 8  # of a path that is looked up; longer ones say no more
_SCHEME: Final = re.compile(
    r"(?:file:/{2,3}|webpack(?:-internal)?:/{2,3}|https?://[^/]+/|app:/{2,3})"
)
_BUNDLER: Final = re.compile(r"(?:\A|/)\([\w-]+\)/(?=\.{0,2}/|[\w@])")  # `(app-pages-browser)/./`
_DRIVE: Final = re.compile(r"\A[A-Za-z]:(?=[/\\])")
_NO_FILE: Final = re.compile(r"\A(?:node:|internal/|<|\[|native\Z|eval\b|about:|data:|blob:)")
# Where installed packages and standard libraries are; what follows is the package, or its file.
_LIBRARIES: Final = (
    re.compile(r"(?:.*/)?(?:site|dist)-packages/(?P<rest>(?P<package>[^/]+).*)"),
    re.compile(r"(?:.*/)?node_modules/(?P<package>@[^/]+/[^/]+|[^/@.][^/]*)/(?P<file>.+)"),
    re.compile(r".*/registry/src/[^/]+/(?P<package>[^/]+)-\d[^/]*/(?P<file>.+)"),
    re.compile(r"(?:.*/)?pkg/mod/[^@]*?(?P<package>[^/@]+)(?:/v\d+)?@[^/]+/(?P<file>.+)"),
    re.compile(r"(?:.*/)?gems/(?P<package>[^/]+)-\d[^/]*/(?P<file>.+)"),
    re.compile(r"(?:.*/)?vendor/(?P<package>[^/]+/[^/]+)/(?P<file>.+\.php)"),
    re.compile(r"(?:.*/)?vendor/[^/]+\.[^/]+/[^/]+/(?P<package>[^/]+)/(?P<file>.+\.go)"),
    re.compile(r"(?:.*/)?vendor/(?P<package>[^/]+)/(?P<file>.+)"),
    re.compile(r"(?:.*/)?rustc/[0-9a-f]+/(?P<rest>(?P<package>library)/.+)"),
    re.compile(r"(?:.*/)?lib(?:64)?/(?:python\d(?:\.\d+)?|ruby/\d[^/]*)/(?P<rest>(?P<package>).+)"),
    re.compile(
        r"(?:.*/)?(?:local/go|go\d[\d.]*|golang[^/]*|libexec|GOROOT)/src/(?P<rest>(?P<package>).+)"
    ),
    re.compile(r"(?P<rest>(?P<package>javax?|sun|jdk|kotlinx?|scala|groovy)/.+)"),
)


class Library(NamedTuple):
    """The package of an installed file; `inside` is the least tail that names the file.

    `file` is the path inside of the package's own repository, "" if that is the same.
    """

    package: str
    inside: str
    file: str


def plain_path(written: str) -> str:
    """Return the path with `/`, "" for what is no file, such as `<string>` and `node:fs`."""
    path = written.strip().strip("\"'")
    if _NO_FILE.match(path):
        return ""
    if scheme := _SCHEME.match(path):
        path = unquote(path[scheme.end() :].partition("?")[0])
        if scheme[0].startswith("webpack") and not path.startswith((".", "(")):
            path = path.partition("/./")[2] or path  # the name of the bundle
        path = _BUNDLER.sub("/", path)
    path = _DRIVE.sub("", path).replace("\\", "/").partition("?")[0]
    parts = [
        part for part in posixpath.normpath(path).split("/") if part not in {"", ".", "..", "~"}
    ]
    if "\0" in path or not parts:
        return ""
    return "/".join(parts)


def tails(path: str) -> list[str]:
    """Return the ends of a path at its slashes, the longest first: `a/b.py`, `b.py`."""
    parts = path.split("/")[-TAIL_COMPONENTS:]
    return ["/".join(parts[at:]) for at in range(len(parts))]


def common_components(path: str, other: str) -> int:
    """Return how many components the ends of two paths share."""
    return len(posixpath.commonprefix([path.split("/")[::-1], other.split("/")[::-1]]))


def library_of(path: str) -> Library | None:
    """Return the package that a path is installed as; None for a path of other code."""
    for pattern in _LIBRARIES:
        if found := pattern.match(path):  # the innermost, `node_modules/a/node_modules/b`
            groups = found.groupdict()
            package = groups["package"].rpartition("/")[2]
            file = groups.get("file") or ""
            return Library(package, f"{package}/{file}" if file else groups["rest"], file)
    return None
