"""The rows that the trace reads: references between files, packages and modules.

Imports, exports and references are a function of their file and replaced with it. Packages,
dependencies, modules and `File.package` are derived from all manifests of a repository at apply.
The repository of a row is its file's; it is kept beside, without a constraint, to filter by.
"""

from enum import StrEnum

from django.db import models
from django.db.models import Case, F, Func, Q, Value, When
from django.db.models.expressions import Combinable
from django.db.models.lookups import Exact

from central.corpus.models.content import File
from central.repositories.models import Repository
from indexer.records.manifests import Ecosystem
from indexer.records.references import Access, Binding, ReferenceKind
from indexer.records.scip import SCIP_BINDING


def _choices(options: type[StrEnum]) -> list[tuple[str, str]]:
    return [(option.value, option.value) for option in options]


_ECOSYSTEMS = _choices(Ecosystem)


def _repository() -> "models.ForeignKey[Repository, Repository]":  # written often, deleted rarely
    return models.ForeignKey(
        Repository, models.CASCADE, related_name="+", db_index=False, db_constraint=False
    )


def _last_name(of: Combinable) -> Func:
    return Func(of, Value("."), Value(-1), function="split_part", output_field=models.TextField())


class Import(models.Model):
    """A name that a file binds to something of another file (indexer.records.references)."""

    repository = _repository()
    file = models.ForeignKey(File, models.CASCADE, related_name="import_set", db_index=False)
    local = models.CharField(max_length=500, blank=True)
    module = models.CharField(max_length=500)
    path = models.CharField(max_length=1000)
    wildcard = models.BooleanField()
    line = models.PositiveIntegerField()

    class Meta:
        indexes = [
            models.Index(fields=["path", "repository"], name="import_path"),
            models.Index(fields=["file", "local"], name="import_local"),
            models.Index(
                _last_name(F("path")),
                "repository",
                condition=~Q(Exact(_last_name(F("path")), F("local"))) & Q(wildcard=False),
                name="import_alias",  # the few that are used under another name
            ),
            models.Index(
                _last_name(F("path")),
                "repository",
                condition=Q(Exact(_last_name(F("path")), F("local"))) | Q(wildcard=True),
                name="import_name",  # all others
            ),
        ]

    def __str__(self) -> str:
        return f"{self.local} = {self.path}"


