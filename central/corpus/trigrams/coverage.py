"""Which files are in the segments of a repository, and the building of what is missing.

A repository whose segments have a former format, or that has none, is built in portions: each is
one transaction, so that an interruption loses the present one. Former segments go at the end.
"""

from typing import Final, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from central.corpus.models import File, TrigramSegment
from central.corpus.trigrams.hashes import FORMAT
from central.corpus.trigrams.segments import FileIds, SegmentWriter, delete_segments, unpack_ids
from central.db import execute, fetch_rows, id_array, sql_with
from central.repositories.models import Repository

_PORTION_FILES: Final = 4_096
_PORTION_CHARACTERS: Final = 48_000_000
_READ_FILES: Final = 128  # a statement
_sql = sql_with(file=File, segment=TrigramSegment, repository=Repository)
_LIVE: Final = _sql("SELECT id FROM {file} WHERE repository_id = %s AND content <> '' ORDER BY id")
_SEGMENTS: Final = _sql(
    "SELECT id, files FROM {segment} WHERE repository_id = %s AND format = %s::int ORDER BY id"
)
_FORMER: Final = _sql("SELECT id FROM {segment} WHERE repository_id = %s AND format <> %s::int")
_TEXTS: Final = _sql("SELECT id, content FROM {file} WHERE id = ANY(%s::bigint[]) ORDER BY id")
_LOCK: Final = _sql(
    "SELECT id FROM {repository} WHERE id = %s AND retired_at IS NULL FOR NO KEY UPDATE SKIP LOCKED"
)
_COMPLETE: Final = _sql("UPDATE {repository} SET text_generation = generation WHERE id = %s")


class Coverage(NamedTuple):
    """Live files with content that are in no segment, and that are in several; segments by key.

    `damaged`: segments whose files cannot be read.
    """

    missing: FileIds
    repeated: FileIds
    segments: dict[int, FileIds]
    damaged: list[int]


def read_coverage(repository_id: int) -> Coverage:
    """Compare the files of a repository with its segments. Costs 8 bytes a file, and no content."""
    live = np.array([key for (key,) in fetch_rows(_LIVE, [repository_id])], np.int64)
    segments: dict[int, FileIds] = {}
    damaged: list[int] = []
    for key, files in fetch_rows(_SEGMENTS, [repository_id, FORMAT]):
        try:
            segments[key] = unpack_ids(files)
        except ValueError:
            damaged.append(key)
    covered, counts = np.unique(
        np.concatenate([np.empty(0, np.int64), *segments.values()]), return_counts=True
    )
    repeated = np.intersect1d(live, covered[counts > 1], assume_unique=True)
    missing = np.setdiff1d(live, covered, assume_unique=True)
    return Coverage(missing, repeated, segments, damaged)


def incomplete_repositories(*among: int) -> list[int]:
    """Return keys of repositories whose text index has to be built, `among` some or of all."""
    former = TrigramSegment.objects.filter(repository=OuterRef("pk")).exclude(format=FORMAT)
    is_complete = Q(text_generation=F("generation")) & ~Exists(former)
    found = Repository.objects.filter(~is_complete, retired_at=None)
    found = found.filter(pk__in=among) if among else found
    return list(found.order_by("pk").values_list("pk", flat=True))


def build_portion(repository_id: int) -> bool:
    """Add a segment of missing files, or note that none is missing; false if it must wait.

    Not in a transaction. An apply of the repository goes first.
    """
    portion = read_coverage(repository_id).missing[:_PORTION_FILES]
    with SegmentWriter[int]() as writer:
        added = _add_texts(writer, portion)
        writer.finish()
        with transaction.atomic():
            if not fetch_rows(_LOCK, [repository_id]):
                return False
            coverage = read_coverage(repository_id)  # files may be gone, or in another's segment
            if not np.isin(added, coverage.missing).all():
                return True
            writer.insert(repository_id, {key: key for key in added})
            if len(added) == len(coverage.missing):
                former = fetch_rows(_FORMER, [repository_id, FORMAT])
                delete_segments([key for (key,) in former])
                execute(_COMPLETE, [repository_id])
    return True


def _add_texts(writer: SegmentWriter[int], files: FileIds) -> list[int]:
    """Add the texts of some files, up to a size; returns those that were added."""
    added: list[int] = []
    characters = 0
    for start in range(0, len(files), _READ_FILES):
        if characters > _PORTION_CHARACTERS:
            break
        part = files[start : start + _READ_FILES].tolist()
        for key, content in fetch_rows(_TEXTS, [id_array(part)]):
            writer.add(key, content)
            added.append(key)
            characters += len(content)
    return added
