"""The name under which a build backend packs a file, by its rules and the package's layout."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from fnmatch import translate
from functools import cached_property, lru_cache
from itertools import islice
from typing import Final

from indexer.ecosystems.base import PackageRoot, RegularPackages
from indexer.ecosystems.paths import joined, parent, relative_to
from indexer.ecosystems.pypi.layouts import FIND, REGULAR, PackageLayout
from indexer.languages.python import python_module

# Folders and modules that setuptools leaves out of an undeclared flat layout
# (FlatLayoutPackageFinder, FlatLayoutModuleFinder).
_NO_PACKAGES: Final = frozenset({
    "ci", "bin", "debian", "doc", "docs", "documentation", "manpages", "news", "newsfragments",
    "changelog", "test", "tests", "unit_test", "unit_tests", "example", "examples", "scripts",
    "tools", "util", "utils", "python", "build", "benchmark", "benchmarks", "exercise",
    "exercises", "htmlcov", "tasks", "fabfile", "site_scons",
})  # fmt: skip
_NO_MODULES: Final = frozenset({
    "setup", "conftest", "test", "tests", "example", "examples", "build", "toxfile", "noxfile",
    "pavement", "dodo", "tasks", "fabfile", "SConstruct", "sconstruct", "Sconstruct",
    "conanfile", "manage", "benchmark", "benchmarks", "exercise", "exercises",
})  # fmt: skip


class Regular:
    """The directories of a repository that have an `__init__.py`."""

    def __init__(self, listed: RegularPackages) -> None:
        self._listed = listed

    @cached_property
    def _tops(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for directory in self._listed() if self._listed else ():
            found[parent(directory)].add(directory.rpartition("/")[2])
        return dict(found)

    def below(self, root: str) -> "RegularBelow":
        return RegularBelow(self, root, is_known=self._listed is not None)

    def inside(self, directory: str) -> Set[str]:
        """Return the names of those directly in a directory; none if nothing is known."""
        return self._tops.get(directory, frozenset())


class RegularBelow:
    """The same as a manifest in `root` sees it."""

    def __init__(self, regular: Regular, root: str, *, is_known: bool) -> None:
        self._regular = regular
        self._root = root
        self.is_known = is_known

    def inside(self, directory: str) -> Set[str]:
        return self._regular.inside(joined(self._root, directory) or "")

    def has(self, directory: str) -> bool:
        return directory.rpartition("/")[2] in self.inside(parent(directory))


def packed_name(
    path: str, root: PackageRoot | None, layout: PackageLayout, regular: Regular
) -> str | None:
    """Return the dotted name of a file of the package; None if it is not packed."""
    seen = relative_to(path, root.root) if root else None
    if root is None or seen is None:
        return None
    if layout.backend == "setuptools":
        name = _set_up(seen, layout, regular.below(root.root))
    elif layout.backend:
        name = _built(seen, layout, regular.below(root.root))
    else:
        name = _usual(seen, root)
    name = _without_stubs(name) if name and path.endswith(".pyi") else name
    return name if name and all(part.isidentifier() for part in name.split(".")) else None


def _without_stubs(name: str) -> str:
    """Return the package that a distribution of stubs (PEP 561) describes."""
    top, dot, rest = name.partition(".")
    return top.removesuffix("-stubs") + dot + rest


def _mounted(seen: str, mounts: Iterable[tuple[str, str]]) -> str | None:
    """Return the dotted name below the innermost mount around the file; None without one."""
    found = [(len(place), name, place) for name, place in mounts if _is_in(seen, place)]
    if not found:
        return None
    _, name, place = max(found)
    rest = python_module((relative_to(seen, place) or "") if seen != place else "").strip("/")
    return f"{name}.{rest}" if name and rest else name or rest


def _is_in(seen: str, place: str) -> bool:
    return seen == place or relative_to(seen, place) is not None


def _built(seen: str, layout: PackageLayout, regular: RegularBelow) -> str | None:
    """Return the name by a backend that lists what it packs."""
    if layout.include and not matches_any(layout.include, seen):
        return None
    if matches_any(layout.exclude, seen) or _is_elsewhere_too(seen, layout, regular):
        return None
    if layout.backend == "pdm" and REGULAR in layout.packages and regular.is_known:
        return _in_top_package(seen, layout, regular)
    return _mounted(seen, layout.mounts)


def _is_elsewhere_too(seen: str, layout: PackageLayout, regular: RegularBelow) -> bool:
    """Whether the package is in another of the usual places, or must have an `__init__.py`."""
    first = next((usual[1:] for usual in layout.usual if regular.has(usual[1:])), None)
    if first is None:
        return bool(layout.usual) and REGULAR in layout.packages and regular.is_known
    return not _is_in(seen, first) and matches_any(layout.usual, seen)


def _in_top_package(seen: str, layout: PackageLayout, regular: RegularBelow) -> str | None:
    """Return the name by PDM, which takes single modules only where it finds no package."""
    places = [place for _, place in layout.mounts]
    base = places[0]
    if "src" in places and (regular.inside("src") or _is_in(seen, "src")):
        base = "src"
    inside = relative_to(seen, base)
    top, slash, _ = (inside or "").partition("/")
    tops = regular.inside(base)
    is_packed = top in tops or top.endswith("-stubs") if slash else not tops
    return _mounted(seen, [("", base)]) if inside and is_packed else None


def _set_up(seen: str, layout: PackageLayout, regular: RegularBelow) -> str | None:
    """Return the name by setuptools: what is listed, found, or discovered without either."""
    is_declared = bool(layout.packages or layout.modules)
    declared = list(layout.mounts)
    if not declared and not is_declared and relative_to(seen, "src") is not None:
        declared = [("", "src")]
    if is_declared or not declared:
        declared += [] if any(not name for name, _ in declared) else [("", "")]
    name = _mounted(seen, declared)
    if not name or _is_elsewhere(name, seen, declared):
        return None
    package = name if seen.rpartition("/")[2].startswith("__init__.py") else name.rpartition(".")[0]
    if is_declared:
        is_packed = _is_listed(package, name, layout) and _is_regular(
            seen, package, layout, regular
        )
        return name if is_packed else None
    if any(place and _is_in(seen, place) for _, place in declared):
        return name
    tops = {top for top in regular.inside("") if _is_discovered(top, top)}
    is_beside = (regular.inside("src") and not layout.mounts) or (tops and not package)
    return name if _is_discovered(package, name) and not is_beside else None


def _is_regular(seen: str, package: str, layout: PackageLayout, regular: RegularBelow) -> bool:
    """Whether the packages around a file have an `__init__.py`, where only such are found."""
    if REGULAR not in layout.packages or not package or not regular.is_known:
        return True
    directory = parent(seen)
    for _ in package.split("."):
        if not regular.has(directory):
            return False
        directory = parent(directory)
    return True


def _is_elsewhere(name: str, seen: str, mounts: Iterable[tuple[str, str]]) -> bool:
    """Whether the package of that name is in another directory."""
    return any(
        mount and f"{name}.".startswith(f"{mount}.") and not _is_in(seen, place)
        for mount, place in mounts
    )


def _is_listed(package: str, name: str, layout: PackageLayout) -> bool:
    if name in layout.modules:
        return True
    if not package or any(fits(package, pattern) for pattern in layout.excluded):
        return False
    if FIND in layout.packages:
        wanted = [pattern for pattern in layout.packages if pattern not in {FIND, REGULAR}] or ["*"]
        return any(fits(package, pattern) for pattern in wanted)
    return package in layout.packages


def _is_discovered(package: str, name: str) -> bool:
    """Whether a flat layout packs it; modules beside packages are not told from single ones."""
    top = name.partition(".")[0]
    if top.startswith(("_", ".")):
        return False
    return top not in (_NO_PACKAGES if package else _NO_MODULES)


def _usual(seen: str, root: PackageRoot) -> str | None:
    """Return the name by what is usual, for an unknown backend."""
    sources = root.source_roots or ("src",)
    around = [source for source in sources if source and relative_to(seen, source) is not None]
    source = max(around, key=len, default="")
    if root.source_roots and not around and "" not in root.source_roots:
        return None
    name = _mounted(seen, [*root.entries, ("", source)])
    top = (name or "").partition(".")[0]
    if root.import_names:
        return name if any(fits(top, import_name) for import_name in root.import_names) else None
    return name if source or _is_discovered(seen.rpartition("/")[0], name or "") else None


_MAX_PATTERNS: Final = 300  # of those with directories
_MAX_SKIPS: Final = 8  # `**` in one


@lru_cache(maxsize=8_192)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))


def fits(name: str, pattern: str) -> bool:
    """Whether a shell's pattern, without regard to "/", matches the whole name."""
    return _compiled(pattern).match(name) is not None


