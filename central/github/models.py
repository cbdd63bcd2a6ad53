"""Policies for GitHub's jobs, used id tokens and received webhook deliveries."""

import re

from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from central.tenancy.models import Organization

# Runs with the base repository's rights on what a fork's pull request says.
NEVER_ALLOWED_EVENTS = frozenset({"pull_request_target"})
_EVENT = re.compile(r"[a-z_]+")


def index_events() -> list[str]:
    """Return the events whose jobs may index by default."""
    return ["push", "workflow_dispatch", "schedule"]


class GitHubPolicy(models.Model):
    """The rule by which GitHub Actions jobs of the organisation's owner need no API token.

    The owner is `organization.github_owner_id`. Patterns follow `fnmatch` and are case-sensitive. A
    workflow's path and its ref, with "@" between them, are matched separately.
    """

    organization = models.OneToOneField(
        Organization, on_delete=models.CASCADE, related_name="github_policy"
    )
    enabled = models.BooleanField(default=True, help_text="Off: every job needs an API token")
    events = ArrayField(
        models.CharField(max_length=40),
        default=index_events,
        help_text="Events whose jobs may index",
    )
    refs = ArrayField(
        models.CharField(max_length=255),
        default=list,
        blank=True,
        help_text="Patterns of refs that may be indexed, such as refs/heads/main; empty: any "
        "branch may be a repository's first, and from then on only its tracked one",
    )
    job_workflow_refs = ArrayField(
        models.CharField(max_length=500),
        default=list,
        blank=True,
        help_text="Patterns of workflows that may, such as "
        "acme/.github/.github/workflows/code-index.yml@refs/heads/main; empty: any",
    )
    impact = models.BooleanField(
        default=False,
        help_text="Jobs of pull requests may search what the repository's readers may know of",
    )
    webhook_secret_version = models.PositiveIntegerField(
        default=1, help_text="Increase it to make a new secret for the organisation's webhooks"
    )
    installation_id = models.BigIntegerField(
        null=True, blank=True, help_text="Of the GitHub App, as its webhook says"
    )

    class Meta:
        verbose_name = "GitHub policy"
        verbose_name_plural = "GitHub policies"

    def __str__(self) -> str:
        return str(self.organization)

    def clean(self) -> None:
        """Raise ValidationError for entries that can match nothing or are never allowed."""
        problems = {
            "events": [_event_problem(event) for event in self.events or ()],
            "refs": [_ref_problem(pattern) for pattern in self.refs or ()],
            "job_workflow_refs": [_workflow_problem(ref) for ref in self.job_workflow_refs or ()],
        }
        found = {name: [*filter(None, said)] for name, said in problems.items() if any(said)}
        if found:
            raise ValidationError(found)


def _event_problem(event: str) -> str:
    if event in NEVER_ALLOWED_EVENTS:
        return f"{event} is never allowed: it runs on what a fork says."
    if not _EVENT.fullmatch(event):
        return f"'{event}' is no event; write them as in a workflow's `on:`, such as push."
    return ""


def _ref_problem(pattern: str) -> str:
    if pattern.startswith("refs/"):
        return ""
    return f"'{pattern}' fits no ref; write whole names, such as refs/heads/{pattern or 'main'}."


def _workflow_problem(pattern: str) -> str:
    path, _, ref = pattern.partition("@")
    if "/" in path and ref:
        return ""
    return (
        f"'{pattern}' fits no workflow; write owner/repository/.github/workflows/file.yml@ref, "
        "where * stands for anything."
    )


class IdTokenUse(models.Model):
    """An id token that was exchanged and is not accepted again. Deleted after `forget_at`."""

    jti_digest = models.BinaryField(max_length=32, unique=True, help_text="SHA-256 of the jti")
    forget_at = models.DateTimeField(db_index=True, help_text="Its expiry and the leeway are over")

    def __str__(self) -> str:
        return bytes(self.jti_digest).hex()


class GitHubDelivery(models.Model):
    """A verified webhook delivery: the same one again changes nothing.

    `waiting` is the deferred event, as central.github.events stores it.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    delivery_id = models.CharField(max_length=100)
    event = models.CharField(max_length=60)
    outcome = models.CharField(max_length=200)
    waiting = models.JSONField(null=True, blank=True, encoder=DjangoJSONEncoder)
    received_at = models.DateTimeField(auto_now_add=True, db_index=True)

    class Meta:
        verbose_name = "GitHub delivery"
        verbose_name_plural = "GitHub deliveries"
        ordering = ["-received_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "delivery_id"], name="github_delivery_in_organization"
            )
        ]
        indexes = [
            models.Index(
                fields=["organization", "id"],
                condition=models.Q(waiting__isnull=False),
                name="github_delivery_waiting",
            )
        ]

    def __str__(self) -> str:
        return f"{self.event} {self.delivery_id}"
