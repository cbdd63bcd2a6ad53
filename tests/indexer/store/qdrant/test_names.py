"""Collections' names in Qdrant, and where an alias goes."""

import re

from hypothesis import given
from hypothesis import strategies as st

from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection
from indexer.store.qdrant.collections import (
    AliasChanges,
    Names,
    after_upsert,
    before_drop,
    is_of,
    names_of,
)

FIRST = EmbedderSpec("builtin", "first", 8)
SECOND = EmbedderSpec("openai", "second", 8)


def names(project: str = "api", repository: int = 7, embedder: EmbedderSpec = FIRST) -> Names:
    return names_of(Collection("acme", project, repository, embedder), "project")


def test_alias_is_for_people_and_the_physical_name_for_one_embedder() -> None:
    assert names().alias == "codesearch_acme_api"
    assert re.fullmatch(r"codesearch_acme~7~builtin_first_8_[0-9a-f]{8}", names().physical)
    organization = names_of(Collection("acme", "api", 7, FIRST), "organization")
    assert organization.alias == "codesearch_acme"
    assert re.fullmatch(r"codesearch_acme~builtin_first_8_[0-9a-f]{8}", organization.physical)


slugs = st.from_regex(r"[a-z0-9][a-z0-9-]{0,5}", fullmatch=True)
projects = st.from_regex(r"[A-Za-z0-9_.~-]{1,12}", fullmatch=True)
collections = st.builds(
    Collection, slugs, projects, st.integers(1, 99), st.sampled_from([FIRST, SECOND])
)


@given(collections, collections)
def test_no_project_can_be_called_so_that_two_meet(one: Collection, other: Collection) -> None:
    per_project = names_of(one, "project"), names_of(other, "project")
    key, other_key = ((each.organization, each.repository, each.embedder) for each in (one, other))
    assert (per_project[0].physical == per_project[1].physical) == (key == other_key)
    same_alias = (one.organization, one.project) == (other.organization, other.project)
    assert (per_project[0].alias == per_project[1].alias) == same_alias
    per_organization = names_of(one, "organization")
    physical = {per_project[0].physical, per_organization.physical}
    aliases = {per_project[1].alias, per_organization.alias}
    assert len(physical) == 2
    assert not physical & aliases
    assert not is_of(per_organization, per_project[1].physical)


def test_first_collection_gets_the_alias() -> None:
    assert after_upsert(names(), {}) == AliasChanges(target=names().physical)
    settled = {names().alias: names().physical}
    assert not after_upsert(names(), settled)


def test_alias_stays_at_the_first_embedder_until_that_is_dropped() -> None:
    first, second = names(), names(embedder=SECOND)
    aliases = {first.alias: first.physical}
    assert not after_upsert(second, aliases)
    existing = {first.physical, second.physical}
    assert before_drop(first, aliases, existing) == AliasChanges((first.alias,), second.physical)
    assert not before_drop(second, aliases, existing)
    assert not before_drop(first, aliases, {first.physical})


def test_alias_follows_a_renamed_repository() -> None:
    old, new = names("api"), names("gateway")
    aliases = {old.alias: old.physical}
    assert after_upsert(new, aliases) == AliasChanges((old.alias,), old.physical)
    during_a_migration = names("gateway", embedder=SECOND)
    assert after_upsert(during_a_migration, aliases) == AliasChanges((old.alias,), old.physical)


def test_new_repository_under_an_old_name_takes_the_alias() -> None:
    old, new = names("api", repository=7), names("api", repository=8)
    aliases = {old.alias: old.physical}
    assert after_upsert(new, aliases) == AliasChanges((old.alias,), new.physical)


def test_other_repositories_are_none_of_its_own() -> None:
    aliases = {"codesearch_acme_docs": names("docs", repository=70).physical}
    assert after_upsert(names(), aliases) == AliasChanges(target=names().physical)
