"""The text index in the background and at the reconcile: built, merged, compared and repaired.

A comparison reads the ids of all files. Of one segment, which chance takes, it also reads all rows
and the texts of some files: some 15 MB for 5,000 files.
"""

from collections.abc import Iterable
from random import SystemRandom
from typing import Final

import numpy as np
import structlog
from django.db import transaction

from central.corpus.models import File
from central.corpus.trigrams.coverage import (
    Coverage,
    build_portion,
    incomplete_repositories,
    read_coverage,
)
from central.corpus.trigrams.hashes import content_hashes
from central.corpus.trigrams.merges import merge_segments, repositories_to_merge
from central.corpus.trigrams.segments import FileIds, delete_segments, read_hashes
from central.db import one_moment
from central.projections import Difference, Projection
from central.repositories.models import Repository

_SAMPLED_FILES: Final = 32  # of one segment

_log = structlog.get_logger(__name__)


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
