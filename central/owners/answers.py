"""Owners as a part of answers: how many rows each owner's files have."""

from collections import Counter
from collections.abc import Iterable

from aeterna_code_search.contract.projects import OWNERS_LISTED, OwnerCount
from central.owners.reading import OwnersReader
from central.repositories.visibility import RepositorySnapshot


def owner_counts(
    reader: OwnersReader, places: Iterable[tuple[RepositorySnapshot, str]]
) -> list[OwnerCount]:
    """Count (repository, path) of rows by owner, most first, then by name; at most OWNERS_LISTED.

    All of the repositories must be visible to the reader.
    """
    rows = Counter(places)
    reader.read_ahead({repository for repository, _ in rows})
    counts: Counter[tuple[str | None, bool]] = Counter()
    for (repository, path), count in rows.items():
        owners = reader.listed(repository, path)
        if owners is None:
            counts[None, False] += count
            continue
        for owner in owners:
            counts[owner, True] += count
        if not owners:
            counts[None, True] += count
    found = [OwnerCount(owner, count, known) for (owner, known), count in counts.items()]
    found.sort(key=lambda row: (-row.count, row.owner is None, row.owner or ""))
    return found[:OWNERS_LISTED]
