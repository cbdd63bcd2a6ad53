"""Rows for tests."""

import factory
from django.utils import timezone
from factory.django import DjangoModelFactory

from central.corpus.models import (
    Dependency,
    Export,
    File,
    Import,
    Module,
    Package,
    Reference,
    Symbol,
)
from central.ingest.models import IndexRun
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Organization, Scope
from central.tenancy.tokens import new_token, token_digest
from indexer.relations import Access, Binding, Ecosystem, ReferenceKind


class OrganizationFactory(DjangoModelFactory[Organization]):
    """A tenant."""

    class Meta:
        model = Organization

    slug = factory.Sequence(lambda n: f"organization-{n}")


class ApiTokenFactory(DjangoModelFactory[ApiToken]):
    """A token that may index and search everything of its organisation."""

    class Meta:
        model = ApiToken

    class Params:
        token = factory.LazyFunction(new_token)  # pass `token=` to know it

    organization = factory.SubFactory(OrganizationFactory)
    prefix = factory.LazyAttribute(lambda self: self.token[:12])
    digest = factory.LazyAttribute(lambda self: token_digest(self.token))
    scopes = [Scope.INDEX, Scope.SEARCH]


class RepositoryFactory(DjangoModelFactory[Repository]):
    """A repository that has not been indexed."""

    class Meta:
        model = Repository

    organization = factory.SubFactory(OrganizationFactory)
    name = factory.Sequence(lambda n: f"repository-{n}")
    tracked_ref = "refs/heads/main"


class IndexRunFactory(DjangoModelFactory[IndexRun]):
    """An open run."""

    class Meta:
        model = IndexRun

    repository = factory.SubFactory(RepositoryFactory)
    ref = "refs/heads/main"
    commit_sha = factory.Sequence(lambda n: f"{n:040x}")
    generation = factory.SelfAttribute("repository.generation")
    extractor = "extractor-1"
    embedder = factory.SelfAttribute("repository.organization.embedder")
    touched_at = factory.LazyFunction(timezone.now)


class FileFactory(DjangoModelFactory[File]):
    """An indexed Python file."""

    class Meta:
        model = File

    repository = factory.SubFactory(RepositoryFactory)
    path = factory.Sequence(lambda n: f"src/file_{n}.py")
    mode = "100644"
    blob = factory.Sequence(lambda n: f"{n:040x}")
    content = ""
    size = factory.LazyAttribute(lambda self: len(self.content.encode()))
    extractor = "extractor-1"
    language = "python"


class SymbolFactory(DjangoModelFactory[Symbol]):
    """A function at a file's top level; pass `qualified_name` for one that is deeper."""

    class Meta:
        model = Symbol

    file = factory.SubFactory(FileFactory)
    repository = factory.SelfAttribute("file.repository")
    qualified_name = factory.Sequence(lambda n: f"function_{n}")
    name = factory.LazyAttribute(lambda self: self.qualified_name.rpartition(".")[2])
    kind = "function"
    start_line = 1
    end_line = factory.SelfAttribute("start_line")
    signature = factory.LazyAttribute(lambda self: f"def {self.name}():")
    exported = True
    parts = factory.LazyAttribute(lambda self: [self.name.lower()])


class ImportFactory(DjangoModelFactory[Import]):
    """An import by name; `path` is what it is of."""

    class Meta:
        model = Import

    file = factory.SubFactory(FileFactory)
    repository = factory.SelfAttribute("file.repository")
    path = factory.Sequence(lambda n: f"module_{n}.name")
    local = factory.LazyAttribute(
        lambda self: "" if self.wildcard else self.path.rpartition(".")[2]
    )
    module = factory.LazyAttribute(
        lambda self: self.path if self.wildcard else self.path.rpartition(".")[0]
    )
    wildcard = False
    line = 1


class ExportFactory(DjangoModelFactory[Export]):
    """A name that is given on from another module."""

    class Meta:
        model = Export

    file = factory.SubFactory(FileFactory)
    repository = factory.SelfAttribute("file.repository")
    path = factory.Sequence(lambda n: f"module_{n}.name")
    name = factory.LazyAttribute(lambda self: "" if self.wildcard else self.path.rpartition(".")[2])
    is_local = False
    wildcard = False


class ReferenceFactory(DjangoModelFactory[Reference]):
    """A call of `name`, at the top level, of which nothing is known."""

    class Meta:
        model = Reference

    file = factory.SubFactory(FileFactory)
    repository = factory.SelfAttribute("file.repository")
    ecosystem = Ecosystem.PYPI
    kind = ReferenceKind.CALL
    name = factory.Sequence(lambda n: f"function_{n}")
    binding = Binding.UNKNOWN
    root = ""
    chain = ""
    access = Access.PATH
    caller = ""
    line = 1
    column = 0


class PackageFactory(DjangoModelFactory[Package]):
    """A Python package at the repository's top."""

    class Meta:
        model = Package

    repository = factory.SubFactory(RepositoryFactory)
    ecosystem = Ecosystem.PYPI
    name = factory.Sequence(lambda n: f"package-{n}")
    version = "1.0.0"
    root = ""
    manifest = "pyproject.toml"


class DependencyFactory(DjangoModelFactory[Dependency]):
    """A package that another asks for, at any version."""

    class Meta:
        model = Dependency

    package = factory.SubFactory(PackageFactory)
    ecosystem = factory.SelfAttribute("package.ecosystem")
    name = factory.Sequence(lambda n: f"dependency-{n}")


class ModuleFactory(DjangoModelFactory[Module]):
    """A public name of a file in the file's package."""

    class Meta:
        model = Module

    file = factory.SubFactory(FileFactory)
    repository = factory.SelfAttribute("file.repository")
    package = factory.SelfAttribute("file.package")
    ecosystem = Ecosystem.PYPI
    name = factory.Sequence(lambda n: f"module_{n}")
    public = True
    scope = False
