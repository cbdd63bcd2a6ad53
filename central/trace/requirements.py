"""How callers' packages ask for those of callees, which may be there in several versions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from central.trace.edges import Edge
from central.trace.resolve.definitions import Definition
from central.trace.resolve.engine import BatchResolver
from central.trace.resolve.questions import Key
from central.trace.resolve.sql import Declared, Requirement, RequirementOf
from indexer.ecosystems import local_names

_Alternatives = Sequence[Requirement]
_UNKNOWN: Final = ""


class Requirements:
    """The dependencies that edges go along; all are read at once."""

    def __init__(
        self, resolver: BatchResolver, edges: Iterable[Edge], definitions: Mapping[Key, Definition]
    ) -> None:
        self._definitions = definitions
        wanted = {requirement for edge in edges if (requirement := self._dependency(edge))}
        self._found = _alternatives(resolver, sorted(wanted))

    def of(self, edge: Edge, path: str) -> Requirement | None:
        """Return the dependency of the caller's package on the definition's, if they differ.

        `path` is as the caller imports it: it tells which of several names is meant.
        """
        wanted = self._dependency(edge)
        found = self._found.get(wanted, ()) if wanted else ()
        return _meant(found, path) if found else None

    def _dependency(self, edge: Edge) -> RequirementOf | None:
        target = self._definitions.get(edge.target)
        if target is None or not target.distribution or target.package == edge.site.package:
            return None
        return RequirementOf(edge.site.package, target.distribution)


def _meant(found: _Alternatives, path: str) -> Requirement:
    """Return the one by whose local name the path begins; with unknown versions if none does."""
    if len({(requirement.required, requirement.pinned) for requirement in found}) == 1:
        return found[0]
    named = [
        needed
        for needed in found
        if any(local_names.begins(path, local) for local in _locals(needed))
    ]
    none = Requirement(found[0].name, _UNKNOWN, _UNKNOWN)
    return max(
        named,
        key=lambda needed: len(local_names.local_and_meant(needed.name, needed.alias)[0]),
        default=none,
    )


def _locals(requirement: Requirement) -> tuple[str, str]:
    """Return the name that begins paths, and as code of Rust has it."""
    local = local_names.local_and_meant(requirement.name, requirement.alias)[0]
    return local, local.replace("-", "_")


def _alternatives(
    resolver: BatchResolver, wanted: Sequence[RequirementOf]
) -> dict[RequirementOf, _Alternatives]:
    """Return how packages ask for distributions, the nearest manifest first.

    Lock files are read for what no manifest names.
    """
    manifests = resolver.resolve_all(
        [Declared(needed.package) for needed in wanted]
    )  # mostly known
    found = {
        requirement: _by_alias(row for row in rows if row.name == requirement.name)
        for requirement, rows in zip(wanted, manifests, strict=True)
    }
    locked = [requirement for requirement in wanted if not found[requirement]]
    answers = resolver.resolve_all(locked)
    return found | {needed: rows[:1] for needed, rows in zip(locked, answers, strict=True)}


def _by_alias(rows: Iterable[Requirement]) -> _Alternatives:
    first: dict[str, Requirement] = {}
    for row in rows:
        first.setdefault(row.alias, row)
    return tuple(first.values())