def matches_any(patterns: Iterable[str], path: str) -> bool:
    """Whether one of the patterns matches the file or a directory around it."""
    parts = path.split("/")
    return any(_matches(pattern, parts) for pattern in islice(patterns, _MAX_PATTERNS))


def _matches(pattern: str, parts: Sequence[str]) -> bool:
    """Whether it matches; one without "/" does at any depth. Negated patterns match nothing."""
    segments = pattern.strip("/").split("/")
    if "/" not in pattern.rstrip("/"):
        segments.insert(0, "**")
    if segments.count("**") > _MAX_SKIPS:
        return False
    states = _skipped({0}, segments)
    for part in parts:
        after = {
            state + (segments[state] != "**") for state in states if _takes(segments[state], part)
        }
        states = _skipped(after, segments)
        if len(segments) in states:
            return True
    return False


def _takes(segment: str, part: str) -> bool:
    return segment == "**" or fits(part, segment)


def _skipped(states: set[int], segments: Sequence[str]) -> set[int]:
    """Add the positions after each `**`, which may stand for no directory."""
    waiting = list(states)
    while waiting:
        index = waiting.pop()
        if index < len(segments) and segments[index] == "**" and index + 1 not in states:
            states.add(index + 1)
            waiting.append(index + 1)
    return states
