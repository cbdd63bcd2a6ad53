"""What a path says of a file: its words, and whether it is a test, an example and so on. Pure."""

import re
from functools import lru_cache
from typing import NamedTuple

from central.search.query import name_parts, stem

_TESTS = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|testing|testdata|fixtures|__mocks__|mocks)/"
    r"|(?:^|/)(?:test_|conftest\.)[^/]*$"
    r"|(?:_test|_tests|_spec|\.test|\.spec|\.stories)\.\w+$"
    r"|(?:Tests?|Spec|Suite|IT)\.(?:java|kt|scala|cs|swift|php|groovy)$"
)
_EXAMPLES = re.compile(r"(?:^|/)(?:_?examples?|samples?|demos?|playground|benchmarks?)/", re.I)
_DOCS = re.compile(r"(?:^|/)docs?(?:_src)?/|\.(?:md|mdx|rst|adoc|txt)$", re.I)
_CONFIG = re.compile(
    r"\.(?:ya?ml|toml|json|ini|cfg|conf|properties|lock|xml|gradle|env)$"
    r"|(?:^|/)(?:Dockerfile|Makefile|\.github/|deploy/|migrations/)",
    re.I,
)
_GENERATED = re.compile(r"(?:^|/)(?:generated|gen|dist|build)/|_pb2|\.pb\.|\.gen\.|\.min\.", re.I)
_VENDORED = re.compile(r"(?:^|/)(?:vendor|vendored|third_?party|node_modules|external)/", re.I)
_LEGACY = re.compile(r"(?:^|/)_?(?:compat|legacy|deprecated)(?:/|\.)", re.I)
_REEXPORT = re.compile(
    r"(?:^|/)(?:__init__\.py|index\.[cm]?[jt]sx?|mod\.rs|package-info\.java|doc\.go)$"
)
_DECLARATIONS = re.compile(r"\.d\.[cm]?ts$|\.pyi$")

_KINDS = {
    "tests": _TESTS,
    "examples": _EXAMPLES,
    "docs": _DOCS,
    "config": _CONFIG,
    "generated": _GENERATED,
    "vendored": _VENDORED,
    "legacy": _LEGACY,
    "reexport": _REEXPORT,
    "declarations": _DECLARATIONS,
}


class PathTraits(NamedTuple):
    """`stem`: stems of the file name's words; `kinds`: what the path penalties are for."""

    stem: tuple[str, ...]
    kinds: frozenset[str]


@lru_cache(maxsize=65536)
def path_traits(path: str) -> PathTraits:
    """Traits of a POSIX path."""
    file = path.rpartition("/")[2]
    name = file.split(".", 1)[0] or file
    return PathTraits(
        stem=tuple(stem(part) for part in name_parts(name)),
        kinds=frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(path)),
    )
