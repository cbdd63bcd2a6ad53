"""What SCIP indexes say of files (indexer.records.scip).

A document is stored as it came, with its file's blob: what is derived of it, here and in
`Reference.symbol`, is made again whenever the file's rows are replaced.
"""

from django.db import models

from central.corpus.models.content import File
from central.repositories.models import Repository


class ScipDocument(models.Model):
    """A document of an index: its facts are deflated JSON, as `corpus.scip` packs them.

    `file_id` is the file whose rows it was put into: another one at its path is to get them.
    """

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="scip_document_set", db_index=False
    )
    path = models.TextField()
    blob = models.CharField(max_length=64)
    tool = models.CharField(max_length=250, help_text="The indexer's name and version")
    digest = models.CharField(max_length=32)
    facts = models.BinaryField()
    file_id = models.BigIntegerField(null=True)
    cut = models.PositiveIntegerField(help_text="Occurrences that a limit left out, of the client")
    left_out = models.PositiveIntegerField(
        default=0, help_text="Occurrences beyond three times the file's references"
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["repository", "path"], name="scip_path_in_repository")
        ]
        indexes = [models.Index(fields=["file_id"], name="scip_document_file")]

    def __str__(self) -> str:
        return self.path


class ScipSymbol(models.Model):
    """A symbol that a repository's documents mention, without a version; `name` is its last."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    text = models.CharField(max_length=1000)
    name = models.CharField(max_length=500)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["text", "repository"], name="scip_symbol_in_repository")
        ]
        indexes = [
            models.Index(fields=["name", "repository"], name="scip_symbol_name"),
            models.Index(fields=["repository"], name="scip_symbol_repository"),
        ]

    def __str__(self) -> str:
        return self.text


class ScipDefinition(models.Model):
    """The definition of ours that a symbol names, by its qualified name."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    file = models.ForeignKey(File, models.CASCADE, related_name="+", db_constraint=False)
    symbol = models.ForeignKey(ScipSymbol, models.CASCADE, related_name="+", db_constraint=False)
    qualified_name = models.CharField(max_length=500)

    def __str__(self) -> str:
        return self.qualified_name


class ScipRelationship(models.Model):
    """A symbol, defined in a file, that implements another."""

    repository = models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )
    file = models.ForeignKey(File, models.CASCADE, related_name="+", db_constraint=False)
    symbol = models.ForeignKey(ScipSymbol, models.CASCADE, related_name="+", db_constraint=False)
    implemented = models.ForeignKey(
        ScipSymbol, models.CASCADE, related_name="+", db_constraint=False
    )

    def __str__(self) -> str:
        return f"{self.symbol_id} → {self.implemented_id}"
