"""Cargo.toml and Cargo.lock. Names are written with "-", which crates.io treats like "_"."""

import re
from collections.abc import Iterator

from indexer.ecosystems.parsing import Table, locked_packages, read_toml, string, strings, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_EXACT = re.compile(r"=\s*(\d[\w.+-]*)")
_SECTIONS = ("dependencies", "dev-dependencies", "build-dependencies")


def read_cargo_toml(text: str, _path: str) -> Manifest:
    """Read Cargo.toml. `import_names` is the declared library name, `entries` its file.

    Values that `workspace = true` inherits from another file are unknown here. Raises ValueError
    and RecursionError.
    """
    document = read_toml(text)
    package = table(document, "package")
    workspace = table(document, "workspace")
    library = table(document, "lib")
    dependencies = tuple(_dependencies(document, workspace))
    return Manifest(
        Ecosystem.CARGO,
        name=_name(string(package.get("name"))),
        version=string(package.get("version"))
        or string(table(workspace, "package").get("version")),
        import_names=tuple(filter(None, [string(library.get("name"))])),
        entries=tuple(("", path) for path in [string(library.get("path"))] if path),
        members=tuple(strings(workspace.get("members"))),
        dependencies=dependencies,
        pins=tuple(
            Pin(one.name, found[1])
            for one in dependencies
            if (found := _EXACT.fullmatch(one.required.strip()))
        ),
    )


def read_cargo_lock(text: str, _path: str) -> Manifest:
    """Read Cargo.lock. Raises nothing."""
    pins = tuple(Pin(_name(name), version) for name, version in locked_packages(text))
    return Manifest(Ecosystem.CARGO, pins=pins)


def _dependencies(document: Table, workspace: Table) -> Iterator[Dependency]:
    shared = table(workspace, "dependencies")
    for scope in [document, *(table(target) for target in table(document, "target").values())]:
        for section in _SECTIONS:
            for key, wanted in table(scope, section).items():
                inherits = table(wanted).get("workspace") is True
                yield _dependency(key, shared.get(key) if inherits else wanted)
    for key, wanted in shared.items():
        yield _dependency(key, wanted)


def _dependency(key: str, wanted: object) -> Dependency:
    settings = table(wanted)
    required = string(wanted) or string(settings.get("version"))
    return Dependency(
        _name(string(settings.get("package")) or key), "" if required == "*" else required
    )


def _name(name: str) -> str:
    return name.replace("_", "-")
