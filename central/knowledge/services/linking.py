"""What follows from files alone: decision records, mentions of them, and moved code.

All of it is made again from the rows of new files, in the transaction that moves the watermark.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

import structlog
from django.db import connection
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from central.corpus.models import File, Symbol
from central.knowledge.adrs import Adr, read_adr
from central.knowledge.identifiers import code_key, document_key
from central.knowledge.matching import Matcher, OverLimitError
from central.knowledge.mentions import NAMES_A_RECORD
from central.knowledge.models import (
    CODE_KINDS,
    Document,
    Edge,
    Mention,
    Node,
    NodeKind,
    Origin,
)
from central.knowledge.resolution import CodePlace, node_of
from central.repositories.models import Repository
from indexer.limits import NODE_BODY_BYTES
from indexer.records import split_lines

_ADR_DIRECTORY: Final = r"(^|/)(docs/(adrs?|decisions)|doc/adr|adr|decisions)/.*\.(md|markdown)$"

_log = structlog.get_logger(__name__)


class FileRange(NamedTuple):
    """Files of a repository with `after` < id <= `until`."""

    repository: Repository
    after: int
    until: int

    def files(self) -> QuerySet[File]:
        """Their rows."""
        return File.objects.filter(
            repository=self.repository, pk__gt=self.after, pk__lte=self.until
        )


def link_files(fresh: FileRange, matcher: Matcher) -> None:
    """Bring nodes and edges of text up to the files of `fresh`. Needs a transaction."""
    move_renamed_code(fresh)
    touched = _sync_records(fresh)
    _read_mentions(fresh, matcher)
    _remove_stale_mentions(fresh.repository)
    link_mentions(fresh.repository, keys=touched)


def move_renamed_code(fresh: FileRange) -> None:
    """Give code nodes of a file that was renamed with its content the new path.

    A blob that several new files have, or that several files lost, moves nothing.
    """
    gone = Node.objects.filter(repository=fresh.repository, kind__in=CODE_KINDS).exclude(blob="")
    gone = gone.filter(~Exists(_file_of(OuterRef("path"), fresh.repository)))
    by_blob: dict[str, set[str]] = defaultdict(set)
    for path, blob in gone.values_list("path", "blob"):
        by_blob[blob].add(path)
    arrived: dict[str, list[str]] = defaultdict(list)
    rows = fresh.files().filter(blob__in=list(by_blob)).values_list("blob", "path")
    for blob, path in rows:
        arrived[blob].append(path)
    for blob, paths in by_blob.items():
        if len(paths) == len(arrived[blob]) == 1:
            _move(fresh.repository, paths.pop(), arrived[blob][0])
    known = Node.objects.filter(repository=fresh.repository, kind__in=CODE_KINDS)
    for path, blob in (
        fresh.files().filter(path__in=known.values("path")).values_list("path", "blob")
    ):
        known.filter(path=path).exclude(blob=blob).update(blob=blob)


def _file_of(path: object, repository: Repository) -> QuerySet[File]:
    return File.objects.filter(repository=repository, path=path)


def _move(repository: Repository, before: str, after: str) -> None:
    taken = Node.objects.filter(repository=repository, path=after).values("key")
    for node in Node.objects.filter(repository=repository, path=before, kind__in=CODE_KINDS):
        key = code_key(after, node.qualified_name)
        if key not in {row["key"] for row in taken}:
            Node.objects.filter(pk=node.pk).update(path=after, key=key)


def _sync_records(fresh: FileRange) -> set[str]:
    """Documents of the repository's decision records; the keys of those that changed."""
    touched: set[str] = set()
    rows = fresh.files().filter(skipped="", path__iregex=_ADR_DIRECTORY).order_by("path")
    for path, content in rows.values_list("path", "content"):
        record = read_adr(path, content)
        if record is not None:
            _store_record(fresh.repository, path, content, record)
            touched.add(document_key(record.public_id))
    records = Document.objects.filter(node__repository=fresh.repository).exclude(source_path="")
    is_there = Exists(_file_of(OuterRef("source_path"), fresh.repository))
    records.filter(~is_there, archived_at=None).update(archived_at=timezone.now())
    return touched


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
    elif document.source_path != path and _holds(repository, document.source_path):
        _log.warning("decision_record_twice", repository=str(repository), path=path)
        return  # the first file keeps the number, as long as it is there
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


