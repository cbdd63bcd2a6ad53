"""Organisations (the isolated tenants), members, invitations, API tokens and the audit log."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models

from indexer.embedding.catalogue import spec_error
from indexer.records.authors import AuthorPolicy
from indexer.records.vectors import EmbedderSpec

SLUG = r"^(?!org-)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\Z"
slug_validator = RegexValidator(
    SLUG,
    "Use 1 to 63 of a-z, 0-9 and '-', neither at the start nor at the end, and not beginning with "
    "'org-' (that prefix is how workspaces are addressed).",
)


def parse_organization_slug(text: str) -> str:
    """Return the slug in `text`, "acme" or "org-acme", without validating it."""
    return text.removeprefix("org-")


def validate_embedder(text: str) -> None:
    """Raise ValidationError unless `text` is the canonical name of a possible embedder."""
    try:
        spec = EmbedderSpec.parse(text)
    except ValueError:
        spec = None
    if not (spec and str(spec) == text and spec.provider and spec.model and spec.dimensions > 0):
        raise ValidationError(
            "Name an embedder as provider/model/dimensions, such as builtin/aeterna-static-1/256."
        )
    if problem := spec_error(spec):
        raise ValidationError(f"There is no embedder {spec}. {problem}")


VISIBILITIES = ("public", "internal", "private")  # of repositories, at their forge


class Scope(models.TextChoices):
    """A permission of a credential."""

    INDEX = "index"
    SEARCH = "search"
    ADMIN = "admin"


class ActiveOrganizations(models.Manager["Organization"]):
    """Organisations except those that are being purged, which are visible nowhere."""

    def get_queryset(self) -> models.QuerySet["Organization"]:
        return super().get_queryset().filter(retired_at=None)


class Organization(models.Model):
    """A tenant. Its embedder decides which vectors its repositories are indexed with."""

    slug = models.CharField(max_length=63, unique=True, validators=[slug_validator])
    github_owner_id = models.BigIntegerField(null=True, blank=True, unique=True)
    embedder = models.CharField(
        max_length=200,
        default="builtin/aeterna-static-1/256",
        validators=[validate_embedder],
        help_text="provider/model/dimensions, as indexer.records.vectors.EmbedderSpec writes it",
    )
    direct_uploads = models.BooleanField(
        default=False,
        db_default=False,  # processes of the version before insert, too
        help_text="Its indexers may write vectors to the vector store themselves "
        "(docs/how-to/vector-stores.md)",
    )
    expects_installed = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Answers lack the repositories that an installation of the GitHub App lists, "
        "until they are indexed (docs/reference/trace.md#repositories-without-an-index)",
    )
    uses_models = models.BooleanField(
        default=True,
        db_default=True,
        help_text="Traces use the models of libraries "
        "(docs/reference/trace.md#models-of-libraries)",
    )
    branches = ArrayField(
        models.CharField(max_length=255),
        default=list,
        db_default=[],
        blank=True,
        help_text="Patterns of branches to be indexed beside the default one, of repositories "
        "whose .codesearch.toml names none (docs/reference/branches.md)",
    )
    branches_most = models.PositiveSmallIntegerField(
        default=16,
        db_default=16,
        validators=[MinValueValidator(1), MaxValueValidator(16)],
        help_text="How many branches of a repository may be indexed, the default one among them",
    )
    author_policy = models.CharField(
        max_length=10,
        choices=[(policy.value, policy.value) for policy in AuthorPolicy],
        default=AuthorPolicy.OFF.value,
        db_default=AuthorPolicy.OFF.value,
        help_text="What is stored of the authors of commits "
        "(docs/reference/what-is-indexed.md#authors)",
    )
    author_key = models.BinaryField(
        default=b"", db_default=b"", help_text="Makes the digests of authors; secret"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="It is invisible; all that it holds is being purged",
    )

    objects = ActiveOrganizations()
    all_objects = models.Manager["Organization"]()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.slug


class Role(models.TextChoices):
    """The role of a member. Every member may search."""

    MEMBER = "member"
    ADMIN = "admin"


class Membership(models.Model):
    """A person's membership. Visible is the intersection of both lists."""

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="memberships"
    )
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    repositories = ArrayField(
        models.CharField(max_length=200),
        null=True,
        blank=True,
        help_text="Names of the repositories to be seen; empty for all of the organisation",
    )
    visibilities = ArrayField(
        models.CharField(max_length=10),
        null=True,
        blank=True,
        help_text="Which repositories to be seen: public, internal, private; empty for all",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["organization", "user"]
        constraints = [
            models.UniqueConstraint(
                fields=["user", "organization"], name="membership_of_user_in_organization"
            )
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.organization_id} ({self.role})"


class Invitation(models.Model):
    """A link that makes who opens it a member, once. Only the SHA-256 of its code is stored."""

    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="invitations"
    )
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.MEMBER)
    name = models.CharField(max_length=100, blank=True, help_text="Who it is for, in words")
    prefix = models.CharField(max_length=12, help_text="The code's first characters, to tell it")
    digest = models.BinaryField(max_length=32, unique=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        related_name="+",
        help_text="It is valid while this person is an admin of the organisation",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(db_index=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    accepted_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
    )

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.organization_id})"

    @property
    def label(self) -> str:
        return f"{self.prefix}… {self.name}".rstrip()


