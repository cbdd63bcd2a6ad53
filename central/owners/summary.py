"""What a repository's page says of its CODEOWNERS: rules, invalid lines, and who owns how much."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from central.corpus.models import File
from central.db import fetch_rows, sql_with
from central.owners.codeowners import InvalidLine
from central.owners.reading import OwnersReader
from central.repositories.visibility import RepositorySnapshot

OWNERS_COUNTED_FILES: Final = 50_000  # of a repository, for the share without an owner
_OWNERS_SHOWN: Final = 20
_sql = sql_with(file=File)
_PATHS: Final = _sql("""SELECT f.path FROM {file} f
    WHERE f.repository_id = %s::bigint AND f.skipped = '' ORDER BY f.path LIMIT %s""")


@dataclass(frozen=True, slots=True)
class CodeownersSummary:
    """A repository's CODEOWNERS; without a `path` it has none. `syntax` is github or gitlab.

    `unread` says why it is not followed. `files` are the indexed ones that were counted, some of
    them if `is_cut`, `unowned` those without an owner; `owners` have names with numbers of files.
    """

    path: str
    syntax: str
    rules: int
    invalid: Sequence[InvalidLine]
    invalid_count: int
    unread: str
    files: int
    unowned: int
    is_cut: bool
    owners: Sequence[tuple[str, int]]
    owners_more: int

    @property
    def unowned_percent(self) -> float:
        """The share of the counted files that have no owner."""
        return 100 * self.unowned / max(self.files, 1)


def codeowners_summary(reader: OwnersReader, repository: RepositorySnapshot) -> CodeownersSummary:
    """Describe the CODEOWNERS of a visible repository as its index has it. Within one moment."""
    owners = reader.of([repository])[repository.id]
    found = owners.ownership
    paths = []
    if found.path and not owners.unread:
        rows = fetch_rows(_PATHS, [repository.id, OWNERS_COUNTED_FILES + 1])
        paths = [path for (path,) in rows]
    counts: Counter[str] = Counter()
    counted = unowned = 0
    for path in paths[:OWNERS_COUNTED_FILES]:
        own = owners.of(path)
        if own is None:  # the time is used up
            break
        counted += 1
        unowned += not own
        counts.update(own)
    named = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return CodeownersSummary(
        path=found.path,
        syntax=found.syntax or "",
        rules=found.rules,
        invalid=found.invalid,
        invalid_count=found.invalid_count,
        unread=owners.unread if not counted else "",
        files=counted,
        unowned=unowned,
        is_cut=counted < len(paths),
        owners=named[:_OWNERS_SHOWN],
        owners_more=max(0, len(named) - _OWNERS_SHOWN),
    )
