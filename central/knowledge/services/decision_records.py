"""Documents that the decision records of a repository are."""

from typing import Final

import structlog
from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from central.corpus.models import File
from central.knowledge.adrs import Adr, read_adr
from central.knowledge.identifiers import document_key
from central.knowledge.models import Document, Node, NodeKind
from central.knowledge.watermarks import FileRange, file_of
from central.repositories.models import Repository
from indexer.limits import NODE_BODY_BYTES

_ADR_DIRECTORY: Final = r"(^|/)(docs/(adrs?|decisions)|doc/adr|adr|decisions)/.*\.(md|markdown)$"

_log = structlog.get_logger(__name__)


def sync_records(fresh: FileRange) -> set[str]:
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
