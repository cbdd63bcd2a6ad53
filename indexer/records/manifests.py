"""What a manifest declares of a package: its name, its dependencies, and the versions it pins.

Everything here is a pure function of one file.
"""

from dataclasses import dataclass
from enum import StrEnum


class Ecosystem(StrEnum):
    """Whose rules say what a package and a module are."""

    PYPI = "pypi"
    NPM = "npm"
    GO = "go"
    MAVEN = "maven"
    CARGO = "cargo"
    NUGET = "nuget"
    RUBYGEMS = "rubygems"
    COMPOSER = "composer"
    SWIFTPM = "swiftpm"
    NONE = "none"  # C, C++: no manifest that names modules


@dataclass(frozen=True, slots=True)
class Dependency:
    """A package that another asks for.

    `name` as the ecosystem normalises it; `required` as written, "" for any version.
    """

    name: str
    required: str


@dataclass(frozen=True, slots=True)
class Pin:
    """A version that a lock file holds a package at."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What one manifest, lock file or path configuration says. Directories are relative to the
    file's own, POSIX, "" for the same; globs as written.

    `name` is "" where no package is declared (a lock file, a tsconfig, a workspace's root).
    `import_names` are top-level modules, if it tells; globs with Python. `source_roots` are
    directories where modules begin, if it tells. `entries` are (subpath, file) of what it exports
    ("" is the package itself); with Python and Swift a module and its directory.
    `aliases` are (pattern, target) of path configurations, one pair per target, in order.
    `members` are globs of a workspace's packages.
    """

    ecosystem: Ecosystem
    name: str = ""
    version: str = ""
    import_names: tuple[str, ...] = ()
    source_roots: tuple[str, ...] = ()
    entries: tuple[tuple[str, str], ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()
    members: tuple[str, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    pins: tuple[Pin, ...] = ()
