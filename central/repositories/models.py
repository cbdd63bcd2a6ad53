"""Repositories: identity, tracked branch and indexed commit."""

from django.db import models

from central.tenancy.models import Organization


class Visibility(models.TextChoices):
    """The visibility at the forge; unknown counts as private."""

    PUBLIC = "public"
    INTERNAL = "internal"
    PRIVATE = "private"


class IndexedBy(models.TextChoices):
    """Who indexes after a push: the repository's own workflow, or this service."""

    ACTION = "action"
    CENTRAL = "central"


class IndexProblem(models.TextChoices):
    """The reason why the newest ended run left the index behind the head, if it did."""

    FAILED = "failed"
    BEHIND = "behind"
    NOT_CLONED = "not_cloned"  # and it has no index: this service could not clone or index it


class ExpectedBy(models.TextChoices):
    """Who has announced a repository that has no index yet; empty: no index is expected."""

    RUN = "run"
    BACKFILL = "backfill"
    INSTALLATION = "installation"  # of the GitHub App, if the organisation expects what it lists


class IndexState(models.Model):
    """What is known of the index of a branch; `generation` counts applied runs.

    It is the compare-and-set key of every apply.
    """

    generation = models.BigIntegerField(default=0)
    last_indexed_commit = models.CharField(max_length=64, blank=True)
    indexed_at = models.DateTimeField(null=True, blank=True)
    extractor = models.CharField(max_length=200, blank=True)
    embedder = models.CharField(max_length=200, blank=True)
    last_mode = models.CharField(max_length=11, blank=True)
    last_reason = models.CharField(max_length=20, blank=True)
    last_vectors = models.CharField(max_length=20, blank=True, db_default="")
    trouble = models.CharField(max_length=10, choices=IndexProblem.choices, blank=True)
    trouble_detail = models.TextField(blank=True)
    trouble_commit = models.CharField(
        max_length=64, blank=True, help_text="The commit of the run that the trouble is of"
    )
    files = models.PositiveIntegerField(default=0, help_text="Indexed files")
    skipped = models.PositiveIntegerField(default=0, help_text="Skipped files")
    generated = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Generated files among the indexed ones"
    )
    partly_parsed = models.PositiveIntegerField(
        default=0, db_default=0, help_text="Indexed files that their grammar understands in part"
    )
    chunks = models.PositiveIntegerField(default=0)
    symbols = models.PositiveIntegerField(default=0)
    references = models.PositiveIntegerField(default=0)
    languages = models.JSONField(default=dict, help_text="Language → number of indexed files")

    class Meta:
        abstract = True

    @property
    def run_generation(self) -> int:
        """What a run that is opened now notes as the generation.

        Of another branch it is below zero, so that a version that knows no branches does not take
        such a run for one of the default branch: to it, the run is overtaken.
        """
        return self.generation


class Repository(IndexState):
    """A project of an organisation, and the index of its default branch.

    The text index is complete if `text_generation` equals `generation`, so that a run that an older
    version applies, which writes no trigrams, leaves it incomplete.
    """

    organization = models.ForeignKey(
        Organization, on_delete=models.CASCADE, related_name="repositories"
    )
    name = models.CharField(max_length=200)
    forge_key = models.BigIntegerField(
        null=True,
        blank=True,
        db_column="github_id",
        help_text="central.forges.keys: the forge, and its id of the repository; empty: unknown",
    )
    web_url = models.URLField(max_length=500, blank=True)
    tracked_ref = models.CharField(max_length=255)
    visibility = models.CharField(
        max_length=10, choices=Visibility.choices, default=Visibility.PRIVATE
    )
    visibility_at = models.DateTimeField(
        null=True, blank=True, help_text="When the forge said so, by its clock; empty: unknown"
    )
    adopted_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When an index of unknown origin was given GitHub's id: it is private until a "
        "run that was opened since then is applied",
    )
    paused = models.BooleanField(default=False)
    indexed_by = models.CharField(
        max_length=10,
        choices=IndexedBy.choices,
        default=IndexedBy.ACTION,
        db_default=IndexedBy.ACTION,
        help_text="Who indexes after a push: a workflow (action), or this service, which clones it",
    )
    reindex_requested_at = models.DateTimeField(
        null=True, blank=True, help_text="Its next run processes every file, whatever has changed"
    )
    text_generation = models.BigIntegerField(
        default=0,
        db_default=0,
        help_text="The generation whose files are all in trigram segments, if it is the present",
    )
    expected_by = models.CharField(
        max_length=12,
        choices=ExpectedBy.choices,
        default=ExpectedBy.RUN,
        db_default=ExpectedBy.RUN,
        blank=True,
        help_text="Who announced it: without an index, answers lack it; empty: not announced",
    )
    not_expected_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="When an administrator said that answers do not lack it, until it is indexed",
    )
    retired_at = models.DateTimeField(
        null=True, blank=True, help_text="It is invisible; what it holds is being purged"
    )
    scip = models.JSONField(
        default=dict, db_default={}, help_text="Indexer → files whose references it has bound"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "repositories"
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "name"], name="repository_name_in_organization"
            ),
            models.UniqueConstraint(
                fields=["organization", "forge_key"],
                condition=models.Q(forge_key__isnull=False),
                name="repository_github_id_in_organization",
            ),
        ]
        indexes = [
            models.Index(
                fields=["retired_at"],
                condition=models.Q(retired_at__isnull=False),
                name="repository_retired",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.organization}/{self.name}"

    @property
    def branch_bits(self) -> int:
        """The bits in `File.branches` of its branches beside the default one."""
        return sum(1 << number for number in self.branch_set.values_list("number", flat=True))


class Branch(IndexState):
    """An indexed branch beside the default one.

    `number` is its bit in `File.branches`: the default branch has 0. Files of the default branch
    are changed for it by the applies of the default branch, which note their generation in
    `default_generation`: while that is another, a version that knows no branches applied one, and
    the branch is unknown until a full run of its own.
    """

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="branch_set")
    ref = models.CharField(max_length=255, help_text="Its full name, such as refs/heads/release/1")
    number = models.PositiveSmallIntegerField()
    default_generation = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["ref"]
        verbose_name_plural = "branches"
        constraints = [
            models.UniqueConstraint(fields=["repository", "ref"], name="branch_in_repository"),
            models.UniqueConstraint(
                fields=["repository", "number"], name="branch_number_in_repository"
            ),
        ]

    def __str__(self) -> str:
        return self.ref

    @property
    def run_generation(self) -> int:
        return -1 - self.generation

    @property
    def bit(self) -> int:
        """Its bit in `File.branches`."""
        return 1 << self.number

    @property
    def is_indexed(self) -> bool:
        """Whether what is stored of it may be read; else its next run is a full one."""
        return bool(self.generation) and self.default_generation == self.repository.generation