class ApiToken(models.Model):
    """A credential for the API. Only its SHA-256 is stored; the token is shown once.

    A token with an owner is personal: it never exceeds the owner's present permissions.
    """

    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="api_tokens"
    )
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="api_tokens",
    )
    name = models.CharField(max_length=100, blank=True)
    prefix = models.CharField(max_length=12, help_text="The token's first characters, to tell it")
    digest = models.BinaryField(max_length=32, unique=True)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices))
    repositories = ArrayField(
        models.CharField(max_length=200),
        null=True,
        blank=True,
        help_text="Names of the repositories it may see; empty for all of the organisation",
    )
    visibilities = ArrayField(
        models.CharField(max_length=10),
        null=True,
        blank=True,
        help_text="Which repositories it may see: public, internal, private; empty for all",
    )
    # Later columns have database defaults: processes of an earlier version insert, too.
    is_short_lived = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Deleted some time after it expired: made of a forge's id token, or local",
    )
    is_local = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Of the command line on the service's own machine; it is short-lived, too",
    )
    bound_repository_id = models.BigIntegerField(
        null=True, blank=True, help_text="The one repository that it may index, by GitHub's id"
    )
    bound_project = models.CharField(max_length=200, blank=True, default="", db_default="")
    bound_visibility = models.CharField(max_length=10, blank=True, default="", db_default="")
    bound_ref = models.CharField(max_length=255, blank=True, default="", db_default="")
    bound_commit = models.CharField(max_length=64, blank=True, default="", db_default="")
    bound_url = models.URLField(max_length=500, blank=True, default="", db_default="")
    bound_at = models.DateTimeField(
        null=True, blank=True, help_text="When GitHub signed that, by its clock"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [
            models.Index(
                fields=["expires_at"],
                condition=models.Q(is_short_lived=True),
                name="apitoken_short_lived",
            )
        ]

    def __str__(self) -> str:
        return f"{self.prefix}… ({self.organization})"

    @property
    def label(self) -> str:
        return f"{self.prefix}… {self.name}".rstrip()


class AuditEntry(models.Model):
    """An entry of the audit log, written once by central.tenancy.audit.record.

    `organization` is a slug: an entry outlives its organisation.
    """

    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=200, help_text="user ada, token aet_1a2b…, command, github")
    action = models.CharField(max_length=60, help_text="noun.verb, such as token.created")
    organization = models.CharField(max_length=63, blank=True)
    target = models.CharField(max_length=300, help_text="What was changed, in words")
    detail = models.JSONField(default=dict, help_text="Names and values; nothing secret")
    request_id = models.CharField(max_length=64, blank=True)

    class Meta:
        ordering = ["-at", "-pk"]
        verbose_name_plural = "audit entries"
        indexes = [
            models.Index(fields=["-at", "-id"], name="audit_newest"),
            models.Index(fields=["organization", "-at"], name="audit_of_organization"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.actor}: {self.action} {self.target}"
