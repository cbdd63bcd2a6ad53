"""Searches with a name, and what is known of those that are watched.

What is new is counted in the transaction that notes what was looked at: a crash at any line counts
it once.
"""

from django.conf import settings
from django.db import models

from central.repositories.models import Repository
from central.tenancy.models import Organization


class SavedSearch(models.Model):
    """A person's search in an organisation. Opening it uses the rights of the reader.

    `found` counts new lines that no message has reported.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=100)
    request = models.JSONField(help_text="Fields of POST /api/v1/search, without org_id")
    is_shared = models.BooleanField(default=False)
    is_watched = models.BooleanField(default=False)
    found = models.PositiveIntegerField(default=0)
    found_since = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=300, blank=True, help_text="Why it is watched in part")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "owner", "name"], name="name_of_saved_search"
            )
        ]
        indexes = [
            models.Index(
                fields=["organization"],
                condition=models.Q(is_watched=True),
                name="watched_search_of_organization",
            )
        ]

    def __str__(self) -> str:
        return self.name


class WatchedRepository(models.Model):
    """What a watched search has looked at in a repository.

    `last_file` is the highest key of a file that was looked at: a changed file has a higher one. 0:
    the next look counts nothing as new.
    """

    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="+", db_index=False
    )
    search = models.ForeignKey(SavedSearch, on_delete=models.CASCADE, related_name="watched_set")
    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="+")
    generation = models.BigIntegerField()
    last_file = models.BigIntegerField(default=0)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["search", "repository"], name="repository_of_watched_search"
            )
        ]

    def __str__(self) -> str:
        return f"{self.search_id} in {self.repository_id}"


class WatchedFile(models.Model):
    """The lines of a file that a watched search has found: eight bytes of a digest of each."""

    watched = models.ForeignKey(
        WatchedRepository, on_delete=models.CASCADE, related_name="file_set", db_index=False
    )
    path = models.TextField()
    lines = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["watched", "path"], name="path_of_watched_search")
        ]

    def __str__(self) -> str:
        return self.path
