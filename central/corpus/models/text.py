"""The text index: which files have which trigrams (central.corpus.trigrams, decision 0038).

A segment is written once, and replaced by merges. A file that is gone stays in it, as an id that
no row has.
"""

from django.db import models

from central.repositories.models import Repository


class TrigramSegment(models.Model):
    """Some files of a repository; `files` packs their ids by ordinal: int64, little-endian."""

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="+")
    files = models.BinaryField()
    postings = models.PositiveIntegerField(help_text="Trigrams of all files together")
    buckets = models.PositiveSmallIntegerField(help_text="A power of two")
    # What a process of an older version writes has the first format, and is rebuilt.
    format = models.PositiveSmallIntegerField(db_default=1)

    def __str__(self) -> str:
        return f"{self.repository_id}:{self.pk}"


class TrigramPosting(models.Model):
    """The postings of a bucket of hashes (central.corpus.trigrams.postings has the format)."""

    pk = models.CompositePrimaryKey("segment_id", "bucket")
    segment = models.ForeignKey(
        TrigramSegment, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    bucket = models.PositiveSmallIntegerField()
    data = models.BinaryField()

    def __str__(self) -> str:
        return f"{self.segment_id}:{self.bucket}"
