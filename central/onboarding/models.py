"""Backfills and their repositories. The table of repositories is the queue."""

import uuid
from typing import Final

from django.db import models

from central.repositories.models import Repository
from central.tenancy.models import Organization


class ListState(models.TextChoices):
    """The state of a backfill's list; that of its repositories is counted."""

    LISTING = "listing"
    LISTED = "listed"
    FAILED = "failed"
    CANCELLED = "cancelled"


# Of a repository: its backfill goes on, and so does its organisation. Else nothing is done for it.
ACTIVE: Final = models.Q(backfill__state=ListState.LISTED, organization__retired_at=None)


class Authority(models.TextChoices):
    """What a backfill may use: it was decided when it was requested, and is never widened."""

    OWNER = "owner", "GitHub's, for repositories of the organisation's own owner"
    OPERATOR = "operator", "the operator's, for the addresses that the operator's command named"
    NONE = "none", "none: a member of the organisation named the addresses"


class WorkState(models.TextChoices):
    """The state of a repository in the queue."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


class Backfill(models.Model):
    """A request to index an owner's repositories, or those at given addresses."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="backfills"
    )
    owner = models.CharField(max_length=100, blank=True, help_text="At GitHub; empty: addresses")
    owner_id = models.BigIntegerField(null=True, blank=True, help_text="GitHub's id of the owner")
    selection = models.JSONField(default=dict, help_text="Filters of repositories")
    state = models.CharField(
        max_length=10, choices=ListState.choices, default=ListState.LISTING, db_index=True
    )
    left_out = models.JSONField(default=dict, help_text="Reason → number of repositories")
    error = models.TextField(blank=True)
    requested_by = models.CharField(max_length=200)
    may_use_credentials = models.BooleanField(
        default=False, db_default=False, help_text="Of the operator, for the addresses"
    )
    claim = models.UUIDField(null=True, help_text="Who lists it: a fencing token")
    lease_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["organization", "-created_at"], name="backfill_of_organization")
        ]

    def __str__(self) -> str:
        return f"{self.organization}: {self.owner or 'addresses'}"

    @property
    def authority(self) -> Authority:
        """What its repositories are cloned with."""
        if self.owner_id is not None:
            return Authority.OWNER
        return Authority.OPERATOR if self.may_use_credentials else Authority.NONE


class BackfillRepository(models.Model):
    """A repository that central indexes, once and, without a workflow, again after each push.

    It belongs to the newest backfill that chose it, whose authority is all that its work may use.
    `requested_at` after `claimed_at` means that it is due again, even while it is worked on.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    backfill = models.ForeignKey(Backfill, on_delete=models.CASCADE, related_name="repositories")
    repository = models.ForeignKey(
        Repository, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    forge_key = models.BigIntegerField(null=True, blank=True, db_column="github_id")
    url = models.CharField(
        max_length=500, blank=True, help_text="Without a GitHub id: the address to clone"
    )
    name = models.CharField(max_length=200, help_text="The project's name here")
    state = models.CharField(max_length=10, choices=WorkState.choices, default=WorkState.QUEUED)
    requested_at = models.DateTimeField()
    requested_by = models.CharField(
        max_length=200, blank=True, default="", db_default="", help_text="For the last time"
    )
    due_at = models.DateTimeField(help_text="Not before; later after a failed attempt")
    pushed_commit = models.CharField(
        max_length=64, blank=True, help_text="The last push that it was queued for"
    )
    attempts = models.PositiveSmallIntegerField(default=0)
    claim = models.UUIDField(null=True, help_text="Who works on it: a fencing token")
    claimed_at = models.DateTimeField(null=True)
    lease_until = models.DateTimeField(null=True)
    stage = models.CharField(max_length=10, blank=True, help_text="cloning or indexing")
    commit_sha = models.CharField(max_length=64, blank=True, help_text="The last indexed commit")
    history_due = models.BooleanField(
        default=False, db_default=False, help_text="Its next run sends all commits again"
    )
    history_at = models.DateTimeField(null=True, blank=True, help_text="When a run brought it")
    seconds = models.FloatField(null=True, blank=True, help_text="Of the last attempt")
    error = models.TextField(blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "backfill repositories"
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "forge_key"],
                condition=models.Q(forge_key__isnull=False),
                name="backfill_github_id_in_organization",
            ),
            models.UniqueConstraint(
                fields=["organization", "url"],
                condition=models.Q(forge_key__isnull=True),
                name="backfill_url_in_organization",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"],
                condition=models.Q(state__in=["queued", "running"]),
                name="backfill_due",
            ),
            models.Index(fields=["backfill", "state"], name="backfill_progress"),
            models.Index(
                fields=["organization", "claimed_at"],
                condition=models.Q(claimed_at__isnull=False),
                name="backfill_rate",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.state})"
