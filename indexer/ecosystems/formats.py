"""Which files are manifests, and of what format. Their readers are imported when one is read.

Manifests are untrusted: readers treat values of wrong types as absent and are bounded in time. They
run and fetch nothing.
"""

import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from importlib import import_module
from typing import Final, TypeAlias

from indexer.records.manifests import MANIFEST_CHARACTERS, Ecosystem, Manifest, ManifestProblem

WRITTEN_MANIFEST_CHARACTERS: Final = 1_048_576  # of handwritten manifests, whose parsers are slow
_Read: TypeAlias = Callable[[str, str], Manifest | None]


@dataclass(frozen=True, slots=True)
class ManifestFormat:
    """The files of one format, by their names or by a pattern of their paths, and their reader.

    `reader` names a module, in the folder of its ecosystem, and a function, which takes the text
    and the path. It may raise ValueError, SyntaxError and RecursionError. A format with `markers`
    is of files that hold such a text; no manifest may be in one all the same.
    """

    reader: str
    _: KW_ONLY
    names: tuple[str, ...] = ()
    paths: str = ""
    is_lock: bool = False
    markers: tuple[str, ...] = ()

    @property
    def ecosystem(self) -> Ecosystem:
        return Ecosystem(self.reader.partition(".")[0])


GRADLE_LOCK: Final = "gradle.lockfile"
# Of the classpaths of build scripts, which code does not have.
GRADLE_SCRIPT_LOCKS: Final = ("buildscript-gradle.lockfile", "settings-gradle.lockfile")
SCRIPT_MARKER: Final = "# /// script"
PATH_CALLS: Final = ("sys.path", "addsitedir")
PATH_MARKERS: Final = ("PYTHONPATH", "extraPaths")
# Files that start programs, and settings of editors.
_PROGRAMS: Final = (
    r"(?:.*/)?(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Procfile[\w.-]*|[\w.-]+\.(?:mk|sh|bash)|\.env[\w.-]*"
    r"|(?:Taskfile|\.travis|\.gitlab-ci|azure-pipelines[\w.-]*)\.ya?ml|pyrightconfig\.json"
    r"|\.github/(?:.*/)?[\w.-]+\.ya?ml|\.circleci/config\.yml|[\w.-]+\.code-workspace"
    r"|\.vscode/[\w.-]+\.json|\.devcontainer/(?:.*/)?devcontainer\.json)"
)

