"""Organisations in a few lines: real files through the real extractor, into real rows.

    repository("auth", {"pyproject.toml": PYPROJECT, "acme_auth/api.py": "def verify(): ..."})

leaves what an applied run would have left, without chunks and vectors: the trace reads none.
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import md5
from textwrap import dedent

from django.apps import apps
from django.db import connection, transaction
from django.utils import timezone

from central.corpus.models import File
from central.corpus.replace import Replacement
from central.corpus.rows import RunContext, encode_files
from central.repositories.models import Repository
from central.tenancy.models import Organization
from indexer.records.extractors import Extractor
from indexer.records.scip import ScipDocument, ScipPlace
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
    documents: Sequence[ScipDocument] = (),
    removed_documents: Sequence[str] = (),
) -> None:
    """Apply a run that adds `files` and removes `removed`, with documents of an index."""
    records = [
        extracted(path, text if isinstance(text, bytes) else dedent(text).encode())
        for path, text in files.items()
    ]
    replaced = Replacement(repository.pk)
    with transaction.atomic():
        replaced.remove_files([*files, *removed])
        context = RunContext(
            repository_id=repository.pk, run_id=uuid.uuid4(), extractor=Extractor("test")
        )
        files = encode_files(context, [replace(record, chunks=()) for record in records])
        replaced.insert_files([files], {})
        replaced.put_documents(documents, removed_documents)
        replaced.finish()
        repository.partly_parsed += replaced.partly_parsed
        repository.generation += 1
        repository.last_indexed_commit = commit
        repository.indexed_at = timezone.now()
        repository.save(
            update_fields=[
                "partly_parsed",
                "generation",
                "last_indexed_commit",
                "indexed_at",
            ]
        )


def analyse() -> None:
    """Tell PostgreSQL how many rows there are: else it chooses plans for another test's rows."""
    models = (
        *apps.get_app_config("corpus").get_models(),
        *apps.get_app_config("edges").get_models(),
    )
    tables = [model._meta.db_table for model in models]
    with connection.cursor() as cursor:
        cursor.execute(f"ANALYZE {', '.join(tables)}")


def pyproject(name: str, *dependencies: str, version: str = "1.0.0") -> str:
    """A Python project's manifest."""
    listed = ", ".join(f'"{one}"' for one in dependencies)
    return f'[project]\nname = "{name}"\nversion = "{version}"\ndependencies = [{listed}]\n'


def add_scip(repository: Repository, documents: Mapping[str, Mapping[str, str]]) -> None:
    """Apply a run with an index: `{"app/main.py": {"box.|go(": "scip-python … Box#go()."}}`.

    The bar stands before a name; `def |go` and the like is a definition. `{"Mine#": "< Base#"}`
    says that one symbol implements another.
    """
    change_files(
        repository, {}, documents=[_document(repository, *one) for one in documents.items()]
    )


def _document(repository: Repository, path: str, marks: Mapping[str, str]) -> ScipDocument:
    file = File.objects.get(repository=repository, path=path)
    pairs = [(one, to) for one, to in marks.items() if to.startswith("< ")]
    places = [(one, to) for one, to in marks.items() if not to.startswith("< ")]
    symbols = sorted({*(to.removeprefix("< ") for _, to in marks.items()), *(a for a, _ in pairs)})
    found = [
        (_is_definition(mark), ScipPlace(*_position(file.content, mark), symbols.index(to)))
        for mark, to in places
    ]
    return ScipDocument(
        path=path,
        blob=file.blob,
        tool="scip-test 1.0",
        digest=md5(repr(sorted(marks.items())).encode(), usedforsecurity=False).hexdigest(),
        symbols=tuple(symbols),
        definitions=tuple(sorted(place for is_definition, place in found if is_definition)),
        references=tuple(sorted(place for is_definition, place in found if not is_definition)),
        relationships=tuple(
            sorted((symbols.index(one), symbols.index(to.removeprefix("< "))) for one, to in pairs)
        ),
    )


def _is_definition(mark: str) -> bool:
    return mark.startswith(("def |", "class |", "function |", "interface |", "method "))


def _position(text: str, mark: str) -> tuple[int, int]:
    at = text.index(mark.removeprefix("method ").replace("|", ""))
    before = text[: at + mark.removeprefix("method ").index("|")]
    return before.count("\n") + 1, len(before) - before.rfind("\n") - 1
