"""An organisation's owners at forges beside GitHub."""

from django.db import models

from central.tenancy.models import Organization


class ForgeKind(models.TextChoices):
    """What answers at the address."""

    GITLAB = "gitlab", "GitLab"
    GITEA = "gitea", "Gitea"
    FORGEJO = "forgejo", "Forgejo"
    DIRECTORY = "directory", "a directory of bare repositories"


class Forge(models.Model):
    """An owner at a forge, whose repositories are the organisation's.

    Its key is part of the key of each of its repositories (`central.forges.keys`), so it is never
    used again.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="forges")
    kind = models.CharField(max_length=10, choices=ForgeKind.choices)
    url = models.CharField(
        max_length=500, help_text="Of the server, such as https://gitlab.example.com, or file:///…"
    )
    owner = models.CharField(
        max_length=300, blank=True, help_text="A group with its path, or an organisation, there"
    )
    owner_id = models.BigIntegerField(null=True, blank=True, help_text="The forge's id of it")
    sealed_token = models.TextField(blank=True, help_text="Of its API, encrypted")
    webhook_version = models.PositiveIntegerField(default=1, help_text="Of the webhooks' secret")
    selection = models.JSONField(default=dict, help_text="Which repositories are meant")
    listed_at = models.DateTimeField(
        null=True, blank=True, help_text="When the last complete list was asked for"
    )
    error = models.TextField(blank=True, help_text="Why the newest list failed")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["organization", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["url", "owner_id"], nulls_distinct=False, name="forge_owner"
            )
        ]

    def __str__(self) -> str:
        return f"{self.url.rstrip('/')}/{self.owner}".rstrip("/")
