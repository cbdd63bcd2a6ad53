"""Owners as a part of answers: how many rows each owner's files have."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Final

from central.owners.reading import OwnersReader
from central.repositories.visibility import RepositorySnapshot

OWNERS_LISTED: Final = 100  # with the number of rows of each
OWNER_COUNTS: Final = (
    f"By owner of their files, the first {OWNERS_LISTED}; a row whose file has two owners counts "
    "for both"
)


@dataclass(frozen=True, slots=True)
class OwnerCount:
    """How many rows of an answer are in files of one owner."""

    owner: Annotated[str | None, "null: the files have none, or it is not known"]
    count: int
    known: Annotated[bool, "Whether the CODEOWNERS of the repositories could be read"] = True


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
