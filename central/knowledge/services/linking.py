"""The decision records of a repository, mentions of records, and the edges that follow.

All of it is made again from the rows of new files, in the transaction that moves the watermark.
"""

from collections.abc import Collection, Iterable
from time import monotonic
from typing import Final

import structlog
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from central.corpus.models import File, Symbol
from central.db import fetch_rows_planned_each_time, sql_with
from central.knowledge.adrs import Adr, read_adr
from central.knowledge.identifiers import document_key
from central.knowledge.matching import Matcher, OverLimitError
from central.knowledge.mentions import NAMES_A_RECORD
from central.knowledge.models import (
    Document,
    Edge,
    Mention,
    Node,
    NodeKind,
    Origin,
)
from central.knowledge.resolution import CodePlace, nodes_of
from central.knowledge.watermarks import FileRange, file_of
from central.repositories.models import Repository
from central.tenancy.models import Organization
from indexer.limits import NODE_BODY_BYTES
from indexer.records.files import split_lines

MENTIONS_SECONDS: Final = 60.0  # of reading what new files of a repository mention
_ADR_DIRECTORY: Final = r"(^|/)(docs/(adrs?|decisions)|doc/adr|adr|decisions)/.*\.(md|markdown)$"
_ROWS: Final = 1_000  # of a statement

_log = structlog.get_logger(__name__)


def read_files(fresh: FileRange, matcher: Matcher) -> None:
    """Nodes of records, mentions and their edges, from the text of `fresh`. In a transaction."""
    touched = _sync_records(fresh)
    _read_mentions(fresh, matcher)
    _remove_stale_mentions(fresh.repository)
    link_mentions(
        fresh.repository.organization,
        keys=touched,
        repository=fresh.repository,
        paths=list(fresh.files().values_list("path", flat=True)),
    )


def _sync_records(fresh: FileRange) -> set[str]:
    """Make the documents agree with the files; return the keys of records in new files.

    Needs a transaction.
    """
    touched: set[str] = set()
    files = fresh.files()
    if _lost_records(fresh.repository).exists():  # another file may have the number, too
        files = File.objects.filter(repository=fresh.repository)
    rows = files.filter(skipped="", path__iregex=_ADR_DIRECTORY).order_by("path")
    for path, content in rows.values_list("path", "content").iterator(chunk_size=100):
        record = read_adr(path, content)
        if record is not None:
            _store_record(fresh.repository, path, content, record)
            touched.add(document_key(record.public_id))
    _lost_records(fresh.repository).update(archived_at=timezone.now(), linked_version=0)
    return touched


def _lost_records(repository: Repository) -> QuerySet[Document]:
    """Records that are not archived, though their file is gone."""
    records = Document.objects.filter(node__repository=repository, archived_at=None)
    exists = Exists(file_of(OuterRef("source_path"), repository))
    return records.exclude(source_path="").filter(~exists)


def _store_record(repository: Repository, path: str, content: str, record: Adr) -> None:
    node, _ = Node.objects.get_or_create(
        repository=repository,
        key=document_key(record.public_id),
        defaults={"organization_id": repository.organization_id, "kind": NodeKind.KNOWLEDGE},
    )
    body = content.encode()[:NODE_BODY_BYTES].decode(errors="ignore")
    document = Document.objects.filter(pk=node.pk).first()
    if document is None:
        document = Document(node=node, version=0)
    elif document.source_path != path and (
        not document.source_path or file_of(document.source_path, repository).exists()
    ):
        _log.warning("decision_record_twice", repository=str(repository), path=path)
        return  # what people wrote here, or the first file that is there, keeps the number
    values = {
        "public_id": record.public_id,
        "title": record.title,
        "status": record.status,
        "body": body,
        "source_path": path,
        "archived_at": None,
    }
    if all(getattr(document, name) == value for name, value in values.items()):
        return
    for name, value in values.items():
        setattr(document, name, value)
    document.version += 1
    document.save()


def _read_mentions(fresh: FileRange, matcher: Matcher) -> None:
    Mention.objects.filter(
        repository=fresh.repository, path__in=fresh.files().values("path")
    ).delete()
    rows = fresh.files().filter(skipped="", generated="", content__iregex=NAMES_A_RECORD)
    until = monotonic() + MENTIONS_SECONDS
    for file in rows.iterator(chunk_size=100):
        if monotonic() > until:
            _log.warning("mentions_not_all_read", repository=str(fresh.repository), path=file.path)
            return
        try:
            found = matcher.mentions(file.content, file.language)
        except OverLimitError:
            _log.warning("mentions_over_limit", repository=str(fresh.repository), path=file.path)
            continue
        if not found:
            continue
        names = definitions_around(file, [mention.line for mention in found])
        Mention.objects.bulk_create(
            Mention(
                repository=fresh.repository,
                path=file.path,
                qualified_name=names[mention.line],
                line=mention.line,
                key=mention.key,
                type=mention.type,
            )
            for mention in found
        )


