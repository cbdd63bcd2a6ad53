"""The run protocol's tables. The runs table is the queue; a message only wakes a worker."""

import uuid

from django.contrib.postgres.fields import ArrayField
from django.db import models

from central.repositories.models import Branch, IndexState, Repository
from central.repositories.states import LIVE_RUN_STATES, RunState
from central.tenancy.models import ApiToken, Organization
from indexer.records.runs import UploadMode


class IndexRun(models.Model):
    """One attempt to bring a repository's index to a commit."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="runs")
    branch = models.ForeignKey(
        Branch,
        on_delete=models.CASCADE,
        null=True,
        related_name="runs",
        help_text="Empty: the default branch",
    )
    api_token = models.ForeignKey(ApiToken, on_delete=models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=10, choices=RunState.choices, default=RunState.OPEN)
    ref = models.CharField(max_length=255)
    commit_sha = models.CharField(max_length=64)
    base_commit = models.CharField(max_length=64, blank=True)
    generation = models.BigIntegerField(
        help_text="The repository's generation at Open; of another branch: its own, below zero"
    )
    extractor = models.CharField(max_length=200)
    embedder = models.CharField(max_length=200)
    is_direct = models.BooleanField(
        default=False,
        db_default=False,  # processes of the version before insert, too
        help_text="Its client writes points to the vector store itself; batches hold no vectors",
    )
    is_direct_refused = models.BooleanField(
        default=False,
        db_default=False,  # processes of the version before insert, too
        help_text="Its client asked for a direct upload first, and was refused",
    )
    mode = models.CharField(max_length=11, blank=True)
    reason = models.CharField(max_length=20, blank=True)
    event = models.CharField(max_length=40, blank=True)
    run_url = models.URLField(max_length=500, blank=True)
    uploaded_bytes = models.BigIntegerField(
        default=0,
        db_default=0,  # processes of the version before insert, too
        help_text="As they are stored: of its tree and batches",
    )
    batches = models.PositiveIntegerField(null=True, help_text="As the webhook says")
    stats = models.JSONField(default=dict)
    progress = models.JSONField(default=dict)
    error = models.TextField(blank=True)
    attempts = models.PositiveSmallIntegerField(
        default=0, help_text="Claims that ended neither well nor in a temporary failure"
    )
    retries = models.PositiveIntegerField(default=0, help_text="Temporary failures in a row")
    claim = models.UUIDField(null=True, help_text="Who applies it: a fencing token, new each claim")
    lease_until = models.DateTimeField(
        null=True, help_text="The run cannot be claimed before; of a queued run: its back-off"
    )
    claimed_at = models.DateTimeField(null=True, help_text="When it was last taken to be applied")
    opened_at = models.DateTimeField(auto_now_add=True)
    touched_at = models.DateTimeField(help_text="Last accepted request of the client")
    queued_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-opened_at"]
        indexes = [
            models.Index(
                fields=["state", "queued_at"],
                condition=models.Q(state__in=[state.value for state in LIVE_RUN_STATES]),
                name="run_live",
            ),
            models.Index(fields=["repository", "-opened_at"], name="run_of_repository"),
            models.Index(
                fields=["claimed_at"],
                condition=models.Q(claimed_at__isnull=False),
                name="run_claimed",  # whose turn it is
            ),
            models.Index(fields=["-opened_at"], name="run_newest"),  # of all: the admin's pages
        ]

    def __str__(self) -> str:
        return f"{self.id} ({self.state})"

    @property
    def index(self) -> IndexState:
        """The index that it changes, which is locked by its generation."""
        return self.branch or self.repository

    @property
    def vectors(self) -> UploadMode:
        """How its vectors travel."""
        if self.is_direct:
            return UploadMode.DIRECT
        return UploadMode.DIRECT_REFUSED if self.is_direct_refused else UploadMode.RELAY

    @property
    def job_url(self) -> str:
        """`run_url` if it is a web address, else "": it comes from a client."""
        return self.run_url if self.run_url.startswith(("https://", "http://")) else ""


class Batch(models.Model):
    """An uploaded body: number 0 is the tree of a full run, 1… are file records.

    `body` is gzip; `digest` is the SHA-256 of the decompressed bytes; `path_keys` are its paths'
    64-bit keys (see services.batches.path_key). `rows` are those that the apply will copy, unless
    `rows_format` is that of another version (see services.stored_batches). `file_vectors` has one
    for each of its files, as corpus.embeddings packs them, once the points of all are written
    (see services.vectors).
    Rows are deleted when the run ends or, where vectors or points are left, when these are salvaged
    (see services.salvage).
    """

    run = models.ForeignKey(IndexRun, on_delete=models.CASCADE, related_name="batch_set")
    number = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=32)
    files = models.PositiveIntegerField()
    removals = models.PositiveIntegerField(default=0)
    path_keys = ArrayField(models.BigIntegerField(), default=list)
    body = models.BinaryField()
    rows = models.BinaryField(null=True)
    rows_format = models.CharField(
        max_length=16,
        default="",
        db_default="",  # processes of the version before insert, too
    )
    file_vectors = ArrayField(models.BinaryField(null=True), null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="batch_number_in_run")
        ]

    def __str__(self) -> str:
        return f"{self.run_id}#{self.number}"


class Delivery(models.Model):
    """A verified webhook, by which a repeated body gets the same answer."""

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    webhook_id = models.CharField(max_length=100)
    digest = models.BinaryField(max_length=32, help_text="SHA-256 of the raw body")
    run = models.ForeignKey(IndexRun, on_delete=models.CASCADE, related_name="deliveries")
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "webhook_id"], name="delivery_id_in_organization"
            )
        ]

    def __str__(self) -> str:
        return self.webhook_id
