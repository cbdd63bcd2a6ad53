"""A file and what is searched of it. Rows are replaced whole, never edited.

Everything that a vector store holds can be rebuilt from here: a chunk's terms from its row, its
vector from the Embedding that its digest names.

Rows that an apply alone writes have no constraint for their repository: it holds that row, and a
check of each of its rows would only cost time.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models

from central.repositories.models import Repository

EVERY_BRANCH = -1  # all bits of `File.branches`


class File(models.Model):
    """A tracked file of a repository's indexed commit, skipped ones with their reason.

    Files that only other branches have lie in tables of the same names (central.corpus.branches).

    A generated file has no chunks: it is found exactly and by traces, not by ranked searches.
    """

    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, related_name="file_set", db_index=False
    )
    path = models.TextField()
    mode = models.CharField(max_length=6)
    blob = models.CharField(max_length=64)
    size = models.BigIntegerField()
    extractor = models.CharField(max_length=200)
    language = models.CharField(max_length=40, blank=True)
    skipped = models.CharField(max_length=40, blank=True)
    generated = models.CharField(
        max_length=10, blank=True, default="", db_default="", help_text="What tells: entry, content"
    )
    degraded = models.CharField(max_length=40, blank=True)
    unparsed = models.JSONField(
        null=True, help_text="Lines that the grammar does not understand: [first, last, calls]"
    )
    unparsed_names = ArrayField(
        models.TextField(), null=True, help_text="The names in these lines; empty: there are others"
    )
    encoding = models.CharField(
        max_length=20, blank=True, default="", db_default="", help_text='Python\'s codec; "": UTF-8'
    )
    content = models.TextField(blank=True)
    namespace = models.CharField(max_length=500, blank=True, help_text="As the file declares it")
    vector = models.BinaryField(
        null=True, help_text="Direction of its chunks together, under the repository's embedder"
    )
    branches = models.IntegerField(
        default=EVERY_BRANCH,
        db_default=EVERY_BRANCH,
        help_text="A bit for each branch that has it, by its number; those to come have it, too",
    )
    package = models.ForeignKey(
        "corpus.Package",
        on_delete=models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Of the nearest manifest; derived at apply",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "path"], name="file_path_in_repository")
        ]
        indexes = [
            # By bytes, because the index above cannot be asked for beginnings in every locale.
            models.Index(
                "repository", OpClass("path", name="text_pattern_ops"), name="file_path_begins"
            ),
            # From its end: by the last parts of a path, as a stack trace has them.
            models.Index(
                OpClass(
                    models.Func("path", template="reverse('/' || %(expressions)s)"),
                    name="text_pattern_ops",
                ),
                name="file_path_ends",
            ),
            models.Index(
                fields=["repository"],
                condition=~models.Q(branches=EVERY_BRANCH),
                name="file_lacking",
            ),
            models.Index(
                fields=["repository", "skipped"],
                condition=~models.Q(skipped=""),
                name="file_skipped",
            ),
            models.Index(
                fields=["repository", "path"],
                condition=models.Q(unparsed__isnull=False),
                name="file_unparsed",
            ),
            GinIndex(
                fields=["unparsed_names"],
                condition=models.Q(unparsed_names__isnull=False),
                name="file_unparsed_names",
            ),
        ]

    def __str__(self) -> str:
        return self.path


class Chunk(models.Model):
    """A retrievable piece of a file and the point that stands for it in the vector store.

    `terms` packs n uint32 ids, then n float32 weights, little-endian (see corpus.embeddings).
    """

    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    file = models.ForeignKey(
        File, on_delete=models.CASCADE, related_name="chunk_set", db_index=False
    )
    ordinal = models.PositiveIntegerField()
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    type = models.CharField(max_length=10)
    name = models.CharField(max_length=500, blank=True)
    container = models.CharField(max_length=500, blank=True)
    text = models.TextField()
    digest = models.BinaryField(max_length=32)
    terms = models.BinaryField()
    point = models.UUIDField(unique=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["file", "ordinal"], name="chunk_ordinal_in_file")
        ]

    def __str__(self) -> str:
        return f"{self.file_id}:{self.start_line}-{self.end_line}"


class Symbol(models.Model):
    """A definition in a file. `parts` are its name's tokens: the whole, then its parts."""

    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    file = models.ForeignKey(
        File, on_delete=models.CASCADE, related_name="symbol_set", db_index=False
    )
    name = models.CharField(max_length=500)
    qualified_name = models.CharField(max_length=500)
    kind = models.CharField(max_length=40)
    start_line = models.PositiveIntegerField()
    end_line = models.PositiveIntegerField()
    signature = models.CharField(max_length=500)
    exported = models.BooleanField()
    parts = ArrayField(models.TextField())

    class Meta:
        indexes = [
            models.Index(fields=["name", "repository"], name="symbol_name"),
            models.Index(fields=["file", "qualified_name"], name="symbol_in_file"),
            # As a text search vector, because that can be asked for beginnings of parts.
            GinIndex(models.Func("parts", function="array_to_tsvector"), name="symbol_parts"),
        ]

    def __str__(self) -> str:
        return self.qualified_name


class TermStat(models.Model):
    """Document frequency: in how many chunks of a repository a term occurs."""

    pk = models.CompositePrimaryKey("repository_id", "term")
    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    term = models.BigIntegerField()
    chunks = models.IntegerField()

    def __str__(self) -> str:
        return f"{self.repository_id}:{self.term}={self.chunks}"


class Embedding(models.Model):
    """A vector, stored under the digest of its embedder input: float32, little-endian.

    `used_at` moves when a run asks for the digest or a chunk names it; what no chunk names is
    retained for some weeks, so that reverts and rebases cost nothing.
    """

    pk = models.CompositePrimaryKey("repository_id", "embedder", "digest")
    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    embedder = models.CharField(max_length=200)
    digest = models.BinaryField(max_length=32)
    vector = models.BinaryField()
    used_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index(fields=["digest", "embedder"], name="embedding_digest")]

    def __str__(self) -> str:
        return f"{self.embedder}:{bytes(self.digest).hex()[:12]}"


class TrigramSegment(models.Model):
    """Some files of a repository, or commits, in the text index (central.corpus.trigrams).

    Decision 0038. Of commits, `history_of` is set and `repository` is not, so that a process of an
    older version does not take it for one of files. `files` packs their ids by ordinal: int64,
    little-endian. A segment is written once, and replaced by merges. A file that is gone stays in
    it, as an id that no row has.
    """

    repository = models.ForeignKey(
        Repository, on_delete=models.CASCADE, related_name="+", null=True, blank=True
    )
    history_of = models.ForeignKey(
        *(Repository, models.CASCADE),
        related_name="+",
        null=True,
        blank=True,
        db_constraint=False,
    )
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
