"""The knowledge graph: nodes, the documents that some of them are, and edges between them.

A node of code names something of the corpus (repository, path, qualified name). It is made when an
edge first needs it, outlives a re-index, and may name what is not there any more.
"""

from django.db import models
from django.db.models import Q

from central.repositories.models import Repository
from central.tenancy.models import Organization


class NodeKind(models.TextChoices):
    KNOWLEDGE = "knowledge"
    POLICY = "policy"
    MEMORY = "memory"
    CODE_FILE = "code_file"
    CODE_SYMBOL = "code_symbol"


DOCUMENT_KINDS = (NodeKind.KNOWLEDGE, NodeKind.POLICY, NodeKind.MEMORY)
CODE_KINDS = (NodeKind.CODE_FILE, NodeKind.CODE_SYMBOL)


class Node(models.Model):
    """A vertex. `key` finds it in its repository or, without one, in its organisation.

    `identifiers.document_key` and `identifiers.code_key` make keys. `blob` is the content of a
    code node's file when it was last indexed.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    repository = models.ForeignKey(
        Repository, models.CASCADE, null=True, blank=True, related_name="+", db_index=False
    )
    kind = models.CharField(max_length=11, choices=NodeKind.choices)
    key = models.CharField(max_length=140)
    path = models.TextField(blank=True)
    qualified_name = models.CharField(max_length=500, blank=True)
    blob = models.CharField(max_length=64, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["organization", "key"],
                condition=Q(repository__isnull=True),
                name="node_key_in_organization",
            ),
            models.UniqueConstraint(
                fields=["repository", "key"],
                condition=Q(repository__isnull=False),
                name="node_key_in_repository",
            ),
        ]
        indexes = [
            models.Index(
                fields=["organization", "key"],
                condition=Q(kind__in=DOCUMENT_KINDS),
                name="node_document_key",
            ),
            models.Index(
                fields=["repository", "path"],
                condition=Q(kind__in=CODE_KINDS),
                name="node_code_path",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.path}#{self.qualified_name}" if self.path else self.key


class Document(models.Model):
    """What people wrote: an ADR or another guide, a policy, a memory.

    `version` counts changes and is the entity tag. `source_path` is the file of the repository
    that it was read from, "" for what was written here. `vector` is float32, little-endian, under
    `embedder`; both are empty until it is embedded. `linked_version` is the version whose
    semantic links are made.
    """

    node = models.OneToOneField(Node, models.CASCADE, primary_key=True, related_name="document")
    public_id = models.CharField(max_length=100)
    title = models.CharField(max_length=300)
    body = models.TextField(blank=True)
    status = models.CharField(max_length=40, blank=True)
    properties = models.JSONField(default=dict, blank=True)
    author = models.CharField(max_length=200, blank=True)
    source_path = models.TextField(blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    version = models.PositiveIntegerField(default=1)
    embedder = models.CharField(max_length=200, blank=True)
    vector = models.BinaryField(blank=True, default=b"")
    linked_version = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        indexes = [
            models.Index(
                fields=["node"],
                condition=~Q(linked_version=models.F("version")),
                name="document_to_link",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.public_id}: {self.title}"


class Severity(models.TextChoices):
    """How grave a violation is."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Policy(models.Model):
    """The rule of a policy: YAML of ast-grep (`rule`, `constraints`, `utils`) and where it holds.

    `include` and `exclude` are patterns as in .gitignore. `rule_version` counts what changes
    matches; code is checked again for each.
    """

    document = models.OneToOneField(
        Document, models.CASCADE, primary_key=True, related_name="policy"
    )
    rule = models.TextField()
    language = models.CharField(max_length=40)
    include = models.JSONField(default=list, blank=True)
    exclude = models.JSONField(default=list, blank=True)
    severity = models.CharField(max_length=7, choices=Severity.choices, default=Severity.WARNING)
    message = models.CharField(max_length=500, blank=True)
    rule_version = models.PositiveIntegerField(default=1)

    class Meta:
        verbose_name_plural = "policies"

    def __str__(self) -> str:
        return str(self.document)


class Origin(models.TextChoices):
    """Who made an edge. What is not explicit is made again from what it was made of."""

    EXPLICIT = "explicit"
    TEXT = "text"
    POLICY = "policy"
    SEMANTIC = "semantic"


class Edge(models.Model):
    """`source` stands in the relation `type` to `target`; one of each type between two nodes.

    `weight` is 0.0-1.0; of a semantic edge it is the calibrated similarity, `cosine` the raw one.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="+", db_index=False)
    source = models.ForeignKey(Node, models.CASCADE, related_name="edges_out", db_index=False)
    target = models.ForeignKey(Node, models.CASCADE, related_name="edges_in", db_index=False)
    type = models.CharField(max_length=40)
    origin = models.CharField(max_length=8, choices=Origin.choices)
    weight = models.FloatField(null=True, blank=True)
    cosine = models.FloatField(null=True, blank=True)
    properties = models.JSONField(default=dict, blank=True)
    author = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["source", "target", "type"], name="edge_once"),
            models.CheckConstraint(
                condition=~Q(source=models.F("target")), name="edge_between_two_nodes"
            ),
        ]
        indexes = [
            models.Index(fields=["target", "type"], name="edge_inbound"),
            models.Index(fields=["organization", "type"], name="edge_of_organization"),
        ]

    def __str__(self) -> str:
        return f"{self.source_id} {self.type} {self.target_id}"


class Mention(models.Model):
    """A file's prose names a decision record; the edge follows once there is such a record.

    `key` is the record's, `qualified_name` of the enclosing definition, "" for the file's own text.
    """

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+", db_index=False)
    path = models.TextField()
    qualified_name = models.CharField(max_length=500, blank=True)
    line = models.PositiveIntegerField()
    key = models.CharField(max_length=140)
    type = models.CharField(max_length=40)

    class Meta:
        indexes = [
            models.Index(fields=["repository", "path"], name="mention_in_file"),
            models.Index(fields=["key", "repository"], name="mention_of_record"),
        ]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.type} {self.key}"


class CodeLinks(models.Model):
    """How far a repository's code is linked: the watermark that a crash is caught up from.

    Rows of files are replaced, never edited, and their ids grow with each apply of a repository:
    files with an id above `file_id` are new to the graph.
    """

    repository = models.OneToOneField(
        Repository, models.CASCADE, primary_key=True, related_name="code_links"
    )
    generation = models.BigIntegerField(default=0)
    file_id = models.BigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "code links"

    def __str__(self) -> str:
        return f"{self.repository_id} up to {self.file_id}"


class PolicyCheck(models.Model):
    """How far a policy is checked in a repository, as `CodeLinks` says it of links.

    `over_limit` names files of which the match was given up. `not_run` says why the policy is not
    run there, "": it is.
    """

    policy = models.ForeignKey(Policy, models.CASCADE, related_name="checks", db_index=False)
    repository = models.ForeignKey(Repository, models.CASCADE, related_name="+")
    rule_version = models.PositiveIntegerField(default=0)
    file_id = models.BigIntegerField(default=0)
    over_limit = models.JSONField(default=list, blank=True)
    not_run = models.TextField(blank=True, default="", db_default="")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["policy", "repository"], name="check_of_policy_once")
        ]
        indexes = [
            models.Index(
                fields=["repository"], condition=~Q(not_run=""), name="check_of_policy_not_run"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.policy_id} in {self.repository_id} up to {self.file_id}"
