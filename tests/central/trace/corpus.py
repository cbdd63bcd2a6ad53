"""Organisations in a few lines: real files through the real extractor, into real rows.

    repository("auth", {"pyproject.toml": PYPROJECT, "acme_auth/api.py": "def verify(): ..."})

leaves what an applied run would have left, without chunks and vectors: the trace reads none.
"""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from textwrap import dedent

from django.db import transaction
from django.utils import timezone

from central.corpus.packages import refresh_packages
from central.corpus.replace import CorpusDelta, RunContext, insert_files, remove_files
from central.repositories.models import Repository
from central.tenancy.models import Organization
from indexer.records.extractors import Extractor
from tests.central.search.corpus import extracted

COMMIT = "c0ffee" + "0" * 34


def organization_of(slug: str = "acme") -> Organization:
    """The organisation `slug`, made on first use."""
    return Organization.objects.get_or_create(slug=slug)[0]


def repository(
    name: str, files: Mapping[str, str | bytes], *, organization: Organization | None = None
) -> Repository:
    """A repository whose index holds `files`, whose text may be indented."""
    owner = organization or organization_of()
    made, _ = Repository.objects.get_or_create(
        organization=owner,
        name=name,
        defaults={
            "tracked_ref": "refs/heads/main",
            "web_url": f"https://forge.example/{owner.slug}/{name}",
        },
    )
    change_files(made, files)
    return made


def change_files(
    repository: Repository,
    files: Mapping[str, str | bytes],
    *,
    removed: tuple[str, ...] = (),
    commit: str = COMMIT,
) -> None:
    """Apply a run that adds `files` and removes `removed`."""
    records = [
        extracted(path, text if isinstance(text, bytes) else dedent(text).encode())
        for path, text in files.items()
    ]
    delta = CorpusDelta()
    with transaction.atomic():
        paths = [*files, *removed]
        remove_files(repository_id=repository.pk, paths=paths, delta=delta)
        insert_files(
            context=RunContext(
                repository_id=repository.pk, run_id=uuid.uuid4(), extractor=Extractor("test")
            ),
            records=[replace(record, chunks=()) for record in records],
            vectors={},
            delta=delta,
        )
        refresh_packages(
            repository_id=repository.pk,
            manifests_changed=delta.manifests,
            regular_changed=bool(delta.regular),
            inserted=delta.inserted,
        )
        repository.partly_parsed += delta.partly_parsed
        repository.generation += 1
        repository.last_indexed_commit = commit
        repository.indexed_at = timezone.now()
        repository.save()


def pyproject(name: str, *dependencies: str, version: str = "1.0.0") -> str:
    """A Python project's manifest."""
    listed = ", ".join(f'"{one}"' for one in dependencies)
    return f'[project]\nname = "{name}"\nversion = "{version}"\ndependencies = [{listed}]\n'
