"""Requirements of Package.swift, and which versions they allow.

They are kept as `1.2.0` (`from:`, up to the next major version), `exact: 1.2.0`,
`upToNextMinor: 1.2.0`, `1.0.0..<1.5.0`, `1.0.0...1.5.0`, `branch: main` and `revision: 1a2b3c`.
https://docs.swift.org/package-manager/PackageDescription/PackageDescription.html#package-dependency-requirement
"""

import re
from typing import Any, Final

from indexer.ecosystems.versions import parse_semantic_version

_TEXT: Final = r'"([^"\n]{1,100})"'
_LABELLED: Final = re.compile(rf"\s*,\s*\.?(from|exact|branch|revision)\s*[:(]\s*{_TEXT}")
_UP_TO: Final = re.compile(rf"\s*,\s*\.(upToNextMajor|upToNextMinor)\s*\(\s*from\s*:\s*{_TEXT}")
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


def exact_version(required: str) -> str:
    """Return the only version that is allowed, or ""."""
    return required.removeprefix("exact: ") if required.startswith("exact: ") else ""


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
