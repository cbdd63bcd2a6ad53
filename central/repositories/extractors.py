"""Indexes that an older extractor made than the newest that this service knows, its own.

A repository's next run brings it up to date. Until then its answers may lack what the newer
extractor finds, and are what they were before the upgrade.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final

from aeterna_code_search.contract.projects import OLDER_EXTRACTOR_NAMED, OlderExtractor
from central.db import fetch_rows, id_array, sql_with
from central.repositories.models import Repository
from central.repositories.visibility import RepositorySnapshot
from indexer.pipeline.versions import NEWEST
from indexer.records.extractors import EVERYTHING, MANIFESTS, SELECTION, Extractor, depends_on

# Which files have a manifest the newer extractor may say, so these concern every repository.
_OF_ALL: Final = frozenset({EVERYTHING, MANIFESTS})
_sql = sql_with(repository=Repository)
_CONTENTS = _sql("""SELECT id, extractor, skipped, ARRAY(SELECT jsonb_object_keys(languages))
    FROM {repository} WHERE id = ANY(%s::bigint[])""")


def parts_to_read_again(repository: Repository) -> list[str]:
    """Return the parts of the extractor by which the next run reads files of it again.

    They are languages, hosts, manifests, selection, or everything alone; [] without an index.
    """
    if not repository.generation:
        return []
    return list(_concerning(repository.extractor, repository.languages, repository.skipped))


def older_extractor(repositories: Iterable[RepositorySnapshot]) -> OlderExtractor:
    """Return which of the repositories are older. A query only if languages have to tell."""
    older = {
        repository.id: repository
        for repository in repositories
        if repository.generation and _older_parts(repository.extractor)
    }
    unsure = [
        id_
        for id_, repository in older.items()
        if _OF_ALL.isdisjoint(_older_parts(repository.extractor))
    ]
    for id_, extractor, skipped, languages in (
        fetch_rows(_CONTENTS, [id_array(unsure)]) if unsure else ()
    ):
        if not _concerning(extractor, languages, skipped):
            del older[id_]
    names = sorted(repository.name for repository in older.values())
    return OlderExtractor(len(names), names[:OLDER_EXTRACTOR_NAMED])


def _concerning(extractor: str, languages: Collection[str], skipped: int) -> tuple[str, ...]:
    return tuple(
        part
        for part in _older_parts(extractor)
        if part in _OF_ALL
        or (part == SELECTION and skipped)
        or any(depends_on(language, part) for language in languages)
    )


@lru_cache(maxsize=1_000)
def _older_parts(extractor: str) -> tuple[str, ...]:
    return Extractor.parse(extractor).older_parts(NEWEST)
