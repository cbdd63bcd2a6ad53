"""The text index in the background and at the reconcile: built, merged, compared and repaired.

A comparison reads the ids of all files. Of one segment, which chance takes, it also reads all rows
and the texts of some files: some 15 MB for 5,000 files.

A repository whose segments have a former format, or that has none, is built in portions: each is
one transaction, so that an interruption loses the present one. Former segments go at the end.

The index of commits is a second one of the same kind. Commits that a version stored that had none
get it with their terms and vectors.
"""

from collections.abc import Iterable
from random import SystemRandom
from typing import Final, NamedTuple

import numpy as np
import structlog
from django.db import transaction

from central.corpus.commits import derived_rows, put_derived_rows
from central.corpus.models import Commit
from central.corpus.trigrams.hashes import FORMAT, content_hashes
from central.corpus.trigrams.indexed import Indexed, read_texts, sql_of_each
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
_LIVE: Final = sql_of_each(
    "SELECT id FROM {document} WHERE repository_id = %s AND {has_text} ORDER BY id"
)
_SEGMENTS: Final = sql_of_each(
    "SELECT id, files FROM {segment} WHERE {of} = %s AND format = %s::int ORDER BY id"
)
_FORMER: Final = sql_of_each("SELECT id FROM {segment} WHERE {of} = %s AND format <> %s::int")
_INCOMPLETE: Final = sql_of_each("""SELECT r.id FROM {repository} r
    WHERE r.retired_at IS NULL AND (%s::bigint IS NULL OR r.id = %s::bigint)
        AND NOT ({is_complete} AND NOT EXISTS (
            SELECT FROM {segment} s WHERE s.{of} = r.id AND s.format <> %s::int))
    ORDER BY r.id""")
_sql = sql_with(repository=Repository, commit=Commit)
_LOCK: Final = _sql(
    "SELECT id FROM {repository} WHERE id = %s AND retired_at IS NULL FOR NO KEY UPDATE SKIP LOCKED"
)
_COMPLETE: Final = _sql("UPDATE {repository} SET text_generation = generation WHERE id = %s")
_BEGIN: Final = _sql("UPDATE {repository} SET text_generation = 0 WHERE id = %s")
_BEGIN_COMMITS: Final = _sql("UPDATE {commit} SET terms = '' WHERE id = ANY(%s::bigint[])")
_DUE_COMMITS: Final = _sql(
    "SELECT id FROM {commit} WHERE repository_id = %s AND terms = ''::bytea ORDER BY id LIMIT %s"
)

_log = structlog.get_logger(__name__)


class Coverage(NamedTuple):
    """Live files with content that are in no segment, and that are in several; segments by key.

    Or the same of commits. `damaged`: segments whose files cannot be read.
    """

    missing: FileIds
    repeated: FileIds
    segments: dict[int, FileIds]
    damaged: list[int]


class TextIndex(Projection):
    """The segments of repositories: an apply adds some, which leaves these to be merged."""

    lock = 0x74657874

    def behind(self) -> Iterable[int]:
        """Return repositories whose index has to be built or merged."""
        return dict.fromkeys(
            key
            for indexed in Indexed
            for key in (*incomplete_repositories(indexed), *repositories_to_merge(indexed))
        )

    def update(self, subject: int) -> bool:
        """Build a portion or merge some segments, in a few seconds.

        The reconcile repairs a damaged segment.
        """
        return any(_update(indexed, subject) for indexed in Indexed)

    def rebuild(self, repository: Repository, *, repair: bool) -> Difference:
        """Return which files and commits lack their trigrams; with `repair`, they are rebuilt.

        Those that the worker has still to add are only `due`.
        """
        compared = [_compare(indexed, repository.pk, repair=repair) for indexed in Indexed]
        return Difference(
            due=sum(own.due for own in compared), differing=sum(own.differing for own in compared)
        )


def _update(indexed: Indexed, repository_id: int) -> bool:
    try:
        if incomplete_repositories(indexed, repository_id):
            return build_portion(repository_id, indexed)
        return merge_segments(repository_id, indexed)
    except (ValueError, IndexError):  # of a row that is none
        _log.exception("text_index_damaged", repository=repository_id, of=indexed.value)
        return False


def _compare(indexed: Indexed, repository_id: int, *, repair: bool) -> Difference:
    with one_moment():
        is_complete = not incomplete_repositories(indexed, repository_id)
        coverage = read_coverage(repository_id, indexed)
        wrong = _wrong_files(indexed, coverage)
    different = np.union1d(wrong, coverage.repeated)
    missing = len(coverage.missing)
    differing = len(different) + (missing if is_complete else 0)
    differing = max(differing, len(coverage.damaged))  # each is of one file at least
    if repair and differing:
        _rebuild(indexed, repository_id, coverage, different)
    return Difference(due=0 if is_complete else missing, differing=differing)


