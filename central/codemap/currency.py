"""Which stored edges are current, what is resolved beside them, and what an answer may lack.

An answer about the whole organisation reads the current edges. References of other files are
resolved for it, up to a limit; the rest is left out, and the receipt says of how many files.
"""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from central.codemap.answers import MapReceipt
from central.corpus.models import Reference
from central.db import fetch_rows, sql_with
from central.errors import UnavailableError
from central.repositories.visibility import answering_projects, listed_missing
from central.tenancy.models import Organization
from central.trace.edges import Edge
from central.trace.receipts import missing_projects
from central.trace.request_scope import TraceScope
from central.trace.resolve.engine import limits_met
from central.trace.resolve.questions import Limit
from central.trace.resolve.references import sites_in
from central.trace.stored.models import Source
from central.trace.stored.rows import resolved
from central.trace.stored.state import CURRENT, hidden_repositories
from indexer.output.terminal import pluralize

MAP_FILES: Final = 2_000  # whose edges are not current, resolved for an answer about all
MAP_REFERENCES: Final = 20_000  # of these files
_CUT: Final = (
    "A limit was met where references of {files} were resolved, so these may lead to more. Traces "
    "of what they call say which one."
)
_sql = sql_with(current=CURRENT, source=Source, reference=Reference)
_OTHERS: Final = _sql("""SELECT s.file_id, (SELECT count(*) FROM {reference} r
            WHERE r.file_id = s.file_id), count(*) OVER ()
    FROM {source} s WHERE s.repository_id = ANY(%s::bigint[]) AND NOT ({current})
    ORDER BY s.file_id LIMIT %s""")


_CUT_FILES: Final = _sql("""SELECT count(*) FROM {source} s
    WHERE s.repository_id = ANY(%s::bigint[]) AND s.is_cut AND {current}""")


class Beside(NamedTuple):
    """What an answer has beside stored edges: `files` that were resolved, and their edges.

    `hidden` are the repositories that the credential does not see, as a parameter of CURRENT.
    `left_out` is the number of further files, of whose references nothing is known. `unresolved`
    counts the references of the files of which nothing tells what they mean, by name and ecosystem.
    """

    hidden: str
    files: Sequence[int]
    edges: Sequence[Edge]
    left_out: int
    unresolved: Mapping[tuple[str, str], int]


NOTHING_BESIDE: Final = Beside("", (), (), 0, {})


def beside_stored(organization: Organization, scope: TraceScope) -> Beside:
    """Resolve what is not current. Raises UnavailableError until all repositories are compared."""
    if not scope.is_compared:
        raise UnavailableError(
            "The stored edges follow what was indexed just now; ask again in a few seconds. "
            "After an upgrade or a first index this takes minutes: see aeterna_edges_due_files.",
            code="edges_behind",
        )
    resolver = scope.resolver
    hidden = hidden_repositories(organization, resolver.repositories)
    rows = fetch_rows(_OTHERS, [resolver.repositories, hidden, MAP_FILES])
    files, room = [], MAP_REFERENCES
    for file, references, _ in rows:
        if references <= room:
            room -= references
            files.append(file)
    [(cut,)] = fetch_rows(_CUT_FILES, [resolver.repositories, hidden])
    if cut:
        resolver.resolve_all([Limit(_CUT.format(files=pluralize(cut, "file")))])
    sites = sites_in(resolver, files) if files else {}
    found = resolved(resolver, [site for several in sites.values() for site in several])
    total = rows[0][2] if rows else 0
    unresolved = Counter(
        (site.name, site.ecosystem)
        for site, resolution in found.resolutions
        if resolution.is_unresolved
    )
    return Beside(hidden, files, found.edges, total - len(files), unresolved)


def map_receipt(scope: TraceScope, beside: Beside, cut: Sequence[str] = ()) -> MapReceipt:
    """Build the receipt."""
    missing = missing_projects(scope)
    listed, more = listed_missing(missing)
    limits = [*cut, *limits_met(scope.resolver)]
    return MapReceipt(
        complete=not (missing or beside.left_out or limits),
        took_ms=round((time.perf_counter() - scope.started) * 1000, 1),
        projects=answering_projects(scope.repositories.values()),
        missing=listed,
        missing_more=more,
        files_left_out=beside.left_out,
        cut=limits,
    )
