"""Package.swift (literals only) and Package.resolved.

A dependency is given by its URL but named by its author, often `acme-auth` and `AcmeAuth`; so names
are compared in lower case without "-", "_" and ".".

Requirements are kept as `1.2.0` (`from:`, up to the next major version), `exact: 1.2.0`,
`upToNextMinor: 1.2.0`, `1.0.0..<1.5.0`, `1.0.0...1.5.0`, `branch: main` and `revision: 1a2b3c`.
https://docs.swift.org/package-manager/PackageDescription/PackageDescription.html#package-dependency-requirement
"""

import re
from collections.abc import Iterator
from typing import Any, Final

from indexer.ecosystems.base import parse_semantic_version
from indexer.ecosystems.parsing import array, exact_pins, read_json, string, table
from indexer.records.manifests import Dependency, Ecosystem, Manifest, Pin

_TEXT: Final = r'"([^"\n]{1,100})"'
_LABELLED: Final = re.compile(rf"\s*,\s*\.?(from|exact|branch|revision)\s*[:(]\s*{_TEXT}")
_UP_TO: Final = re.compile(rf"\s*,\s*\.(upToNextMajor|upToNextMinor)\s*\(\s*from\s*:\s*{_TEXT}")
_EXACT: Final = re.compile(r"exact: (.+)")
_BETWEEN: Final = re.compile(rf"\s*,\s*{_TEXT}\s*(\.\.[.<])\s*{_TEXT}")
_WRITTEN: Final = re.compile(
    r"(?:(?P<kind>exact|upToNextMinor): )?(?P<low>[0-9][^ ]*?)"
    r"(?:(?P<to>\.\.[.<])(?P<high>[0-9].*))?"
)


def requirement_at(text: str, position: int) -> str:
    """Return the requirement that follows the place of a dependency, or ""."""
    if found := _LABELLED.match(text, position):
        return found[2] if found[1] == "from" else f"{found[1]}: {found[2]}"
    if found := _UP_TO.match(text, position):
        return found[2] if found[1] == "upToNextMajor" else f"{found[1]}: {found[2]}"
    if found := _BETWEEN.match(text, position):
        return found[1] + found[2] + found[3]
    return ""


def allows(required: str, version: str) -> bool:
    """Whether a version is allowed; a branch or a revision allows none. Raises ValueError."""
    if required.startswith(("branch: ", "revision: ")):
        return False
    found = _WRITTEN.fullmatch(required)
    if not found:
        raise ValueError("not a requirement")
    wanted, low = parse_semantic_version(version), parse_semantic_version(found["low"])
    if found["kind"] == "exact":
        return bool(wanted == low)
    if not found["to"]:
        high = low.bump_minor() if found["kind"] else low.bump_major()
        return _is_within(wanted, low, high)
    high = parse_semantic_version(found["high"])
    if found["to"] == "...":
        high = high.replace(patch=high.patch + 1)
    return _is_within(wanted, low, high)


def _is_within(version: Any, low: Any, high: Any) -> bool:
    """Whether it is in the range, where prereleases are only if a bound is one."""
    if version.prerelease:
        if not low.prerelease and not high.prerelease:
            return False
        if not high.prerelease and high.finalize_version() == version.finalize_version():
            return False
    return bool(low <= version < high)


_PACKAGE = re.compile(r"\bPackage\s*\(\s*name\s*:\s*\"([^\"\n]{1,300})\"")
_TARGET = re.compile(
    r"\.(?P<kind>target|testTarget|executableTarget|macro|plugin)\s*\(\s*name\s*:\s*"
    r"\"(?P<name>[^\"\n]{1,300})\""
)
_PATH = re.compile(r"\bpath\s*:\s*\"([^\"\n]{1,300})\"")
_DEPENDENCY = re.compile(
    r"\.package\s*\(\s*(?:name\s*:\s*\"[^\"\n]{0,300}\"\s*,\s*)?(?P<key>url|path|id)\s*:\s*"
    r"\"(?P<place>[^\"\n]{1,500})\""
)
_COMMENT = re.compile(r"(\"(?:\\.|[^\"\\\n])*+\")|//[^\n]*|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)")
_SEPARATORS = re.compile(r"[-_.]")


def read_package_swift(text: str, _path: str) -> Manifest:
    """Read Package.swift. `entries` are targets with their declared directories."""
    text = _COMMENT.sub(lambda found: found[1] or " ", text)
    name = _PACKAGE.search(text)
    dependencies = [_dependency(text, found) for found in _DEPENDENCY.finditer(text)]
    return Manifest(
        Ecosystem.SWIFTPM,
        name=_identity(name[1]) if name else "",
        entries=tuple(_targets(text)),
        dependencies=tuple(dependencies),
        pins=exact_pins(dependencies, _EXACT),
    )


def read_package_resolved(text: str, _path: str) -> Manifest:
    """Read formats 1 to 3; what follows a branch has no version.

    Raises ValueError and RecursionError.
    """
    document = read_json(text)
    listed = array(document.get("pins")) or array(table(document, "object").get("pins"))
    return Manifest(
        Ecosystem.SWIFTPM,
        pins=tuple(
            Pin(
                _identity(string(entry.get("identity")) or string(entry.get("repositoryURL"))),
                string(table(entry, "state").get("version")),
            )
            for entry in map(table, listed)
        ),
    )


def _dependency(text: str, found: re.Match[str]) -> Dependency:
    """Return a dependency by its URL, its path or its identity in a registry, `acme.auth`."""
    place = found["place"].rpartition(".")[2] if found["key"] == "id" else found["place"]
    required = "" if found["key"] == "path" else requirement_at(text, found.end())
    return Dependency(_identity(place), required)


def _targets(text: str) -> Iterator[tuple[str, str]]:
    found = list(_TARGET.finditer(text))
    ends = [*(match.start() for match in found), len(text)]
    for match, end in zip(found, ends[1:], strict=True):
        path = _PATH.search(text, match.end(), end)
        if path:
            yield match["name"], path[1].removeprefix("./").strip("/")


def _identity(location: str) -> str:
    last = location.rstrip("/").removesuffix(".git").rpartition("/")[2]
    return _SEPARATORS.sub("", last).lower()