def _wrong_files(indexed: Indexed, coverage: Coverage) -> FileIds:
    """Return files of one segment whose trigrams differ from their text, of some."""
    if not coverage.segments:
        return np.empty(0, np.int64)
    chance = SystemRandom()
    key = chance.choice(list(coverage.segments))
    files = coverage.segments[key]
    count = min(len(files), _SAMPLED_FILES)
    ordinals = np.array(chance.sample(range(len(files)), count), np.int64)
    texts = dict(read_texts(indexed, files[ordinals].tolist()))
    try:
        stored = read_hashes(key, ordinals, indexed)
    except (ValueError, IndexError):  # a row is none
        return files
    wrong = [
        files[ordinal]
        for ordinal, hashes in stored.items()
        if (text := texts.get(int(files[ordinal]))) is not None
        and not np.array_equal(hashes, content_hashes(text))
    ]
    return np.array(wrong, np.int64)


def _rebuild(indexed: Indexed, repository_id: int, coverage: Coverage, different: FileIds) -> None:
    """Drop the segments of some files and build all that is missing then."""
    wrong = [key for key, files in coverage.segments.items() if np.isin(files, different).any()]
    keys = [*coverage.damaged, *wrong]
    with transaction.atomic():
        if keys and not delete_segments(keys, indexed):
            transaction.set_rollback(True)  # a merge came between: the next reconcile looks again
            return
        if indexed is Indexed.FILES:
            execute(_BEGIN, [repository_id])
        elif indexed is Indexed.OTHER_FILES:
            build_now(repository_id, indexed)
        else:
            missing = read_coverage(repository_id, indexed).missing
            execute(_BEGIN_COMMITS, [id_array(missing.tolist())])
    while incomplete_repositories(indexed, repository_id) and build_portion(repository_id, indexed):
        pass


def read_coverage(repository_id: int, indexed: Indexed = Indexed.FILES) -> Coverage:
    """Compare the files of a repository with its segments. Costs 8 bytes a file, and no content."""
    live = np.array([key for (key,) in fetch_rows(_LIVE[indexed], [repository_id])], np.int64)
    segments: dict[int, FileIds] = {}
    damaged: list[int] = []
    for key, files in fetch_rows(_SEGMENTS[indexed], [repository_id, FORMAT]):
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


def incomplete_repositories(indexed: Indexed = Indexed.FILES, only: int | None = None) -> list[int]:
    """Return keys of repositories whose index has to be built, of `only` one or of all."""
    return [key for (key,) in fetch_rows(_INCOMPLETE[indexed], [only, only, FORMAT])]


def build_portion(repository_id: int, indexed: Indexed = Indexed.FILES) -> bool:
    """Add a segment of missing files, or note that none is missing; false if it must wait.

    Not in a transaction. An apply of the repository goes first.
    """
    portion = read_coverage(repository_id, indexed).missing[:_PORTION_FILES]
    with SegmentWriter[int](indexed) as writer:
        added = _add_texts(indexed, writer, portion)
        writer.finish()
        derived = derived_rows(_due_commits(indexed, repository_id, added))
        with transaction.atomic():
            if not fetch_rows(_LOCK, [repository_id]):
                return False
            # files may be gone, or in another's segment
            coverage = read_coverage(repository_id, indexed)
            if not np.isin(added, coverage.missing).all():
                return True
            writer.insert(repository_id, {key: key for key in added})
            put_derived_rows(derived)
            if len(added) == len(coverage.missing):
                former = fetch_rows(_FORMER[indexed], [repository_id, FORMAT])
                delete_segments([key for (key,) in former], indexed)
                if indexed is Indexed.FILES:
                    execute(_COMPLETE, [repository_id])
    return True


def build_now(repository_id: int, indexed: Indexed) -> None:
    """Add segments of all that are in none. In a transaction that has the repository."""
    missing = read_coverage(repository_id, indexed).missing
    with SegmentWriter[int](indexed) as writer:
        keys: dict[int, int] = {}
        for key, text in read_texts(indexed, missing.tolist()):
            writer.add(key, text)
            keys[key] = key
        writer.finish()
        writer.insert(repository_id, keys)


def _due_commits(indexed: Indexed, repository_id: int, added: list[int]) -> list[int]:
    """Return the commits that get terms and vectors with a portion."""
    if added or indexed is not Indexed.COMMITS:
        return added if indexed is Indexed.COMMITS else []
    return [key for (key,) in fetch_rows(_DUE_COMMITS, [repository_id, _PORTION_FILES])]


def _add_texts(indexed: Indexed, writer: SegmentWriter[int], files: FileIds) -> list[int]:
    """Add the texts of some files, up to a size; returns those that were added."""
    added: list[int] = []
    characters = 0
    for key, text in read_texts(indexed, files.tolist()):
        writer.add(key, text)
        added.append(key)
        characters += len(text)
        if characters > _PORTION_CHARACTERS:
            break
    return added
