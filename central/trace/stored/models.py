"""Edges from references to definitions, and what each file's resolution depends on.

All of it is derived from the corpus by the follower, and may be deleted at any time (decision 79).
A repository's rows outlive it, until the follower has seen what its absence changes.

The inverted indexes have no list of pending entries (`fastupdate`), which took as much as they do:
the follower writes many entries at once, and asks the indexes in the next step.
"""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from central.tenancy.models import Organization


class FollowedRepository(models.Model):
    """A repository as its edges were last compared with it."""

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+")
    repository_id = models.BigIntegerField(unique=True)
    generation = models.BigIntegerField(default=0)
    rules = models.BigIntegerField(default=0, help_text="Digest of the rules that resolved it")
    packages = models.BigIntegerField(default=0, help_text="Digest of packages and dependencies")
    distributions = ArrayField(models.BigIntegerField(), default=list, help_text="Their keys")

    def __str__(self) -> str:
        return f"{self.repository_id}:{self.generation}"


class Path(models.Model):
    """A path of a repository; its id outlives the contents of the file, and the file."""

    repository_id = models.BigIntegerField()
    path = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["repository_id", "path"], name="edges_path_in_repository"
            )
        ]

    def __str__(self) -> str:
        return self.path


class Source(models.Model):
    """A file as it was followed: its content, its surroundings, and what its edges depend on."""

    path_id = models.BigIntegerField(primary_key=True)
    repository_id = models.BigIntegerField()
    file_id = models.BigIntegerField()
    context = models.BigIntegerField(help_text="Digest of its package and modules")
    modules = ArrayField(models.BigIntegerField(), help_text="Keys of its modules")
    scip = models.BigIntegerField(
        default=0, db_default=0, help_text="Digest of what an index says of it"
    )
    disagreements = models.PositiveIntegerField(
        default=0, db_default=0, help_text="References that its rules bind to something else"
    )
    due = models.BooleanField(default=True, help_text="Whether it is to be resolved again")
    is_cut = models.BooleanField(default=False, help_text="Whether its resolution met a limit")
    questions = ArrayField(models.BigIntegerField(), default=list)
    repositories = ArrayField(
        models.BigIntegerField(), default=list, help_text="Others that its resolution has read"
    )

    class Meta:
        indexes = [
            models.Index(fields=["repository_id"], name="edges_source_repository"),
            models.Index(
                fields=["repository_id"],
                condition=models.Q(due=True) | models.Q(is_cut=True),
                name="edges_source_live",
            ),
            models.Index(
                fields=["repository_id"],
                condition=models.Q(disagreements__gt=0),
                name="edges_source_disagreements",
            ),
            GinIndex(fields=["questions"], name="edges_source_questions", fastupdate=False),
            GinIndex(fields=["repositories"], name="edges_source_repositories", fastupdate=False),
        ]

    def __str__(self) -> str:
        return str(self.path_id)


class Question(models.Model):
    """A question of a statement; a digest of its answer; keys of what may change that."""

    id = models.BigIntegerField(primary_key=True)
    organization = models.ForeignKey(
        Organization, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    digest = models.BigIntegerField()
    kind = models.PositiveSmallIntegerField()
    fields = models.TextField()
    watches = ArrayField(models.BigIntegerField())

    class Meta:
        indexes = [GinIndex(fields=["watches"], name="edges_question_watches", fastupdate=False)]

    def __str__(self) -> str:
        return f"{self.kind}{self.fields}"


class PackageImport(models.Model):
    """How many imports of a file lead into another package; files are given as in an edge.

    The package 0 is the part of a repository that no manifest is about.
    """

    source = models.BigIntegerField()
    repository_id = models.BigIntegerField()
    target_repository = models.BigIntegerField()
    target_package = models.BigIntegerField()
    imports = models.PositiveIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["source"], name="edges_import_source"),
            models.Index(fields=["repository_id"], name="edges_import_repository"),
        ]

    def __str__(self) -> str:
        return f"{self.source} → {self.target_repository}:{self.target_package}"


class Edge(models.Model):
    """References of a file that lead to one definition in the same way; see `central.trace.edges`.

    Without a target, `name` is that of the references, and `rule` says whether they are unresolved
    or lead elsewhere. `written` is the class, if the target is its constructor. Files are given by
    the ids of their paths.
    """

    source = models.BigIntegerField()
    repository_id = models.BigIntegerField()
    references = ArrayField(models.BigIntegerField())
    target = models.BigIntegerField(null=True)
    name = models.TextField()
    kind = models.CharField(max_length=20)
    ecosystem = models.CharField(max_length=10, help_text="Only without a target")
    rule = models.CharField(max_length=20)
    confidence = models.PositiveSmallIntegerField()
    candidates = models.PositiveIntegerField()
    is_certain = models.BooleanField()
    is_alias = models.BooleanField()
    via = ArrayField(models.BigIntegerField(), null=True)  # seldom: an empty array takes 13 bytes
    receiver = models.BigIntegerField(null=True)
    receiver_name = models.TextField()
    written = models.BigIntegerField(null=True)
    written_name = models.TextField()
    model = models.TextField()
    is_foreign = models.BooleanField(
        default=False, db_default=False, help_text="Into another repository"
    )

    class Meta:
        indexes = [
            models.Index(
                fields=["repository_id"],
                condition=models.Q(is_foreign=True),
                name="edges_edge_foreign",
            ),
            models.Index(fields=["target", "name"], name="edges_edge_target"),
            models.Index(
                fields=["receiver", "receiver_name"],
                condition=models.Q(receiver__isnull=False),
                name="edges_edge_receiver",
            ),
            models.Index(fields=["source"], name="edges_edge_source"),
        ]

    def __str__(self) -> str:
        return f"{self.source} → {self.target}:{self.name}"


class Inheritance(models.Model):
    """A class with one of its direct bases. Files are given by the ids of their paths.

    A part of a class in each file that has one; a base that only a model of a library knows is at
    path 0.
    """

    source = models.BigIntegerField()
    repository_id = models.BigIntegerField()
    name = models.TextField()
    base = models.BigIntegerField()
    base_name = models.TextField()

    class Meta:
        indexes = [
            models.Index(fields=["source", "name"], name="edges_inheritance_source"),
            models.Index(fields=["base", "base_name"], name="edges_inheritance_base"),
        ]

    def __str__(self) -> str:
        return f"{self.source}:{self.name} → {self.base}:{self.base_name}"
