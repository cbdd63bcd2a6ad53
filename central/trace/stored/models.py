"""Edges from references to definitions, and what each file's resolution depends on.

All of it is derived from the corpus by the follower, and may be deleted at any time.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from central.repositories.models import Repository
from central.tenancy.models import Organization


def _repository() -> "models.ForeignKey[Repository, Repository]":
    return models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )


class Followed(models.Model):
    """The generation of a repository whose changes have been followed, and what it had then."""

    repository = models.OneToOneField(
        Repository, models.CASCADE, primary_key=True, related_name="followed"
    )
    generation = models.BigIntegerField(default=0)
    rules = models.BigIntegerField(default=0, help_text="Digest of the rules that resolved it")
    packages = models.BigIntegerField(default=0, help_text="Digest of packages and dependencies")
    distributions = ArrayField(models.BigIntegerField(), default=list, help_text="Their keys")

    def __str__(self) -> str:
        return f"{self.repository_id}:{self.generation}"


class Path(models.Model):
    """A path of a repository: its id outlives the contents of the file, and the file."""

    repository = _repository()
    path = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "path"], name="edges_path_in_repository")
        ]

    def __str__(self) -> str:
        return self.path


class Source(models.Model):
    """A file as it was followed: its content, its surroundings, and what its edges depend on."""

    path = models.OneToOneField(Path, models.CASCADE, primary_key=True, db_constraint=False)
    repository = _repository()
    file_id = models.BigIntegerField()
    context = models.BigIntegerField(help_text="Digest of its package and modules")
    modules = ArrayField(models.BigIntegerField(), help_text="Keys of its modules")
    due = models.BooleanField(default=True, help_text="Whether it is to be resolved again")
    questions = ArrayField(models.BigIntegerField(), default=list)
    repositories = ArrayField(
        models.BigIntegerField(), default=list, help_text="Whose rows its resolution has used"
    )

    class Meta:
        indexes = [
            models.Index(fields=["repository"], name="edges_source_repository"),
            models.Index(
                fields=["repository"], condition=models.Q(due=True), name="edges_source_due"
            ),
            GinIndex(fields=["questions"], name="edges_source_questions"),
        ]

    def __str__(self) -> str:
        return str(self.path_id)


class Question(models.Model):
    """A question of a statement; the digest of its answer; what, if changed, may change that."""

    id = models.BigIntegerField(primary_key=True)
    organization = models.ForeignKey(
        Organization, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    kind = models.CharField(max_length=30)
    fields = models.TextField()
    digest = models.BigIntegerField()
    watches = ArrayField(models.BigIntegerField())

    class Meta:
        indexes = [GinIndex(fields=["watches"], name="edges_question_watches")]

    def __str__(self) -> str:
        return f"{self.kind}{self.fields}"


class Edge(models.Model):
    """References of a file that lead to one definition in the same way.

    Without a target, `name` is that of the references, and `rule` says whether they are unresolved
    or lead elsewhere. `written` is the class if the target is its constructor.
    """

    source = models.ForeignKey(Path, models.CASCADE, related_name="+", db_constraint=False)
    repository = _repository()
    references = ArrayField(models.BigIntegerField())
    target = models.ForeignKey(
        Path, models.CASCADE, null=True, related_name="+", db_index=False, db_constraint=False
    )
    name = models.TextField()
    kind = models.CharField(max_length=20, blank=True)
    rule = models.CharField(max_length=20)
    confidence = models.PositiveSmallIntegerField()
    candidates = models.PositiveIntegerField()
    is_alias = models.BooleanField()
    via = ArrayField(models.BigIntegerField())
    receiver = models.BigIntegerField(null=True)
    receiver_name = models.TextField(blank=True)
    written = models.BigIntegerField(null=True)
    written_name = models.TextField(blank=True)
    model = models.TextField(blank=True)

    class Meta:
        indexes = [models.Index(fields=["target", "name"], name="edges_edge_target")]

    def __str__(self) -> str:
        return f"{self.source_id} → {self.target_id}:{self.name}"
