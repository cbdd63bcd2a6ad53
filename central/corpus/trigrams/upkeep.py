"""The text index in the background and at the reconcile: built, merged, compared and repaired.

A comparison reads the ids of all files. Of one segment, which chance takes, it also reads all rows
and the texts of some files: some 15 MB for 5,000 files.

A repository whose segments have a former format, or that has none, is built in portions: each is
one transaction, so that an interruption loses the present one. Former segments go at the end.
"""

from collections.abc import Iterable
from random import SystemRandom
from typing import Final, NamedTuple

import numpy as np
import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q

from central.corpus.models import File, TrigramSegment
from central.corpus.trigrams.hashes import FORMAT, content_hashes
from central.corpus.trigrams.merges import merge_segments, repositories_to_merge
from central.corpus.trigrams.segments import (
    FileIds,
    SegmentWriter,
    delete_segments,
    read_hashes,
    unpack_ids,
)
from central.db import execute, fetch_rows, id_array, one_moment, sql_with
from central.projections import Difference, Projection
from central.repositories.models import Repository

_SAMPLED_FILES: Final = 32  # of one segment
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

_log = structlog.get_logger(__name__)


class Coverage(NamedTuple):
    """Live files with content that are in no segment, and that are in several; segments by key.

    `damaged`: segments whose files cannot be read.
    """

    missing: FileIds
    repeated: FileIds
    segments: dict[int, FileIds]
    damaged: list[int]


class TextIndex(Projection):
    """The segments of repositories: an apply adds one, which leaves these to be merged."""

    lock = 0x74657874

    def behind(self) -> Iterable[int]:
        """Return repositories whose index has to be built or merged."""
        return dict.fromkeys([*incomplete_repositories(), *repositories_to_merge()])

    def update(self, subject: int) -> bool:
        """Build a portion or merge some segments, in a few seconds.

        The reconcile repairs a damaged segment.
        """
        try:
            if incomplete_repositories(subject):
                return build_portion(subject)
            return merge_segments(subject)
        except (ValueError, IndexError):  # of a row that is none
            _log.exception("text_index_damaged", repository=subject)
            return False

    def rebuild(self, repository: Repository, *, repair: bool) -> Difference:
        """Return which files lack their trigrams; with `repair`, their segments are rebuilt.

        Files that the worker has still to add are only `due`.
        """
        with one_moment():
            is_complete = not incomplete_repositories(repository.pk)
            coverage = read_coverage(repository.pk)
            wrong = _wrong_files(coverage)
        different = np.union1d(wrong, coverage.repeated)
        missing = len(coverage.missing)
        differing = len(different) + (missing if is_complete else 0)
        differing = max(differing, len(coverage.damaged))  # each is of one file at least
        if repair and differing:
            _rebuild(repository.pk, coverage, different)
        return Difference(due=0 if is_complete else missing, differing=differing)


def _wrong_files(coverage: Coverage) -> FileIds:
    """Return files of one segment whose trigrams differ from their text, of some."""
    if not coverage.segments:
        return np.empty(0, np.int64)
    chance = SystemRandom()
    key = chance.choice(list(coverage.segments))
    files = coverage.segments[key]
    count = min(len(files), _SAMPLED_FILES)
    ordinals = np.array(chance.sample(range(len(files)), count), np.int64)
    texts = dict(File.objects.filter(pk__in=files[ordinals].tolist()).values_list("pk", "content"))
    try:
        stored = read_hashes(key, ordinals)
    except (ValueError, IndexError):  # a row is none
        return files
    wrong = [
        files[ordinal]
        for ordinal, hashes in stored.items()
        if (text := texts.get(int(files[ordinal]))) is not None
        and not np.array_equal(hashes, content_hashes(text))
    ]
    return np.array(wrong, np.int64)


def _rebuild(repository_id: int, coverage: Coverage, different: FileIds) -> None:
    """Drop the segments of some files and build all that is missing then."""
    wrong = [key for key, files in coverage.segments.items() if np.isin(files, different).any()]
    keys = [*coverage.damaged, *wrong]
    with transaction.atomic():
        if keys and not delete_segments(keys):
            transaction.set_rollback(True)  # a merge came between: the next reconcile looks again
            return
        Repository.objects.filter(pk=repository_id).update(text_generation=0)
    while incomplete_repositories(repository_id) and build_portion(repository_id):
        pass


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