def _holds(repository: Repository, path: str) -> bool:
    """Whether `path` is a file of the repository, or a document that people wrote here ("")."""
    return not path or _file_of(path, repository).exists()


def _read_mentions(fresh: FileRange, matcher: Matcher) -> None:
    Mention.objects.filter(
        repository=fresh.repository, path__in=fresh.files().values("path")
    ).delete()
    rows = fresh.files().filter(skipped="", content__iregex=NAMES_A_RECORD)
    for file in rows.iterator(chunk_size=100):
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
        if following is None or not all(one.strip() for one in text[line : following[1] - 1]):
            return ""
        return following[0]

    return {line: around(line) for line in set(lines)}


def _remove_stale_mentions(repository: Repository) -> None:
    is_there = Exists(_file_of(OuterRef("path"), repository))
    Mention.objects.filter(~is_there, repository=repository).delete()


def link_mentions(repository: Repository, *, keys: Iterable[str] = ()) -> None:
    """Make the edges of text of a repository's code agree with its mentions. Needs a transaction.

    `keys`: records that are new in this repository, which other repositories may mention.
    """
    _make_edges([repository.pk])
    if others := set(
        Mention.objects.filter(
            key__in=list(keys), repository__organization_id=repository.organization_id
        ).values_list("repository_id", flat=True)
    ) - {repository.pk}:
        _make_edges(sorted(others))


_WANTED: Final = """
    SELECT m.repository_id, m.path, m.qualified_name, m.type, d.id, min(m.line)
    FROM knowledge_mention m
    JOIN repositories_repository r ON r.id = m.repository_id
    CROSS JOIN LATERAL (
        SELECT n.id, n.repository_id FROM knowledge_node n
        JOIN knowledge_document x ON x.node_id = n.id
        WHERE n.organization_id = r.organization_id AND n.key = m.key AND n.kind = 'knowledge'
            AND x.archived_at IS NULL
            AND (n.repository_id = m.repository_id OR NOT EXISTS (
                SELECT 1 FROM knowledge_node own
                WHERE own.repository_id = m.repository_id AND own.key = m.key))
        ORDER BY n.repository_id NULLS FIRST, n.id LIMIT 20
    ) d
    LEFT JOIN knowledge_document own ON own.node_id = d.id
    WHERE m.repository_id = ANY(%s) AND NOT (
        d.repository_id IS NOT DISTINCT FROM m.repository_id AND own.source_path = m.path)
    GROUP BY 1, 2, 3, 4, 5"""


def _make_edges(repositories: Sequence[int]) -> None:
    """A mention means its own repository's record or, without one, every record of the number."""
    with connection.cursor() as cursor:
        cursor.execute(_WANTED, [list(repositories)])
        wanted = cursor.fetchall()
    own = {row.pk: row for row in Repository.objects.filter(pk__in=repositories)}
    blobs = {
        (repository, path): blob
        for repository, path, blob in File.objects.filter(
            repository__in=repositories, path__in=[row[1] for row in wanted]
        ).values_list("repository_id", "path", "blob")
    }
    kept: list[int] = []
    for repository, path, name, kind, document, line in wanted:
        place = CodePlace(own[repository], path, name, blobs.get((repository, path), ""))
        edge, is_new = Edge.objects.get_or_create(
            source=node_of(place),
            target_id=document,
            type=kind,
            defaults={
                "organization_id": own[repository].organization_id,
                "origin": Origin.TEXT,
                "properties": {"line": line},
            },
        )
        if not is_new and edge.origin == Origin.TEXT and edge.properties != {"line": line}:
            Edge.objects.filter(pk=edge.pk).update(properties={"line": line})
        kept.append(edge.pk)
    stale = Edge.objects.filter(origin=Origin.TEXT, source__repository__in=repositories)
    stale.exclude(pk__in=kept).delete()
