"""The readers by manifest name, and the bounds of a stored manifest."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from indexer.limits import (
    MANIFEST_CHARACTERS,
    MANIFEST_DEPENDENCIES,
    MANIFEST_ENTRIES,
    MANIFEST_PINS,
    NAME_CHARACTERS,
    VERSION_CHARACTERS,
    WRITTEN_MANIFEST_CHARACTERS,
)
from indexer.manifests.cargo import read_cargo_lock, read_cargo_toml
from indexer.manifests.composer import read_composer_json, read_composer_lock
from indexer.manifests.golang import read_go_mod
from indexer.manifests.gradle import (
    read_build_gradle,
    read_gradle_lockfile,
    read_settings_gradle,
    read_version_catalog,
)
from indexer.manifests.maven import read_pom
from indexer.manifests.npm import (
    read_package_json,
    read_package_lock,
    read_pnpm_lock,
    read_pnpm_workspace,
    read_tsconfig,
    read_yarn_lock,
)
from indexer.manifests.nuget import read_central_versions, read_csproj, read_nuget_lock
from indexer.manifests.pyproject import read_pyproject
from indexer.manifests.requirements import read_pipfile_lock, read_requirements, read_toml_lock
from indexer.manifests.rubygems import read_gemfile, read_gemfile_lock, read_gemspec
from indexer.manifests.setuptools import read_setup_cfg, read_setup_py
from indexer.manifests.swiftpm import read_package_resolved, read_package_swift
from indexer.records.manifests import Dependency, Manifest, Pin

_Reader = Callable[[str], Manifest]
_PathReader = Callable[[str, str], Manifest]

_LOCK_FILES: Final[dict[str, _Reader]] = {
    "poetry.lock": read_toml_lock,
    "uv.lock": read_toml_lock,
    "pdm.lock": read_toml_lock,
    "Pipfile.lock": read_pipfile_lock,
    "package-lock.json": read_package_lock,
    "npm-shrinkwrap.json": read_package_lock,
    "yarn.lock": read_yarn_lock,
    "pnpm-lock.yaml": read_pnpm_lock,
    "Cargo.lock": read_cargo_lock,
    "gradle.lockfile": read_gradle_lockfile,
    "packages.lock.json": read_nuget_lock,
    "composer.lock": read_composer_lock,
    "Gemfile.lock": read_gemfile_lock,
    "Package.resolved": read_package_resolved,
}
_BY_NAME: Final[dict[str, _Reader]] = {
    "pyproject.toml": read_pyproject,
    "setup.cfg": read_setup_cfg,
    "setup.py": read_setup_py,
    "package.json": read_package_json,
    "pnpm-workspace.yaml": read_pnpm_workspace,
    "jsconfig.json": read_tsconfig,
    "go.mod": read_go_mod,
    "Cargo.toml": read_cargo_toml,
    "pom.xml": read_pom,
    "settings.gradle": read_settings_gradle,
    "settings.gradle.kts": read_settings_gradle,
    "Directory.Packages.props": read_central_versions,
    "composer.json": read_composer_json,
    "Gemfile": read_gemfile,
    "Package.swift": read_package_swift,
    **_LOCK_FILES,
}
_BY_PATTERN: Final[tuple[tuple[re.Pattern[str], _Reader], ...]] = (
    (
        re.compile(r"(?:.*/)?(?:[\w.-]*requirements[\w.-]*|requirements/[\w.-]+)\.(?:txt|in)"),
        read_requirements,
    ),
    (re.compile(r"(?:.*/)?tsconfig[\w.-]*\.json"), read_tsconfig),
    (re.compile(r".*\.gemspec"), read_gemspec),
    (re.compile(r"(?:.*/)?gradle/[\w.-]+\.versions\.toml"), read_version_catalog),
)
_BY_PATH: Final[tuple[tuple[re.Pattern[str], _PathReader], ...]] = (
    (re.compile(r"(?:.*/)?build\.gradle(?:\.kts)?"), read_build_gradle),
    (re.compile(r".*\.csproj"), read_csproj),
)


def is_manifest(path: str) -> bool:
    """Whether `read_manifest` supports a file of this name."""
    return _reader(path) is not None


def read_manifest(path: str, content: bytes | str) -> Manifest | None:
    """Read a manifest, within bounds; None if it is none, too long or unreadable.

    No content makes this raise.
    """
    reader = _reader(path)
    most = (
        MANIFEST_CHARACTERS
        if path.rpartition("/")[2] in _LOCK_FILES
        else WRITTEN_MANIFEST_CHARACTERS
    )
    if reader is None or len(content) > most:
        return None
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        return truncate_manifest(reader(text.removeprefix("\ufeff")))
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the file is invalid
        return None


def _reader(path: str) -> _Reader | None:
    by_name = _BY_NAME.get(path.rpartition("/")[2])
    if by_name:
        return by_name
    for pattern, reader in _BY_PATTERN:
        if pattern.fullmatch(path):
            return reader
    for pattern, path_reader in _BY_PATH:
        if pattern.fullmatch(path):
            return lambda text: path_reader(text, path)
    return None


def truncate_manifest(manifest: Manifest) -> Manifest:
    """Reduce a manifest to its storable part.

    Omits items whose names are too long or unprintable, and cuts versions.
    """
    return Manifest(
        ecosystem=manifest.ecosystem,
        name=manifest.name if _is_name(manifest.name) else "",
        version=_version(manifest.version),
        import_names=_names(manifest.import_names),
        source_roots=_paths(manifest.source_roots),
        entries=_pairs(manifest.entries),
        aliases=_pairs(manifest.aliases),
        members=_names(manifest.members),
        dependencies=_dependencies(manifest.dependencies),
        pins=_pins(manifest.pins),
    )


def _dependencies(dependencies: Iterable[Dependency]) -> tuple[Dependency, ...]:
    """Return each name once, with the first version that is required."""
    kept: dict[str, Dependency] = {}
    for one in dependencies:
        if not _is_name(one.name) or (one.name not in kept and len(kept) == MANIFEST_DEPENDENCIES):
            continue
        if one.name not in kept or not kept[one.name].required:
            kept[one.name] = Dependency(one.name, _version(one.required))
    return tuple(kept.values())


def _pins(pins: Iterable[Pin]) -> tuple[Pin, ...]:
    kept: dict[Pin, None] = {}
    for one in pins:
        version = _version(one.version)
        if version and _is_name(one.name):
            kept[Pin(one.name, version)] = None
        if len(kept) == MANIFEST_PINS:
            break
    return tuple(kept)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= NAME_CHARACTERS and name.isprintable()


def _version(version: str) -> str:
    version = " ".join(version[: 2 * VERSION_CHARACTERS].split())
    return version[:VERSION_CHARACTERS] if version.isprintable() else ""


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(_is_name, names)))[:MANIFEST_ENTRIES]


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for path in paths if not path or _is_name(path)))[
        :MANIFEST_ENTRIES
    ]


def _pairs(pairs: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return storable pairs; the first item may be "", the package itself."""
    kept = (pair for pair in pairs if _is_name(pair[1]) and (not pair[0] or _is_name(pair[0])))
    return tuple(dict.fromkeys(kept))[:MANIFEST_ENTRIES]
