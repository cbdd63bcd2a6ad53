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

    `reader` names a module and a function, which takes the text and the path. It may raise
    ValueError, SyntaxError and RecursionError. A format with `markers` is of files that hold such a
    text; no manifest may be in one all the same.
    """

    ecosystem: Ecosystem
    reader: str
    _: KW_ONLY
    names: tuple[str, ...] = ()
    paths: re.Pattern[str] | None = None
    is_lock: bool = False
    markers: tuple[str, ...] = ()


GRADLE_LOCK: Final = "gradle.lockfile"
# Of the classpaths of build scripts, which code does not have.
GRADLE_SCRIPT_LOCKS: Final = ("buildscript-gradle.lockfile", "settings-gradle.lockfile")
SCRIPT_MARKER: Final = "# /// script"
PATH_CALLS: Final = ("sys.path", "addsitedir")
PATH_MARKERS: Final = ("PYTHONPATH", "extraPaths")
# Files that start programs, and settings of editors.
_PROGRAMS: Final = re.compile(
    r"(?:.*/)?(?:(?:GNU)?[Mm]akefile|[Jj]ustfile|Procfile[\w.-]*|[\w.-]+\.(?:mk|sh|bash)|\.env[\w.-]*"
    r"|(?:Taskfile|\.travis|\.gitlab-ci|azure-pipelines[\w.-]*)\.ya?ml|pyrightconfig\.json"
    r"|\.github/(?:.*/)?[\w.-]+\.ya?ml|\.circleci/config\.yml|[\w.-]+\.code-workspace"
    r"|\.vscode/[\w.-]+\.json|\.devcontainer/(?:.*/)?devcontainer\.json)"
)

# In an order: the first pattern that fits decides.
FORMATS: Final = (
    ManifestFormat(Ecosystem.PYPI, "pypi.pyproject:read_pyproject", names=("pyproject.toml",)),
    ManifestFormat(Ecosystem.PYPI, "pypi.setuptools:read_setup_cfg", names=("setup.cfg",)),
    ManifestFormat(Ecosystem.PYPI, "pypi.setuptools:read_setup_py", names=("setup.py",)),
    ManifestFormat(Ecosystem.PYPI, "pypi.locks:read_uv_lock", names=("uv.lock",), is_lock=True),
    ManifestFormat(
        Ecosystem.PYPI, "pypi.locks:read_toml_lock", names=("poetry.lock", "pdm.lock"), is_lock=True
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.locks:read_pylock",
        paths=re.compile(r"(?:.*/)?pylock(?:\.[\w-]+)?\.toml"),
        is_lock=True,
    ),
    ManifestFormat(
        Ecosystem.PYPI, "pypi.locks:read_pipfile_lock", names=("Pipfile.lock",), is_lock=True
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.requirements:read_constraints",
        paths=re.compile(r"(?:.*/)?[\w.-]*constraints[\w.-]*\.txt"),
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.requirements:read_requirements",
        paths=re.compile(
            r"(?:.*/)?(?:[\w.-]*requirements[\w.-]*"
            r"|(?:requirements|requires|reqs|deps|dependencies)/[\w.-]+)\.(?:txt|in)"
        ),
    ),
    ManifestFormat(Ecosystem.PYPI, "pypi.environments:read_pipfile", names=("Pipfile",)),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.environments:read_conda",
        paths=re.compile(r"(?:.*/)?(?:conda|environment)[\w.-]*\.ya?ml"),
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.scripts:read_script_lock",
        paths=re.compile(r"(?:.*/)?[^/]+\.pyw?\.lock"),
        is_lock=True,
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.search_paths:read_search_paths",
        names=("pytest.ini", ".pytest.ini", "tox.ini", "mypy.ini", ".mypy.ini", ".env"),
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.containers:read_dockerfile",
        paths=re.compile(
            r"(?:.*/)?(?i:(?:docker|container)file(?:\.[\w.-]+)?|[\w.-]+\.dockerfile)"
        ),
        markers=PATH_MARKERS[:1],
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.containers:read_compose",
        paths=re.compile(r"(?:.*/)?(?:docker-)?compose[\w.-]*\.ya?ml"),
        markers=PATH_MARKERS[:1],
    ),
    ManifestFormat(
        Ecosystem.PYPI, "pypi.search_paths:read_programs", paths=_PROGRAMS, markers=PATH_MARKERS
    ),
    ManifestFormat(
        Ecosystem.PYPI,
        "pypi.scripts:read_source",
        paths=re.compile(r"(?:.*/)?(?:[^/.]+|[^/]+\.pyw?)"),
        markers=(SCRIPT_MARKER, *PATH_CALLS),
    ),
    ManifestFormat(Ecosystem.NPM, "npm.package_json:read_package_json", names=("package.json",)),
    ManifestFormat(
        Ecosystem.NPM,
        "npm.deno:read_deno_json",
        names=("deno.json", "deno.jsonc", "jsr.json", "jsr.jsonc", "import_map.json"),
    ),
    ManifestFormat(
        Ecosystem.NPM, "npm.workspace_settings:read_pnpm_workspace", names=("pnpm-workspace.yaml",)
    ),
    ManifestFormat(Ecosystem.NPM, "npm.workspace_settings:read_yarnrc", names=(".yarnrc.yml",)),
    ManifestFormat(
        Ecosystem.NPM,
        "npm.tsconfig:read_tsconfig",
        names=("jsconfig.json",),
        paths=re.compile(r"(?:.*/)?tsconfig[\w.-]*\.json"),
    ),
    ManifestFormat(
        Ecosystem.NPM,
        "npm.locks:read_package_lock",
        names=("package-lock.json", "npm-shrinkwrap.json"),
        is_lock=True,
    ),
    ManifestFormat(Ecosystem.NPM, "npm.locks:read_yarn_lock", names=("yarn.lock",), is_lock=True),
    ManifestFormat(
        Ecosystem.NPM, "npm.locks:read_pnpm_lock", names=("pnpm-lock.yaml",), is_lock=True
    ),
    ManifestFormat(Ecosystem.NPM, "npm.locks:read_bun_lock", names=("bun.lock",), is_lock=True),
    ManifestFormat(Ecosystem.NPM, "npm.deno:read_deno_lock", names=("deno.lock",), is_lock=True),
    ManifestFormat(Ecosystem.GO, "golang.go_mod:read_go_mod", names=("go.mod",)),
    ManifestFormat(Ecosystem.GO, "golang.go_mod:read_go_work", names=("go.work",)),
    ManifestFormat(Ecosystem.CARGO, "cargo.manifests:read_cargo_toml", names=("Cargo.toml",)),
    ManifestFormat(
        Ecosystem.CARGO, "cargo.manifests:read_cargo_lock", names=("Cargo.lock",), is_lock=True
    ),
    ManifestFormat(Ecosystem.MAVEN, "maven.pom:read_pom", names=("pom.xml",)),
    ManifestFormat(
        Ecosystem.MAVEN,
        "maven.pom:read_maven_config",
        paths=re.compile(r"(?:.*/)?\.mvn/maven\.config"),
    ),
    ManifestFormat(
        Ecosystem.MAVEN,
        "maven.gradle:read_build_gradle",
        names=("build.gradle", "build.gradle.kts"),
    ),
    ManifestFormat(
        Ecosystem.MAVEN,
        "maven.settings:read_settings_gradle",
        names=("settings.gradle", "settings.gradle.kts"),
    ),
    ManifestFormat(
        Ecosystem.MAVEN, "maven.settings:read_gradle_properties", names=("gradle.properties",)
    ),
    ManifestFormat(
        Ecosystem.MAVEN,
        "maven.settings:read_version_catalog",
        paths=re.compile(r"(?:.*/)?[\w.-]+\.versions\.toml"),
    ),
    ManifestFormat(
        Ecosystem.MAVEN,
        "maven.gradle_locks:read_gradle_lockfile",
        names=(GRADLE_LOCK, *GRADLE_SCRIPT_LOCKS),
        is_lock=True,
    ),
    ManifestFormat(
        Ecosystem.MAVEN,
        "maven.sbt:read_build_sbt",
        paths=re.compile(r"(?:(?!project/)[^/]+/)*[\w-]+\.sbt"),
    ),
    ManifestFormat(
        Ecosystem.MAVEN,
        "maven.sbt:read_dependencies_scala",
        paths=re.compile(r"(?:.*/)?project/Dependencies\.scala"),
    ),
    ManifestFormat(
        Ecosystem.NUGET,
        "nuget.manifests:read_project",
        names=("Directory.Build.targets",),
        paths=re.compile(r".*\.(?:csproj|fsproj|vbproj|props)"),
    ),
    ManifestFormat(
        Ecosystem.NUGET, "nuget.manifests:read_packages_config", names=("packages.config",)
    ),
    ManifestFormat(
        Ecosystem.NUGET,
        "nuget.manifests:read_nuget_lock",
        names=("packages.lock.json",),
        is_lock=True,
    ),
    ManifestFormat(
        Ecosystem.RUBYGEMS, "rubygems.manifests:read_gemspec", paths=re.compile(r".*\.gemspec")
    ),
    ManifestFormat(
        Ecosystem.RUBYGEMS, "rubygems.manifests:read_gemfile", names=("Gemfile", "gems.rb")
    ),
    ManifestFormat(
        Ecosystem.RUBYGEMS,
        "rubygems.manifests:read_gemfile_lock",
        names=("Gemfile.lock", "gems.locked"),
        is_lock=True,
    ),
    ManifestFormat(
        Ecosystem.COMPOSER, "composer.manifests:read_composer_json", names=("composer.json",)
    ),
    ManifestFormat(
        Ecosystem.COMPOSER,
        "composer.manifests:read_composer_lock",
        names=("composer.lock",),
        is_lock=True,
    ),
    ManifestFormat(
        Ecosystem.SWIFTPM, "swiftpm.manifests:read_package_swift", names=("Package.swift",)
    ),
    ManifestFormat(
        Ecosystem.SWIFTPM,
        "swiftpm.manifests:read_package_resolved",
        names=("Package.resolved",),
        is_lock=True,
    ),
)
_BY_NAME: Final = {name: format_ for format_ in FORMATS for name in format_.names}
_BY_PATH: Final = tuple((format_.paths, format_) for format_ in FORMATS if format_.paths)

# The same for PostgreSQL, but of what the content makes a manifest: names, and a pattern of whole
# paths.
MANIFEST_NAMES: Final = tuple(name for name, format_ in _BY_NAME.items() if not format_.markers)
MANIFEST_PATHS: Final = (
    f"^(?:{'|'.join(pattern.pattern for pattern, format_ in _BY_PATH if not format_.markers)})$"
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