class Export(models.Model):
    """A name that a file exports or re-exports; see indexer.records.references.Export."""

    repository = _repository()
    file = models.ForeignKey(File, models.CASCADE, related_name="export_set", db_index=False)
    name = models.CharField(max_length=500, blank=True)
    path = models.CharField(max_length=1000)
    is_local = models.BooleanField()
    wildcard = models.BooleanField()

    class Meta:
        indexes = [
            models.Index(fields=["path", "repository"], name="export_path"),
            models.Index(fields=["file", "name"], name="export_name"),
            models.Index(
                _last_name(F("path")),
                "repository",
                condition=~Q(Exact(_last_name(F("path")), F("name"))) & Q(wildcard=False),
                name="export_alias",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} = {self.path}"


class Reference(models.Model):
    """A reference as its file determines it; see indexer.records.references.Reference."""

    repository = _repository()
    file = models.ForeignKey(  # a check of each of 100,000 rows would add a third to writing them
        File, models.CASCADE, related_name="reference_set", db_index=False, db_constraint=False
    )
    ecosystem = models.CharField(max_length=10, choices=_ECOSYSTEMS)
    kind = models.CharField(max_length=10, choices=_choices(ReferenceKind))
    name = models.CharField(max_length=500)
    binding = models.CharField(
        max_length=10, choices=[*_choices(Binding), (SCIP_BINDING, SCIP_BINDING)]
    )
    root = models.CharField(max_length=500, blank=True)
    chain = models.CharField(max_length=500, blank=True)
    access = models.CharField(max_length=10, choices=_choices(Access))
    caller = models.CharField(max_length=500, blank=True)
    line = models.PositiveIntegerField()
    column = models.PositiveIntegerField()
    symbol = models.ForeignKey(
        "corpus.ScipSymbol",
        models.SET_NULL,
        null=True,
        related_name="+",
        db_index=False,
        db_constraint=False,
        help_text="What a compiler bound it to",
    )

    class Meta:
        indexes = [
            models.Index(fields=["file", "root"], name="reference_root"),
            models.Index(
                fields=["file", "caller"],
                condition=Q(kind__in=[ReferenceKind.INHERIT, ReferenceKind.TYPE]),
                name="reference_typing",
            ),
            models.Index(
                _last_name(Case(When(chain="", then=F("root")), default=F("chain"))),
                "repository",
                condition=Q(kind=ReferenceKind.TYPE),
                name="reference_type",  # what it names as the type
            ),
            models.Index(
                fields=["name", "ecosystem", "repository", "binding"], name="reference_name"
            ),
            models.Index(
                fields=["symbol"], condition=Q(symbol__isnull=False), name="reference_symbol"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} at {self.line}"


class Manifest(models.Model):
    """A manifest, as indexer.records.manifests.Manifest in JSON (see corpus.packages)."""

    repository = _repository()
    file = models.OneToOneField(File, models.CASCADE, related_name="manifest")
    data = models.JSONField()

    class Meta:
        indexes = [
            models.Index(fields=["repository"], name="manifest_repository"),
            models.Index(
                fields=["file"],
                name="manifest_problem",
                condition=models.Q(data__has_key="problem"),
            ),
        ]

    def __str__(self) -> str:
        return f"manifest {self.file_id}"


class Package(models.Model):
    """A package or a root without a name (`name` ""); `root` is its directory, "" the top."""

    repository = models.ForeignKey(Repository, models.CASCADE, related_name="package_set")
    ecosystem = models.CharField(max_length=10, choices=_ECOSYSTEMS)
    name = models.CharField(max_length=500, blank=True)
    version = models.CharField(max_length=200, blank=True)
    root = models.TextField(blank=True)
    manifest = models.TextField(help_text="Path of the manifest that declares it")

    class Meta:
        indexes = [models.Index(fields=["name", "ecosystem"], name="package_name")]

    def __str__(self) -> str:
        return f"{self.ecosystem}:{self.name}"


class Dependency(models.Model):
    """What a package asks for; `pinned` from a lock file or an exact requirement, else "".

    `locked`: no manifest asks for it, but a lock file has it, as what comes with another. `alias`:
    the name by which the package's code imports it, if it is renamed; then a row for each.
    """

    package = models.ForeignKey(Package, models.CASCADE, related_name="dependency_set")
    ecosystem = models.CharField(max_length=10, choices=_ECOSYSTEMS)
    name = models.CharField(max_length=500)
    required = models.CharField(max_length=200, blank=True)
    pinned = models.CharField(max_length=200, blank=True)
    locked = models.BooleanField(default=False, db_default=False)
    alias = models.CharField(max_length=500, blank=True, default="", db_default="")

    class Meta:
        indexes = [models.Index(fields=["name", "ecosystem"], name="dependency_name")]

    def __str__(self) -> str:
        return f"{self.name} {self.required}"


class Module(models.Model):
    """A name by which imports may refer to a file: a relation of many names to many files.

    `public`: other repositories may import it; else it is visible in its repository alone.
    `scope`: files of this name and package see one another's definitions without an import.
    """

    repository = _repository()
    file = models.ForeignKey(File, models.CASCADE, related_name="module_set")
    package = models.ForeignKey(Package, models.CASCADE, null=True, related_name="module_set")
    ecosystem = models.CharField(max_length=10, choices=_ECOSYSTEMS)
    name = models.CharField(max_length=1000)
    public = models.BooleanField()
    scope = models.BooleanField()

    class Meta:
        indexes = [models.Index(fields=["name", "repository"], name="module_name")]

    def __str__(self) -> str:
        return self.name
