"""Where an organisation's alerts go, and what each repository's state is known to be there.

A message is stored before it is sent, in the transaction that notes what it reports: a crash at any
line repeats it with the same id, and loses nothing.
"""

from django.db import models

from central.repositories.models import Repository
from central.tenancy.models import Organization


class Condition(models.TextChoices):
    """What is wrong with a repository."""

    FAILED = "failed"
    BEHIND = "behind"
    NOT_CLONED = "not_cloned"
    UNINDEXED = "unindexed"


class AlertDestination(models.Model):
    """The receiver of an organisation's alerts, with the one message that waits for it.

    While it is suspended nothing is sent: the message waits for a test that succeeds.
    """

    organization = models.OneToOneField(
        Organization, on_delete=models.CASCADE, primary_key=True, related_name="alert_destination"
    )
    sealed_address = models.TextField(help_text="Encrypted: who knows the address may post there")
    secret_version = models.PositiveIntegerField(default=1)
    message_id = models.UUIDField(null=True, help_text="Of the message that waits; empty: none")
    message = models.JSONField(default=dict)
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField(help_text="Not before: the next attempt, or the next message")
    claim = models.UUIDField(null=True, help_text="Who sends it: a fencing token")
    lease_until = models.DateTimeField(null=True)
    error = models.CharField(max_length=300, blank=True, help_text="Of the last attempt")
    delivered_at = models.DateTimeField(null=True, blank=True)
    suspended_at = models.DateTimeField(null=True, blank=True)
    tested_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["organization"]

    def __str__(self) -> str:
        return f"alerts of {self.organization_id}"


class RepositoryAlert(models.Model):
    """A condition of a repository that is, or was, reported.

    `reported_at` empty: it is not reported yet. `ended_at` set: its end is not reported yet.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="+")
    condition = models.CharField(max_length=10, choices=Condition.choices)
    detail = models.TextField(blank=True)
    since = models.DateTimeField()
    reported_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["since", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["repository", "condition"], name="alert_of_repository_and_condition"
            )
        ]
        indexes = [models.Index(fields=["organization", "since"], name="alert_of_organization")]

    def __str__(self) -> str:
        return f"{self.repository_id} {self.condition}"