def definitions_around(file: File, lines: Iterable[int]) -> dict[int, str]:
    """Line → qualified name of the narrowest definition around it, "" where there is none.

    A comment belongs to the definition that follows it without a blank line.
    """
    symbols = list(
        Symbol.objects.filter(file=file)
        .order_by("start_line", "-end_line")
        .values_list("qualified_name", "start_line", "end_line")
    )
    text = split_lines(file.content)

    def around(line: int) -> str:
        inner = [name for name, first, last in symbols if first <= line <= last]
        if inner:
            return inner[-1]
        following = next(((name, first) for name, first, _ in symbols if first > line), None)
        if following is None or not all(
            between.strip() for between in text[line : following[1] - 1]
        ):
            return ""
        return following[0]

    return {line: around(line) for line in set(lines)}


def _remove_stale_mentions(repository: Repository) -> None:
    """What files that are gone said."""
    exists = Exists(file_of(OuterRef("path"), repository))
    Mention.objects.filter(~exists, repository=repository).delete()
    has_source = Exists(file_of(OuterRef("source__path"), repository))
    Edge.objects.filter(~has_source, origin=Origin.TEXT, source__repository=repository).delete()


def link_mentions(
    organization: Organization,
    *,
    keys: Collection[str],
    repository: Repository | None = None,
    paths: Collection[str] = (),
) -> None:
    """Make the edges of text agree with the mentions. Needs a transaction.

    Looked at are mentions of the records with `keys`, in all repositories, and those in the files
    `paths` of `repository`.
    """
    mentioning = Mention.objects.filter(
        key__in=list(keys), repository__organization=organization
    ).values_list("repository_id", flat=True)
    edges = Edge.objects.filter(
        organization=organization, origin=Origin.TEXT, target__key__in=list(keys)
    ).values_list("source__repository_id", flat=True)
    others = {key for key in (*mentioning.distinct(), *edges.distinct()) if key is not None}
    if repository is not None:
        _make_edges(repository, keys, paths)
        others.discard(repository.pk)
    for other in Repository.objects.filter(pk__in=others).order_by("pk"):
        _make_edges(other, keys, ())


_sql = sql_with(mention=Mention, repository=Repository, node=Node, document=Document)
_WANTED: Final = _sql("""
    SELECT m.repository_id, m.path, m.qualified_name, m.type, d.id, min(m.line)
    FROM {mention} m
    JOIN {repository} r ON r.id = m.repository_id
    CROSS JOIN LATERAL (
        SELECT n.id, n.repository_id FROM {node} n
        JOIN {document} x ON x.node_id = n.id
        WHERE n.organization_id = r.organization_id AND n.key = m.key AND n.kind = 'knowledge'
            AND x.archived_at IS NULL
            AND (n.repository_id = m.repository_id OR NOT EXISTS (
                SELECT 1 FROM {node} own
                JOIN {document} o ON o.node_id = own.id AND o.archived_at IS NULL
                WHERE own.repository_id = m.repository_id AND own.key = m.key
                    AND own.kind = 'knowledge'))
        ORDER BY n.repository_id NULLS FIRST, n.id LIMIT 20
    ) d
    LEFT JOIN {document} own ON own.node_id = d.id
    WHERE m.repository_id = %s AND (m.key = ANY(%s) OR m.path = ANY(%s)) AND NOT (
        d.repository_id IS NOT DISTINCT FROM m.repository_id AND own.source_path = m.path)
    GROUP BY 1, 2, 3, 4, 5""")


def _make_edges(repository: Repository, keys: Collection[str], paths: Collection[str]) -> None:
    """A mention means its own repository's record or, without one, every record of the number."""
    rows = fetch_rows_planned_each_time(_WANTED, [repository.pk, list(keys), list(paths)])
    blobs = dict(
        File.objects.filter(
            repository=repository, path__in={path for _, path, *_ in rows}
        ).values_list("path", "blob")
    )
    places = [CodePlace(repository, row[1], row[2], blobs.get(row[1], "")) for row in rows]
    nodes = nodes_of(places)
    wanted = {
        (nodes[place.key], document, kind): line
        for place, (_, _, _, kind, document, line) in zip(places, rows, strict=True)
    }
    known: dict[tuple[int, int, str], Edge] = {
        (edge.source_id, edge.target_id, edge.type): edge
        for edge in Edge.objects.filter(
            Q(source__path__in=list(paths)) | Q(target__key__in=list(keys)),
            origin=Origin.TEXT,
            source__repository=repository,
        )
    }
    Edge.objects.filter(pk__in=[known[end].pk for end in known.keys() - wanted.keys()]).delete()
    moved = []
    for end in known.keys() & wanted.keys():
        edge, properties = known[end], {"line": wanted[end]}
        if edge.properties != properties:
            edge.properties = properties
            moved.append(edge)
    Edge.objects.bulk_update(moved, ["properties"], batch_size=_ROWS)
    Edge.objects.bulk_create(
        (
            Edge(
                organization_id=repository.organization_id,
                source_id=source,
                target_id=document,
                type=kind,
                origin=Origin.TEXT,
                properties={"line": line},
            )
            for (source, document, kind), line in wanted.items()
            if (source, document, kind) not in known
        ),
        ignore_conflicts=True,  # an explicit edge of the same type
        batch_size=_ROWS,
    )
