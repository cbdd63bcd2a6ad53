"""Gems of Ruby."""

from collections.abc import Iterator
from typing import Any, Final

from indexer.ecosystems.base import PackageEcosystem, PackageRoot
from indexer.ecosystems.paths import relative_to
from indexer.languages.base import ModuleName
from indexer.languages.ruby import ruby_module
from indexer.records.manifests import Ecosystem


def parse_version(version: str) -> Any:
    """Return the version as a value with the order of Gem::Version. Raises ValueError."""
    from univers.versions import RubygemsVersion

    return RubygemsVersion(version)


def allows(required: str, version: str) -> bool:
    """Whether a version satisfies requirements with commas between. Raises ValueError."""
    from univers import gem

    rules: Any = gem  # without types
    try:
        wanted = rules.GemRequirement(*(part.strip() for part in required.split(",")))
    except gem.InvalidRequirementError as error:
        raise ValueError(str(error)) from error
    return bool(wanted.satisfied_by(rules.GemVersion(version)))


def ruby_names(path: str, _namespace: str, root: PackageRoot | None) -> Iterator[ModuleName]:
    """Return the path for `require`. Constants are global, so the package is one scope."""
    yield ModuleName(ruby_module(path), public=False, scope=False)
    seen = relative_to(path, root.root) if root else path
    inside = relative_to(seen or "", "lib")
    if inside and inside.endswith(".rb"):
        is_public = bool(root and root.name)
        yield ModuleName(inside.removesuffix(".rb"), public=is_public, scope=False)
    package = (root.name or "/" + root.root) if root else "/"
    yield ModuleName(f"gem:{package}", public=False, scope=True)


RUBYGEMS: Final = PackageEcosystem(
    ecosystem=Ecosystem.RUBYGEMS,
    module_names=lambda *_: ruby_names,
    parse_version=parse_version,
    allows=allows,
    shares_directories=True,
)
