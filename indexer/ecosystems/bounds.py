"""The bounds of a stored manifest, and of what is computed of those of one repository."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final

from indexer.records.files import NAME_CHARACTERS
from indexer.records.manifests import (
    MANIFEST_DEPENDENCIES,
    MANIFEST_PINS,
    VERSION_CHARACTERS,
    Dependency,
    Manifest,
    ManifestProblem,
    Pin,
    PinUse,
)

MANIFEST_ENTRIES: Final = 1_000


@dataclass(slots=True)
class Effort:
    """Steps that are left, of about a microsecond each: manifests may refer to each other."""

    left: int  # negative if there were too few

    def spend(self, steps: int = 1) -> bool:
        """Take steps; whether they were left."""
        self.left -= steps
        return self.left >= 0


def truncate_manifest(manifest: Manifest) -> Manifest:
    """Reduce a manifest to its storable part.

    Omits items whose names or versions are too long or unprintable, and the rest of too many. With
    a long version or too many items it is PARTIAL.
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
        uses=_uses(manifest.uses),
        renamed=_pairs(manifest.renamed),
        settings=_pairs(manifest.settings),
        problem=manifest.problem or (ManifestProblem.PARTIAL if _is_cut(manifest) else None),
    )


def _is_cut(manifest: Manifest) -> bool:
    is_long = any(
        len(version) > VERSION_CHARACTERS
        for version in chain(
            (dependency.required for dependency in manifest.dependencies),
            (pin.version for pin in manifest.pins),
            (use.version for use in manifest.uses),
        )
    )
    many = len(manifest.pins) > MANIFEST_PINS or len(manifest.uses) > MANIFEST_PINS
    return is_long or many or len(manifest.dependencies) > MANIFEST_DEPENDENCIES


def _dependencies(dependencies: Iterable[Dependency]) -> tuple[Dependency, ...]:
    """Return each name once, with the first version that is required."""
    kept: dict[str, Dependency] = {}
    for needed in dependencies:
        if not _is_name(needed.name) or (
            needed.name not in kept and len(kept) == MANIFEST_DEPENDENCIES
        ):
            continue
        if needed.name not in kept or not kept[needed.name].required:
            kept[needed.name] = Dependency(needed.name, _version(needed.required))
    return tuple(kept.values())


def _pins(pins: Iterable[Pin]) -> tuple[Pin, ...]:
    kept: dict[Pin, None] = {}
    for pin in pins:
        version = _version(pin.version)
        if version and _is_name(pin.name):
            kept[Pin(pin.name, version)] = None
        if len(kept) == MANIFEST_PINS:
            break
    return tuple(kept)


def _uses(uses: Iterable[PinUse]) -> tuple[PinUse, ...]:
    kept = (
        PinUse(use.user, use.name, _version(use.required), version)
        for use in uses
        if (version := _version(use.version))
        and _is_name(use.name)
        and (not use.user or _is_name(use.user))
    )
    return tuple(dict.fromkeys(islice(kept, MANIFEST_PINS)))


def _is_name(name: str) -> bool:
    return 0 < len(name) <= NAME_CHARACTERS and name.isprintable()


def _version(version: str) -> str:
    version = " ".join(version.split()) if len(version) <= 2 * VERSION_CHARACTERS else version
    return version if len(version) <= VERSION_CHARACTERS and version.isprintable() else ""


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