class BranchPush(models.Model):
    """A push to a wanted branch beside the default one that nothing has followed yet.

    As with Push, it is separate because of locks. The branch may have no index yet.
    """

    repository = models.ForeignKey(Repository, on_delete=models.CASCADE, related_name="+")
    ref = models.CharField(max_length=255)
    commit_sha = models.CharField(max_length=64)
    pushed_at = models.DateTimeField(help_text="By the forge's clock")

    class Meta:
        verbose_name_plural = "branch pushes"
        constraints = [
            models.UniqueConstraint(fields=["repository", "ref"], name="push_of_branch"),
        ]

    def __str__(self) -> str:
        return f"{self.commit_sha} of {self.ref}"


class ForgeStatement(models.Model):
    """The forge's last signed statements about one of its repositories, by its id there.

    It may precede the repository's row and outlives it, so that a statement that arrives late is
    known to be outdated. Times are by the forge's clock.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    forge_key = models.BigIntegerField(db_column="github_id")
    visibility = models.CharField(max_length=10, choices=Visibility.choices, blank=True)
    visibility_at = models.DateTimeField(
        null=True, blank=True, help_text="Empty: a list without a time said so"
    )
    named_at = models.DateTimeField(
        null=True, blank=True, help_text="When it last said the repository's name"
    )
    removed_at = models.DateTimeField(
        null=True, blank=True, help_text="When it last said that the repository is gone"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "forge_key"], name="forge_statement_of_github_id"
            )
        ]

    def __str__(self) -> str:
        return f"{self.forge_key} of {self.organization_id}"


class InstalledRepository(models.Model):
    """A repository that an installation of the GitHub App may read, as its webhook last said.

    It is kept whether or not the organisation expects what is listed, which it may do later.
    """

    organization = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    installation_id = models.BigIntegerField()
    forge_key = models.BigIntegerField(db_column="github_id")
    name = models.CharField(max_length=200)
    visibility = models.CharField(max_length=10, choices=Visibility.choices)

    class Meta:
        verbose_name_plural = "installed repositories"
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "forge_key"], name="installed_repository_of_github_id"
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.organization_id}"


class Push(models.Model):
    """The last push to a repository's tracked branch, as the forge reports it.

    A separate row, because an apply locks the repository's until it commits, and a forge's message
    must be answered at once.
    """

    repository = models.OneToOneField(
        Repository, on_delete=models.CASCADE, primary_key=True, related_name="push"
    )
    commit_sha = models.CharField(max_length=64)
    pushed_at = models.DateTimeField(help_text="By the forge's clock")
    is_pending = models.BooleanField(
        default=True, help_text="Neither known to be indexed nor noted as behind"
    )

    class Meta:
        verbose_name_plural = "pushes"
        indexes = [
            models.Index(
                fields=["pushed_at"], condition=models.Q(is_pending=True), name="push_pending"
            )
        ]

    def __str__(self) -> str:
        return f"{self.commit_sha} of {self.repository_id}"
