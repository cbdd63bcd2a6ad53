"""A manifest's declarations of a package: its name, dependencies and pinned versions.

Everything here is a pure function of one file.
"""

from dataclasses import dataclass
from enum import StrEnum


class Ecosystem(StrEnum):
    """A packaging ecosystem, whose rules define packages and modules."""

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
    """A package that another requires.

    `name` is normalised by the ecosystem's rules; `required` is as written, "" for any version.
    """

    name: str
    required: str


@dataclass(frozen=True, slots=True)
class Pin:
    """A package's version in a lock file."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of one manifest, lock file or path configuration.

    Directories are POSIX and relative to the file's own, "" for the same; globs are as written.
    `name` is "" if no package is declared (a lock file, a tsconfig, a workspace's root).
    `import_names` are the declared top-level modules; globs with Python. `source_roots` are the
    declared directories where modules begin. `entries` are (subpath, file) of its exports
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
