"""A manifest's declarations of a package: its name, dependencies and pinned versions; names.

Everything here is a pure function of one file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

MANIFEST_CHARACTERS: Final = 16 * 1_048_576
SCRIPT_CHARACTERS: Final = 262_144  # of setup.py, and of builds of Gradle and sbt
MANIFEST_STEPS: Final = 2_000_000  # of what the manifests of a repository say of each other
MANIFEST_PINS: Final = 20_000
MANIFEST_DEPENDENCIES: Final = 2_000
VERSION_CHARACTERS: Final = 200  # of a version or a requirement
LOCATION_CHARACTERS: Final = 1_000  # of a directory, a file, a glob, a pattern in a manifest


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
    SHELL = "shell"  # no manifests; functions of files that a script sources
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
class PinUse:
    """The version that a lock file gives to one dependency of one package of the repository.

    `user` is the package's directory, from the lock file's, or its name; ANY_USER for any package.
    `required` is as the package's manifest writes it, "" for whatever that is.
    """

    user: str
    name: str
    required: str
    version: str


ANY_USER: Final = "*"
# A setting: the manifest is of one file alone, itself or the one whose name it has with `.lock`.
OWN_FILE: Final = ("of", "file")


class ManifestProblem(StrEnum):
    """Why a manifest is not read, or not whole."""

    INVALID = "invalid"  # not in the format that its name says
    TOO_LARGE = "too_large"
    PARTIAL = "partial"  # a program, or an item that is not understood: what is read is right

    @property
    def sentence(self) -> str:
        return _PROBLEMS[self]


_PROBLEMS: Final = {
    ManifestProblem.INVALID: "It is not in the format that its name says.",
    ManifestProblem.TOO_LARGE: "It is larger than what is read of such a file.",
    ManifestProblem.PARTIAL: "Some of its items are not understood, and left out.",
}


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of one manifest, lock file or path configuration.

    Directories are POSIX and relative to the file's own, "" for the same; globs are as written.
    `name` is "" if no package is declared (a lock file, a tsconfig, a workspace's root).
    `import_names` are the declared top-level modules; globs with Python. `source_roots` are the
    declared directories where modules begin. `entries` are (subpath, file) of its exports
    ("" is the package itself); with Python and Swift a module and its directory.
    `aliases` are (pattern, target) of path configurations, one pair per target, in order.
    `members` are globs of a workspace's packages. `uses` say which package has which of the `pins`,
    where one has several versions. `renamed` are (local name, name) of dependencies that the code
    imports under another name. `settings` are (key, value) that depend on other manifests or apply
    to others, by keys of the ecosystem.
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
    uses: tuple[PinUse, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    problem: ManifestProblem | None = None

    @property
    def is_read(self) -> bool:
        """Whether anything of it is known."""
        return self.problem in {None, ManifestProblem.PARTIAL}


# Fields that earlier services refuse, with their values in a manifest that does not have them. They
# are sent only if the answer to Open names them, after "manifest.".
NEGOTIATED_MANIFEST_FIELDS: Final[Mapping[str, Any]] = {
    "uses": (),
    "renamed": (),
    "settings": (),
    "problem": None,
}


_SEPARATORS: Final = re.compile(r"[-_.]+")
_SCALA: Final = re.compile(r"(?:_(?:sjs|native)[\d.]+)?_(?:2\.1[0-3]|3)$")
_TYPES: Final = "@types/"  # of npm: packages that declare the types of another


def python_name(name: str) -> str:
    """Normalise a name by PEP 503: `Acme.Auth_X` → `acme-auth-x`."""
    return _SEPARATORS.sub("-", name).lower()


def without_scala(name: str) -> str:
    """Return the artifact's name without the version of Scala, which each of several has."""
    return _SCALA.sub("", name)


def typed_package(name: str) -> str:
    """Return the package of npm whose types one declares: `@types/acme__log` → `@acme/log`."""
    if not name.startswith(_TYPES):
        return name
    scope, separator, rest = name.removeprefix(_TYPES).partition("__")
    return f"@{scope}/{rest}" if separator else scope
