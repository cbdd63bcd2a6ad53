"""The export of an organisation: whole, its own alone, and nothing secret in it."""

import hashlib
import json
import stat
import tarfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from central.corpus.models import Chunk, Reference, Symbol
from central.github.models import GitHubPolicy
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, AuditEntry, Organization
from tests.central.factories import (
    ApiTokenFactory,
    FileFactory,
    MembershipFactory,
    OrganizationFactory,
    RepositoryFactory,
)
from tests.central.protocol import api_of

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\ndef aa\n", "docs/ünïcode.md": "Grüße\n"}


def export(path: Path, slug: str = "acme") -> dict[str, bytes]:
    call_command("export_organization", slug, "--output", str(path), stdout=StringIO())
    with tarfile.open(path) as archive:
        return {one.name: archive.extractfile(one).read() for one in archive}  # type: ignore[union-attr]


def lines(content: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in content.splitlines()]


@pytest.fixture
def acme() -> Organization:
    api = api_of()
    api.index(FILES)
    MembershipFactory.create(organization=api.organization, user__username="ada")
    return api.organization


def test_everything_that_is_stored_of_it_is_there(acme: Organization, tmp_path: Path) -> None:
    found = export(tmp_path / "acme.tar.gz")
    repository = Repository.objects.get(organization=acme)
    place = f"repositories/{repository.pk}"
    (about,) = lines(found[f"{place}/repository.json"])
    assert about["name"] == repository.name
    assert about["last_indexed_commit"] == repository.last_indexed_commit
    files = {file["path"]: file["content"] for file in lines(found[f"{place}/files.ndjson"])}
    assert files == FILES
    assert not any("vector" in file for file in lines(found[f"{place}/files.ndjson"]))
    kinds = [line["type"] for line in lines(found[f"{place}/index.ndjson"])]
    for kind, model in {"chunk": Chunk, "symbol": Symbol, "reference": Reference}.items():
        assert kinds.count(kind) == model._default_manager.count() > 0
    assert [run["state"] for run in lines(found[f"{place}/runs.ndjson"])] == ["applied"]
    assert [member["username"] for member in lines(found["members.ndjson"])] == ["ada"]
    assert [one["slug"] for one in lines(found["organization.json"])] == ["acme"]
    actions = [entry["action"] for entry in lines(found["audit.ndjson"])]
    assert "organization.exported" in actions


def test_the_manifest_tells_whether_the_archive_is_whole(
    acme: Organization, tmp_path: Path
) -> None:
    path = tmp_path / "acme.tar.gz"
    found = export(path)
    manifest = json.loads(found.pop("manifest.json"))
    assert (manifest["format"], manifest["version"]) == ("aeterna-organization", 1)
    assert manifest["members"] == {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in found.items()
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_that_lets_somebody_in_is_there(acme: Organization, tmp_path: Path) -> None:
    token = ApiTokenFactory.create(organization=acme, token="aet_" + "s" * 43)
    GitHubPolicy.objects.create(organization=acme)
    found = b"".join(export(tmp_path / "acme.tar.gz").values())
    assert bytes(token.digest).hex().encode() not in found
    assert b'"digest"' not in found
    assert b"s" * 43 not in found
    assert b"password" not in found
    assert ApiToken.objects.get(pk=token.pk).prefix.encode() in found


def test_nothing_of_another_organisation_is_there(acme: Organization, tmp_path: Path) -> None:
    rival = OrganizationFactory.create(slug="rival")
    repository = RepositoryFactory.create(organization=rival, name="theirs")
    FileFactory.create(repository=repository, path="theirs.py", content="theirs")
    AuditEntry.objects.create(actor="x", action="y", target="theirs", organization="rival")
    assert b"theirs" not in b"".join(export(tmp_path / "acme.tar.gz").values())


def test_what_was_noted_of_one_that_had_the_slug_before_is_not_there(tmp_path: Path) -> None:
    AuditEntry.objects.create(actor="x", action="y", target="theirs", organization="acme")
    OrganizationFactory.create(slug="acme")
    AuditEntry.objects.create(actor="x", action="y", target="ours", organization="acme")
    audit = export(tmp_path / "acme.tar.gz")["audit.ndjson"]
    assert b"theirs" not in audit
    assert b"ours" in audit


def test_what_cannot_be_written_leaves_nothing(acme: Organization, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot be written"):
        export(tmp_path / "missing" / "acme.tar.gz")
    with pytest.raises(CommandError, match="no organisation"):
        export(tmp_path / "nobody.tar.gz", "nobody")
    assert list(tmp_path.iterdir()) == []
