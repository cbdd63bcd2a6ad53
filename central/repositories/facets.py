"""What there is to search and to filter by, in one query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from central.common.statements import fetch_rows
from central.repositories.selectors import VISIBLE, visible_parameters
from central.tenancy.credentials import Credential

NAMED_PROJECTS = 200  # a list that is longer helps nobody choose

_FACETS = f"""WITH seen AS (
        SELECT r.name, r.generation, r.indexed_at, r.chunks, r.languages
        FROM repositories_repository r WHERE {VISIBLE}
    )
    SELECT count(*), count(*) FILTER (WHERE generation > 0), max(indexed_at),
        coalesce(sum(chunks), 0)::bigint,
        (SELECT coalesce(array_agg(name ORDER BY name), '{{}}')
            FROM (SELECT name FROM seen ORDER BY name LIMIT %s) named),
        (SELECT coalesce(json_object_agg(key, files ORDER BY files DESC, key), '{{}}')
            FROM (SELECT key, sum(value::bigint)::bigint AS files
                FROM seen, jsonb_each_text(languages) GROUP BY key) counted)
    FROM seen"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Facets:
    """Of the repositories in sight: counts, the newest apply, names and languages to choose from.

    `projects` are the first NAMED_PROJECTS; `languages` have their number of files, most first.
    """

    repositories: int
    indexed: int
    indexed_at: datetime | None
    chunks: int
    projects: Sequence[str]
    languages: Mapping[str, int]


def facets(*, credential: Credential) -> Facets:
    """What the credential may search."""
    rows = fetch_rows(_FACETS, [*visible_parameters(credential=credential), NAMED_PROJECTS])
    return Facets(*rows[0])
