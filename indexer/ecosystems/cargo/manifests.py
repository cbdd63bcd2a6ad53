"""Cargo.toml and Cargo.lock. Names are written with "-", which crates.io treats like "_".

Settings of a Cargo.toml: ("target", file) is the declared root of a binary, test, example,
benchmark or build script. ("workspace", directory) is that of its workspace, if it says so. What
it inherits: ("inherits", "version"), ("inherits", "dependency KEY"). What it gives to members:
("member version", version), ("member dependency KEY", "PACKAGE RANGE"); the range may be empty.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from indexer.ecosystems.base import Located
from indexer.ecosystems.local_ranges import local_ranges, ranges_by_local
from indexer.ecosystems.parsing import Table, array, exact_pins, read_toml, string, strings, table
from indexer.ecosystems.paths import ancestors, joined, parent
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin, PinUse

_EXACT = re.compile(r"\s*=\s*(\d+\.\d+\.\d+[\w.+-]*)\s*")
_SECTIONS = ("dependencies", "dev-dependencies", "build-dependencies")
_OLD_SECTIONS = ("dependencies", "dev_dependencies", "build_dependencies")
_TARGETS = ("bin", "test", "example", "bench")
_DEFAULT_VERSION: Final = "0.0.0"
_Setting = tuple[str, str]


def read_cargo_toml(text: str, _path: str) -> Manifest:
    """Read Cargo.toml. `import_names` is the declared library name, `entries` its file.

    Values that `workspace = true` inherits from another file are settings. Raises ValueError and
    RecursionError.
    """
    document = read_toml(text)
    package = table(document, "package") or table(document, "project")
    workspace = table(document, "workspace")
    library = table(document, "lib")
    wanted = list(_wanted(document))
    dependencies = tuple(merged(dependency_of(key, requirement) for key, requirement in wanted))
    return Manifest(
        Ecosystem.CARGO,
        name=_name(string(package.get("name"))),
        version=_version(package),
        import_names=tuple(filter(None, [string(library.get("name"))])),
        entries=tuple(("", _file(path)) for path in [string(library.get("path"))] if path),
        members=tuple(strings(workspace.get("members"))),
        dependencies=dependencies,
        pins=exact_pins(dependencies, _EXACT),
        renamed=tuple(pair for key, requirement in wanted for pair in renamed(key, requirement)),
        settings=(
            *_targets(document, package),
            *_inherited(package, wanted),
            *_given(workspace),
            *renamed_ranges((key, dependency_of(key, requirement)) for key, requirement in wanted),
        ),
    )


def dependency_of(key: str, wanted: object) -> Dependency:
    """Return the dependency that a table's key and its value declare."""
    settings = table(wanted)
    required = string(wanted) or string(settings.get("version"))
    return Dependency(_package(key, settings), "" if required == "*" else required)


def renamed(key: str, wanted: object) -> Iterator[tuple[str, str]]:
    """Yield the name in code and the package, if they differ."""
    package = _package(key, table(wanted))
    if package != _name(key):
        yield key.replace("-", "_"), package


def renamed_ranges(wanted: Iterable[tuple[str, Dependency]]) -> list[_Setting]:
    """Return the ranges of packages with several names in code, each by its own."""
    named = ((key.replace("-", "_"), requirement) for key, requirement in wanted)
    return ranges_by_local(
        (needed.name if _name(local) == needed.name else local, needed.name, needed.required)
        for local, needed in named
    )[1]


def merged(dependencies: Iterable[Dependency]) -> Iterator[Dependency]:
    """Yield each package once; of different ranges none is that of the package."""
    ranges: dict[str, dict[str, None]] = {}
    for dependency in dependencies:
        ranges.setdefault(dependency.name, {})[dependency.required] = None
    for name, several in ranges.items():
        yield Dependency(name, " || ".join(filter(None, several)))


def _wanted(document: Table) -> Iterator[tuple[str, object]]:
    """Yield the key and value of each dependency, of all platforms and purposes."""
    for scope in [document, *(table(target) for target in table(document, "target").values())]:
        for section in dict.fromkeys((*_SECTIONS, *_OLD_SECTIONS)):
            yield from table(scope, section).items()


def _version(package: Table) -> str:
    """Return the version; a package without one has the default, but one that inherits it none."""
    written = package.get("version")
    return string(written) or (_DEFAULT_VERSION if package and written is None else "")


def _targets(document: Table, package: Table) -> Iterator[_Setting]:
    declared = [target for kind in _TARGETS for target in array(document.get(kind))]
    for path in [*(table(target).get("path") for target in declared), package.get("build")]:
        if string(path):
            yield "target", _file(string(path))


def _inherited(package: Table, wanted: Iterable[tuple[str, object]]) -> Iterator[_Setting]:
    if string(package.get("workspace")):
        yield "workspace", string(package.get("workspace"))
    if table(package, "version").get("workspace") is True:
        yield "inherits", "version"
    for key, requirement in wanted:
        if table(requirement).get("workspace") is True:
            yield "inherits", f"dependency {key}"


def _given(workspace: Table) -> Iterator[_Setting]:
    version = string(table(workspace, "package").get("version"))
    if version:
        yield "member version", version
    for key, wanted in table(workspace, "dependencies").items():
        dependency = dependency_of(key, wanted)
        yield f"member dependency {key}", f"{dependency.name} {dependency.required}".strip()


