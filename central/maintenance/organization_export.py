"""Export of an organisation's data, stored and derived, as one archive (decision 0029).

A tar of JSON documents and of NDJSON, a part at a time: memory does not grow with it, and the disk
needs room for one repository's largest member beside the archive. Vectors are left out, which are a
function of the text, and so are all credentials.
"""

import gzip
import hashlib
import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, Final

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, QuerySet
from django.utils import timezone

from central.corpus.dump import fact_lines
from central.corpus.models import File
from central.db import one_moment
from central.extensions import added
from central.github.models import GitHubPolicy
from central.ingest.models import IndexRun
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, AuditEntry, Invitation, Membership, Organization

FORMAT: Final = "aeterna-organization"
VERSION: Final = 1
MANIFEST: Final = "manifest.json"

_ROWS: Final = 500  # of files, whose texts are in memory
_SPOOLED_BYTES: Final = 8 * 1024 * 1024
# What a token is checked against, what lets a worker write, addresses that are secret; and vectors.
_LEFT_OUT: Final = frozenset({"digest", "claim", "sealed_address", "vector", "author_key"})


_Members = Iterator[tuple[str, Iterable[object]]]


def members_of(**tables: type[Model]) -> Callable[[Organization], _Members]:
    """Make the members of tables that have an `organization`, each with its name."""

    def members(organization: Organization) -> _Members:
        for name, model in tables.items():
            rows = model._default_manager.filter(organization=organization)
            yield f"{name}.ndjson", rows_of(rows)

    return members


def export_organization(organization: Organization, output: IO[bytes]) -> dict[str, Any]:
    """Write the archive and return its manifest, which is its last member.

    It is a snapshot of one moment. Not in a transaction.
    """
    digests: dict[str, dict[str, object]] = {}
    with (
        one_moment(),
        gzip.GzipFile(fileobj=output, mode="wb", compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
    ):
        for name, lines in _members(organization):
            digests[name] = _add(archive, name, lines)
        manifest = {
            "format": FORMAT,
            "version": VERSION,
            "organization": organization.slug,
            "exported_at": timezone.now(),
            "members": digests,
        }
        _add(archive, MANIFEST, [manifest])
    return manifest


def _members(organization: Organization) -> _Members:
    yield "organization.json", [_row(organization)]
    of_it = {"organization": organization}
    policies = GitHubPolicy.objects.filter(**of_it)
    yield "github_policy.ndjson", map(_row, policies)
    yield "members.ndjson", _memberships(organization)
    yield "invitations.ndjson", rows_of(Invitation.objects.filter(**of_it))
    yield "tokens.ndjson", rows_of(ApiToken.objects.filter(**of_it))
    yield "audit.ndjson", rows_of(_audit_rows(organization))
    for repository in Repository.objects.filter(**of_it, retired_at=None).order_by("name"):
        place = f"repositories/{repository.pk}"
        yield f"{place}/repository.json", [_row(repository)]
        yield f"{place}/runs.ndjson", rows_of(IndexRun.objects.filter(repository=repository))
        yield f"{place}/files.ndjson", rows_of(_files(repository))
        yield f"{place}/index.ndjson", fact_lines(repository)
    for members in added("exports"):
        yield from members(organization)


def _files(repository: Repository) -> QuerySet[File]:
    return File.objects.filter(repository=repository).defer("vector")


def _memberships(organization: Organization) -> Iterator[dict[str, object]]:
    memberships = Membership.objects.filter(organization=organization).select_related("user")
    for membership in memberships:
        user = membership.user
        yield {**_row(membership), "username": user.get_username(), "email": user.email}


def _audit_rows(organization: Organization) -> QuerySet[AuditEntry]:
    """Return its entries only: those of a purged organisation of the same slug stay."""
    since = organization.created_at
    return AuditEntry.objects.filter(organization=organization.slug, at__gte=since)


def rows_of(rows: "QuerySet[Any]") -> Iterator[dict[str, object]]:
    """Yield every row by column name, without secrets and vectors."""
    for row in rows.order_by("pk").iterator(chunk_size=_ROWS):
        yield _row(row)


def _row(row: Model) -> dict[str, object]:
    """Return every column by name, without secrets and vectors."""
    return {
        field.attname: field.value_from_object(row)
        for field in row._meta.concrete_fields
        if field.attname not in _LEFT_OUT
    }


def _add(archive: tarfile.TarFile, name: str, lines: Iterable[object]) -> dict[str, object]:
    """Add a member; its size comes first, so it is written to a temporary file."""
    digest = hashlib.sha256()
    with tempfile.SpooledTemporaryFile(max_size=_SPOOLED_BYTES) as file:
        for line in lines:
            data = json.dumps(line, cls=DjangoJSONEncoder, ensure_ascii=False).encode() + b"\n"
            digest.update(data)
            file.write(data)
        information = tarfile.TarInfo(name)
        information.size, information.mode = file.tell(), 0o600
        information.mtime = int(timezone.now().timestamp())
        file.seek(0, io.SEEK_SET)
        archive.addfile(information, file)
    return {"bytes": information.size, "sha256": digest.hexdigest()}