# Names of files by reader: of manifests that people write, and of those that a tool writes.
_NAMES: Final = {
    "pypi.pyproject:read_pyproject": "pyproject.toml",
    "pypi.setuptools:read_setup_cfg": "setup.cfg",
    "pypi.setuptools:read_setup_py": "setup.py",
    "pypi.environments:read_pipfile": "Pipfile",
    "pypi.search_paths:read_search_paths": "pytest.ini .pytest.ini tox.ini mypy.ini .mypy.ini .env",
    "npm.package_json:read_package_json": "package.json",
    "npm.deno:read_deno_json": "deno.json deno.jsonc jsr.json jsr.jsonc import_map.json",
    "npm.workspace_settings:read_pnpm_workspace": "pnpm-workspace.yaml",
    "npm.workspace_settings:read_yarnrc": ".yarnrc.yml",
    "npm.tsconfig:read_tsconfig": "jsconfig.json",
    "go.manifests:read_go_mod": "go.mod",
    "go.manifests:read_go_work": "go.work",
    "cargo.manifests:read_cargo_toml": "Cargo.toml",
    "maven.pom:read_pom": "pom.xml",
    "maven.gradle:read_build_gradle": "build.gradle build.gradle.kts",
    "maven.settings:read_settings_gradle": "settings.gradle settings.gradle.kts",
    "maven.settings:read_gradle_properties": "gradle.properties",
    "nuget.manifests:read_project": "Directory.Build.targets",
    "nuget.manifests:read_packages_config": "packages.config",
    "rubygems.manifests:read_gemfile": "Gemfile gems.rb",
    "composer.manifests:read_composer_json": "composer.json",
    "swiftpm.manifests:read_package_swift": "Package.swift",
}
_LOCK_NAMES: Final = {
    "pypi.locks:read_uv_lock": "uv.lock",
    "pypi.locks:read_toml_lock": "poetry.lock pdm.lock",
    "pypi.locks:read_pipfile_lock": "Pipfile.lock",
    "npm.locks:read_package_lock": "package-lock.json npm-shrinkwrap.json",
    "npm.locks:read_yarn_lock": "yarn.lock",
    "npm.locks:read_pnpm_lock": "pnpm-lock.yaml",
    "npm.locks:read_bun_lock": "bun.lock",
    "npm.deno:read_deno_lock": "deno.lock",
    "cargo.manifests:read_cargo_lock": "Cargo.lock",
    "maven.gradle_locks:read_gradle_lockfile": " ".join((GRADLE_LOCK, *GRADLE_SCRIPT_LOCKS)),
    "nuget.manifests:read_nuget_lock": "packages.lock.json",
    "rubygems.manifests:read_gemfile_lock": "Gemfile.lock gems.locked",
    "composer.manifests:read_composer_lock": "composer.lock",
    "swiftpm.manifests:read_package_resolved": "Package.resolved",
}
# Whole paths: in an order, the first that fits decides.
_PATHS: Final = (
    ManifestFormat(
        "pypi.locks:read_pylock", paths=r"(?:.*/)?pylock(?:\.[\w-]+)?\.toml", is_lock=True
    ),
    ManifestFormat(
        "pypi.requirements:read_constraints", paths=r"(?:.*/)?[\w.-]*constraints[\w.-]*\.txt"
    ),
    ManifestFormat(
        "pypi.requirements:read_requirements",
        paths=r"(?:.*/)?(?:[\w.-]*requirements[\w.-]*"
        r"|(?:requirements|requires|reqs|deps|dependencies)/[\w.-]+)\.(?:txt|in)",
    ),
    ManifestFormat(
        "pypi.environments:read_conda", paths=r"(?:.*/)?(?:conda|environment)[\w.-]*\.ya?ml"
    ),
    ManifestFormat(
        "pypi.scripts:read_script_lock", paths=r"(?:.*/)?[^/]+\.pyw?\.lock", is_lock=True
    ),
    ManifestFormat(
        "pypi.containers:read_dockerfile",
        paths=r"(?:.*/)?(?i:(?:docker|container)file(?:\.[\w.-]+)?|[\w.-]+\.dockerfile)",
        markers=PATH_MARKERS[:1],
    ),
    ManifestFormat(
        "pypi.containers:read_compose",
        paths=r"(?:.*/)?(?:docker-)?compose[\w.-]*\.ya?ml",
        markers=PATH_MARKERS[:1],
    ),
    ManifestFormat("pypi.search_paths:read_programs", paths=_PROGRAMS, markers=PATH_MARKERS),
    ManifestFormat(
        "pypi.scripts:read_source",
        paths=r"(?:.*/)?(?:[^/.]+|[^/]+\.pyw?)",
        markers=(SCRIPT_MARKER, *PATH_CALLS),
    ),
    ManifestFormat("npm.tsconfig:read_tsconfig", paths=r"(?:.*/)?tsconfig[\w.-]*\.json"),
    ManifestFormat("maven.pom:read_maven_config", paths=r"(?:.*/)?\.mvn/maven\.config"),
    ManifestFormat("maven.settings:read_version_catalog", paths=r"(?:.*/)?[\w.-]+\.versions\.toml"),
    ManifestFormat("maven.sbt:read_build_sbt", paths=r"(?:(?!project/)[^/]+/)*[\w-]+\.sbt"),
    ManifestFormat(
        "maven.sbt:read_dependencies_scala", paths=r"(?:.*/)?project/Dependencies\.scala"
    ),
    ManifestFormat("nuget.manifests:read_project", paths=r".*\.(?:csproj|fsproj|vbproj|props)"),
    ManifestFormat("rubygems.manifests:read_gemspec", paths=r".*\.gemspec"),
)
FORMATS: Final = (
    *(ManifestFormat(reader, names=tuple(names.split())) for reader, names in _NAMES.items()),
    *(
        ManifestFormat(reader, names=tuple(names.split()), is_lock=True)
        for reader, names in _LOCK_NAMES.items()
    ),
    *_PATHS,
)
_BY_NAME: Final = {name: format_ for format_ in FORMATS for name in format_.names}
_BY_PATH: Final = tuple((re.compile(format_.paths), format_) for format_ in _PATHS)

# The same for PostgreSQL, but of what the content makes a manifest: names, and a pattern of whole
# paths.
MANIFEST_NAMES: Final = tuple(name for name, format_ in _BY_NAME.items() if not format_.markers)
MANIFEST_PATHS: Final = (
    f"^(?:{'|'.join(format_.paths for format_ in _PATHS if not format_.markers)})$"
)


def is_manifest(path: str) -> bool:
    """Whether `read_manifest` supports a file of this name, whatever it holds."""
    known = _format(path)
    return known is not None and not known.markers


def is_lock_file(path: str) -> bool:
    """Whether it is a manifest that a tool writes, of versions that are in use."""
    known = _format(path)
    return known is not None and known.is_lock


def read_manifest(path: str, content: bytes | str) -> Manifest | None:
    """Read a manifest, within bounds; None if it is none. No content makes this raise."""
    known = _format(path)
    if known is None:
        return None
    if known.markers and not any(_holds(content, marker) for marker in known.markers):
        return None
    if len(content) > (MANIFEST_CHARACTERS if known.is_lock else WRITTEN_MANIFEST_CHARACTERS):
        return Manifest(known.ecosystem, problem=ManifestProblem.TOO_LARGE)
    return _read(known, path, content)


def _read(known: ManifestFormat, path: str, content: bytes | str) -> Manifest | None:
    from indexer.ecosystems.bounds import truncate_manifest
    from indexer.ecosystems.parsing import TooLargeError

    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        read = import_reader(known)(text.removeprefix("\ufeff"), path)
        return truncate_manifest(read) if read else None
    except TooLargeError:
        return Manifest(known.ecosystem, problem=ManifestProblem.TOO_LARGE)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return Manifest(known.ecosystem, problem=ManifestProblem.INVALID)


def import_reader(known: ManifestFormat) -> _Read:
    """Import the function that reads a format."""
    module, _, name = known.reader.partition(":")
    read: _Read = getattr(import_module(f"indexer.ecosystems.{module}"), name)
    return read


def _holds(content: bytes | str, marker: str) -> bool:
    return marker.encode() in content if isinstance(content, bytes) else marker in content


def _format(path: str) -> ManifestFormat | None:
    by_name = _BY_NAME.get(path.rpartition("/")[2])
    if by_name:
        return by_name
    return next((known for pattern, known in _BY_PATH if pattern.fullmatch(path)), None)
