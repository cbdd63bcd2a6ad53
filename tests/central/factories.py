"""Rows for tests."""

from datetime import timedelta
from hashlib import sha256
from secrets import token_urlsafe

import factory
from django.contrib.auth.models import User
from django.utils import timezone
from factory.django import DjangoModelFactory

from central.corpus.models import (
    Dependency,
    File,
    Module,
    Package,
)
from central.ingest.models import IndexRun
from central.knowledge.models import Document, Edge, Node, NodeKind, Origin, Policy
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Invitation, Membership, Organization, Scope
from central.tenancy.tokens import new_token, token_digest
from indexer.records.manifests import Ecosystem


class OrganizationFactory(DjangoModelFactory[Organization]):
    """A tenant."""

    class Meta:
        model = Organization

    slug = factory.Sequence(lambda n: f"organization-{n}")


class UserFactory(DjangoModelFactory[User]):
    """A person who may sign in with the password of tests."""

    class Meta:
        model = User
        skip_postgeneration_save = True

    username = factory.Sequence(lambda n: f"person-{n}")
    password = factory.django.Password("correct horse battery staple")


class MembershipFactory(DjangoModelFactory[Membership]):
    """A person of an organisation, who searches."""

    class Meta:
        model = Membership

    user = factory.SubFactory(UserFactory)
    organization = factory.SubFactory(OrganizationFactory)


class InvitationFactory(DjangoModelFactory[Invitation]):
    """An open invitation, made by an admin of its organisation."""

    class Meta:
        model = Invitation

    class Params:
        code = factory.LazyFunction(lambda: f"aei_{token_urlsafe(32)}")  # pass `code=` to know it
        admin = factory.SubFactory(
            MembershipFactory, organization=factory.SelfAttribute("..organization"), role="admin"
        )

    organization = factory.SubFactory(OrganizationFactory)
    created_by = factory.SelfAttribute("admin.user")
    prefix = factory.LazyAttribute(lambda self: self.code[:12])
    digest = factory.LazyAttribute(lambda self: sha256(self.code.encode()).digest())
    expires_at = factory.LazyFunction(lambda: timezone.now() + timedelta(days=7))


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


class NodeFactory(DjangoModelFactory[Node]):
    """A node of an organisation, of no repository."""

    class Meta:
        model = Node

    organization = factory.SubFactory(OrganizationFactory)
    kind = NodeKind.KNOWLEDGE
    key = factory.Sequence(lambda n: f"adr-{n}")


class DocumentFactory(DjangoModelFactory[Document]):
    """What was written of a node."""

    class Meta:
        model = Document

    node = factory.SubFactory(NodeFactory)
    public_id = factory.LazyAttribute(lambda document: document.node.key.upper())
    title = "Use PostgreSQL"


class PolicyFactory(DjangoModelFactory[Policy]):
    """A rule of a document of its own."""

    class Meta:
        model = Policy

    document = factory.SubFactory(DocumentFactory, node__kind=NodeKind.POLICY)
    rule = "rule:\n  pattern: print($A)"
    language = "python"


class EdgeFactory(DjangoModelFactory[Edge]):
    """Between two nodes of one organisation."""

    class Meta:
        model = Edge

    organization = factory.SubFactory(OrganizationFactory)
    source = factory.SubFactory(NodeFactory, organization=factory.SelfAttribute("..organization"))
    target = factory.SubFactory(NodeFactory, organization=factory.SelfAttribute("..organization"))
    type = "RELATES_TO"
    origin = Origin.EXPLICIT
