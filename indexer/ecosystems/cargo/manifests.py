"""Cargo.toml and Cargo.lock. Names are written with "-", which crates.io treats like "_".

Settings of a Cargo.toml: ("target", file) is the declared root of a binary, test, example,
benchmark or build script. ("workspace", directory) is that of its workspace, if it says so. What
it inherits: ("inherits", "version"), ("inherits", "dependency KEY"). What it gives to members:
("member version", version), ("member dependency KEY", "PACKAGE RANGE"); the range may be empty.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from indexer.ecosystems.local_ranges import ranges_by_local
from indexer.ecosystems.parsing import Table, array, read_toml, string, strings, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin, PinUse

_EXACT = re.compile(r"=\s*(\d+\.\d+\.\d+[\w.+-]*)")
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
        pins=exact_pins(dependencies),
        renamed=tuple(pair for key, requirement in wanted for pair in renamed(key, requirement)),
        settings=(
            *_targets(document, package),
            *_inherited(package, wanted),
            *_given(workspace),
            *renamed_ranges((key, dependency_of(key, requirement)) for key, requirement in wanted),
        ),
    )


def exact_pins(dependencies: Iterable[Dependency]) -> tuple[Pin, ...]:
    """Return the versions of the ranges that allow one."""
    found = ((needed.name, _EXACT.fullmatch(needed.required.strip())) for needed in dependencies)
    return tuple(Pin(name, match[1]) for name, match in found if match)


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
