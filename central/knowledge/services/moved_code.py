"""Code nodes follow their files, which are renamed."""

from collections import defaultdict

from django.db.models import Exists, OuterRef

from central.knowledge.identifiers import code_key
from central.knowledge.models import CODE_KINDS, Node
from central.knowledge.watermarks import FileRange, file_of
from central.repositories.models import Repository


def move_renamed_code(fresh: FileRange) -> None:
    """Give code nodes of a file that was renamed with its content the new path.

    A blob that several new files have, or that several files lost, moves nothing.
    """
    gone = Node.objects.filter(repository=fresh.repository, kind__in=CODE_KINDS).exclude(blob="")
    gone = gone.filter(~Exists(file_of(OuterRef("path"), fresh.repository)))
    by_blob: dict[str, set[str]] = defaultdict(set)
    for path, blob in gone.values_list("path", "blob"):
        by_blob[blob].add(path)
    arrived: dict[str, list[str]] = defaultdict(list)
    for blob, path in fresh.files().filter(blob__in=list(by_blob)).values_list("blob", "path"):
        arrived[blob].append(path)
    for blob, paths in by_blob.items():
        if len(paths) == len(arrived[blob]) == 1:
            _move(fresh.repository, paths.pop(), arrived[blob][0])
    known = Node.objects.filter(repository=fresh.repository, kind__in=CODE_KINDS)
    stored = fresh.files().filter(path__in=known.values("path"))
    for path, blob in stored.values_list("path", "blob"):
        known.filter(path=path).exclude(blob=blob).update(blob=blob)


def _move(repository: Repository, before: str, after: str) -> None:
    taken = Node.objects.filter(repository=repository, path=after)
    for node in Node.objects.filter(repository=repository, path=before, kind__in=CODE_KINDS):
        key = code_key(after, node.qualified_name)
        if not taken.filter(key=key).exists():
            Node.objects.filter(pk=node.pk).update(path=after, key=key)
