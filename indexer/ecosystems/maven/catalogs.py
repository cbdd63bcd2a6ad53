"""Gradle's version catalogues: `*.versions.toml`, and those that settings scripts declare.

Settings are `library:ALIAS` (g:a:v), `bundle:ALIAS` (aliases) and `version:ALIAS`. Aliases are as
in accessors: `acme-kit` is `acme.kit`.
"""

import re
from collections.abc import Iterator

from indexer.ecosystems.parsing import Table, read_toml, string, strings, table
from indexer.records.manifests import Ecosystem, Manifest


def accessor(alias: str) -> str:
    """Return the accessor of an alias."""
    return re.sub(r"[-_.]", ".", alias)


def read_version_catalog(text: str, _path: str) -> Manifest:
    """Read `*.versions.toml`. Raises ValueError and RecursionError."""
    return Manifest(Ecosystem.MAVEN, settings=tuple(_settings(read_toml(text))))


def _settings(document: Table) -> Iterator[tuple[str, str]]:
    versions = table(document, "versions")
    for alias, wanted in table(document, "libraries").items():
        library = _library(wanted, versions)
        if library:
            yield f"library:{accessor(alias)}", library
    for alias, members in table(document, "bundles").items():
        yield f"bundle:{accessor(alias)}", " ".join(map(accessor, strings(members)))
    for alias, version in versions.items():
        yield f"version:{accessor(alias)}", _version(version)


def _library(wanted: object, versions: Table) -> str:
    """Read `"g:a:1"`, `{module = "g:a", version = "1"}` or `{group, name, version.ref}`."""
    settings = table(wanted)
    named = string(wanted) or string(settings.get("module"))
    group, _, rest = named.partition(":")
    artifact, _, version = rest.partition(":")
    group = group or string(settings.get("group"))
    artifact = artifact or string(settings.get("name"))
    declared = settings.get("version", version)
    declared = versions.get(string(table(declared).get("ref")), declared)
    return f"{group}:{artifact}:{_version(declared)}" if group and artifact else ""


def _version(declared: object) -> str:
    rich = table(declared)
    found = (string(rich.get(key)) for key in ("strictly", "require", "prefer"))
    return string(declared) or next(filter(None, found), "")
