"""Commits of a repository's branch and what they changed (indexer.records.history)."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import OpClass
from django.db import models

from central.repositories.models import Repository
from indexer.records.history import AUTHOR_CHARACTERS, BLOB_DIGITS, ChangeStatus, Unread


class Commit(models.Model):
    """A commit as its client read it, but for `merge`, which other commits decide.

    Of those of one second, as a rebase makes them, a later one has a higher key.

    `merge`: the commit of the branch's first-parent line that brought it, itself if it is on that
    line; "" while commits between them are not stored.
    """

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    sha = models.CharField(max_length=64)
    parents = ArrayField(models.CharField(max_length=64))
    authored_at = models.BigIntegerField(help_text="Seconds since 1970")
    committed_at = models.BigIntegerField(help_text="Seconds since 1970")
    subject = models.CharField(max_length=500, blank=True)
    body = models.TextField(blank=True)
    reverts = ArrayField(models.CharField(max_length=64))
    changed = models.PositiveIntegerField(help_text="Paths, of which some may not be stored")
    author = models.CharField(
        max_length=AUTHOR_CHARACTERS,
        blank=True,
        db_default="",
        help_text="An address or its digest, by the policy of the organisation",
    )
    terms = models.BinaryField(
        db_default=b"",
        help_text="Of the message (central.corpus.messages); empty until it is in the text index",
    )
    vector = models.BinaryField(
        null=True, help_text="The direction of the subject, by the packaged embedder"
    )
    merge = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "sha"], name="commit_in_repository")
        ]
        indexes = [
            models.Index(fields=["repository", "-committed_at", "-id"], name="commit_newest"),
            models.Index(
                fields=["repository"], condition=~models.Q(reverts=[]), name="commit_reverts"
            ),
            models.Index(fields=["repository"], condition=models.Q(terms=b""), name="commit_due"),
        ]

    def __str__(self) -> str:
        return self.sha


class CommitChange(models.Model):
    """A path that a commit changed; `old_path` is the one before a rename, else ""."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    commit = models.ForeignKey(Commit, models.CASCADE, related_name="+", db_constraint=False)
    path = models.TextField()
    status = models.CharField(
        max_length=1, choices=[(status.value, status.name.lower()) for status in ChangeStatus]
    )
    old_path = models.TextField(blank=True)
    blob = models.CharField(
        max_length=BLOB_DIGITS, blank=True, db_default="", help_text="Its content; empty if gone"
    )
    unread = models.CharField(
        max_length=10,
        blank=True,
        db_default=Unread.UNKNOWN.value,
        choices=[(reason.value, reason.value) for reason in Unread],
        help_text="Why its lines are not stored",
    )

    class Meta:
        indexes = [
            models.Index(
                "repository", OpClass("path", name="text_pattern_ops"), name="commit_change_path"
            ),
            models.Index(
                fields=["repository", "old_path"],
                condition=~models.Q(old_path=""),
                name="commit_change_old_path",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.status} {self.path}"


class CommitPatch(models.Model):
    """The changed lines of a commit (central.corpus.patches); a commit without any has none."""

    commit = models.OneToOneField(
        Commit, models.CASCADE, related_name="+", primary_key=True, db_constraint=False
    )
    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_constraint=False
    )
    data = models.BinaryField()

    def __str__(self) -> str:
        return str(self.commit_id)


class WithheldPath(models.Model):
    """A file or a directory whose lines were purged from the history: none are stored again."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    path = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "path"], name="path_withheld_once")
        ]

    def __str__(self) -> str:
        return self.path
