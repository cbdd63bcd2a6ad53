"""How collections are called in Qdrant: an alias that people read, in front of a physical name.

A project's name cannot make two meet: an organisation's slug holds neither "_" nor "~", and an
alias goes on with "_" (or ends) where a physical name goes on with "~".
"""

from collections.abc import Collection as Container
from collections.abc import Mapping
from dataclasses import dataclass

from indexer.store.base import Collection
from indexer.store.qdrant.url import CollectionsPer
from indexer.store.schema import embedder_key, organization_key

PREFIX = "codesearch_"


@dataclass(frozen=True, slots=True)
class Names:
    """`physical` is what requests name; every one that stands behind `alias` begins `family`."""

    alias: str
    family: str
    physical: str


def names_of(collection: Collection, per: CollectionsPer) -> Names:
    """The names of the Qdrant collection where `collection` lies. Raises StoreError."""
    organization = PREFIX + organization_key(collection.organization)
    alias, family = organization, f"{organization}~"
    if per == "project":
        alias = f"{organization}_{collection.project}"
        family = f"{organization}~{collection.repository}~"
    return Names(alias, family, family + embedder_key(collection.embedder))


@dataclass(frozen=True, slots=True)
class AliasChanges:
    """Aliases to remove, then one to set, if any: in one request, so that nobody sees less."""

    removed: tuple[str, ...] = ()
    target: str | None = None

    def __bool__(self) -> bool:
        return bool(self.removed) or self.target is not None


def after_upsert(names: Names, aliases: Mapping[str, str]) -> AliasChanges:
    """What to change in `aliases` (alias → physical) once `names.physical` is there.

    The alias stays at the embedder that it names; former names of the family go.
    """
    own = {alias: name for alias, name in aliases.items() if is_of(names, name)}
    target = own.get(names.alias) or next(iter(sorted(own.values())), names.physical)
    former = tuple(sorted(own.keys() - {names.alias}))
    if names.alias in own:
        return AliasChanges(former)
    displaced = (names.alias,) if names.alias in aliases else ()
    return AliasChanges((*former, *displaced), target)


def before_drop(names: Names, aliases: Mapping[str, str], existing: Container[str]) -> AliasChanges:
    """What to change before `names.physical`, and its aliases with it, is deleted."""
    others = sorted(name for name in existing if is_of(names, name) and name != names.physical)
    if not others or aliases.get(names.alias) != names.physical:
        return AliasChanges()
    return AliasChanges((names.alias,), others[0])


def is_of(names: Names, physical: str) -> bool:
    """Whether a physical collection stands behind the same alias."""
    rest = physical.removeprefix(names.family)
    return rest != physical and "~" not in rest