def _package(key: str, settings: Table) -> str:
    return _name(string(settings.get("package")) or key)


def _file(path: str) -> str:
    return path.removeprefix("./")


def _name(name: str) -> str:
    return name.replace("_", "-")


_KEY = re.compile(r'(name|version|source) = "([^"\n]{1,500})"')
_USE = re.compile(r'"([^" \n]{1,500})(?: ([^" \n]{1,200}))?(?: \([^"\n]*\))?",?')


def read_cargo_lock(text: str, _path: str) -> Manifest:
    """Read Cargo.lock. Raises nothing.

    It says which package of the repository uses which version wherever there are several.
    """
    pins: list[Pin] = []
    uses: list[PinUse] = []
    blocks = f"\n{text}".replace("\r\n", "\n").split("\n[[package]]\n")
    for block in blocks[1:]:
        values, used = _block(block)
        name = _name(values.get("name", ""))
        if "version" not in values:
            continue
        pins.append(Pin(name, values["version"]))
        if "source" not in values:
            uses += [PinUse(name, _name(dependency), "", version) for dependency, version in used]
    return Manifest(Ecosystem.CARGO, pins=tuple(pins), uses=tuple(uses))


def _block(block: str) -> tuple[dict[str, str], list[tuple[str, str]]]:
    """Return the values of a package, and the dependencies whose version it names."""
    values: dict[str, str] = {}
    used = []
    for line in block.split("\n"):
        if line.startswith("["):
            break
        if found := _KEY.fullmatch(line):
            values[found[1]] = found[2]
        elif (found := _USE.fullmatch(line.strip())) and found[2]:
            used.append((found[1], found[2]))
    return values, used


_DEPENDENCY: Final = "dependency "
_GIVES: Final = "member "


def with_workspaces(manifests: Sequence[Located]) -> list[Located]:
    """Return the manifests, members with the versions and dependencies that they inherit."""
    roots = {
        parent(path): {key.removeprefix(_GIVES): value for key, value in manifest.settings}
        for path, manifest in manifests
        if manifest.members or any(key.startswith(_GIVES) for key, _ in manifest.settings)
    }
    inheriting = [
        (path, _inheriting(parent(path), manifest, roots)) for path, manifest in manifests
    ]
    return [*_locks(manifests), *inheriting]


def _locks(manifests: Sequence[Located]) -> Iterator[Located]:
    """Yield the lock file of a workspace that is no directory above, for a member that names it."""
    known = dict(manifests)
    for path, manifest in manifests:
        directory = parent(path)
        for value in (value for key, value in manifest.settings if key == "workspace"):
            place = joined(directory, value)
            lock = None if place is None else known.get(f"{place}/Cargo.lock".lstrip("/"))
            if lock and place not in tuple(ancestors(directory)):
                yield f"{directory}/Cargo.lock".lstrip("/"), lock


def _inheriting(
    directory: str, manifest: Manifest, roots: Mapping[str, Mapping[str, str]]
) -> Manifest:
    inherited = [value for key, value in manifest.settings if key == "inherits"]
    if not inherited:
        return manifest
    given = _workspace_of(directory, manifest, roots)
    keys = [key.removeprefix(_DEPENDENCY) for key in inherited if key.startswith(_DEPENDENCY)]
    found = list(_dependencies(keys, given))
    placeholders = {key.replace("_", "-") for key, _ in found}
    own = [
        needed
        for needed in manifest.dependencies
        if needed.name not in placeholders or needed.required
    ]
    dependencies = tuple(merged([*own, *(dependency for _, dependency in found)]))
    named = [pair for dependency in own for pair in _named(dependency, manifest)]
    return replace(
        manifest,
        version=given.get("version", "") if "version" in inherited else manifest.version,
        dependencies=dependencies,
        pins=exact_pins(dependencies, _EXACT),
        renamed=(
            *manifest.renamed,
            *(pair for key, needed in found for pair in renamed(key, {"package": needed.name})),
        ),
        settings=(*manifest.settings, *renamed_ranges([*named, *found])),
    )


def _named(dependency: Dependency, manifest: Manifest) -> Iterator[tuple[str, Dependency]]:
    """Yield the names in code of a member's own dependency, each with its range."""
    ranges = local_ranges([manifest])
    names = [local for local, name in manifest.renamed if name == dependency.name]
    for local in [*names, *({dependency.name} & ranges.keys() if names else [dependency.name])]:
        yield local, Dependency(dependency.name, ranges.get(local, dependency.required))


def _workspace_of(
    directory: str, manifest: Manifest, roots: Mapping[str, Mapping[str, str]]
) -> Mapping[str, str]:
    pointed = next((value for key, value in manifest.settings if key == "workspace"), None)
    places = ancestors(directory) if pointed is None else [joined(directory, pointed)]
    return next((roots[place] for place in places if place is not None and place in roots), {})


def _dependencies(
    keys: Sequence[str], given: Mapping[str, str]
) -> Iterator[tuple[str, Dependency]]:
    for key in dict.fromkeys(keys):
        name, _, required = given.get(_DEPENDENCY + key, "").partition(" ")
        if name:
            yield key, Dependency(name, required)
