"""`codesearch chunkhound export`: what a person types, and is told."""

import re
import subprocess
from pathlib import Path

import duckdb
import pytest

from scripts.local_service import Organization, Service
from tests.cli.command import codesearch
from tests.cli.conftest import MakeRepository
from tests.e2e.indexing import index_here
from tests.embedding_servers import KEY, openai_server

FILES = {"a.py": "def a():\n    return 1\n", "b.md": "# B\n\nOf a and b.\n"}


@pytest.fixture
def organization(service: Service) -> Organization:
    return service.organization("chunkhound-export")


def export(
    *arguments: str, directory: Path, organization: Organization, **environ: str
) -> subprocess.CompletedProcess[str]:
    named = {
        "AETERNA_URL": organization.service.url,
        "AETERNA_TOKEN": organization.token,
        "AETERNA_ORGANIZATION": organization.slug,
        "HOME": str(directory.parent),  # without a secrets.yaml
    }
    return codesearch(
        "chunkhound", "export", *arguments, directory=directory, environ=named | environ
    )


def count(file: Path, table: str) -> int:
    with duckdb.connect(str(file), read_only=True) as database:
        ((found,),) = database.execute(f"SELECT count(*) FROM {table}").fetchall()  # noqa: S608
    return int(found)


def test_a_project_of_a_central_service_is_exported(
    organization: Organization, make_repository: MakeRepository
) -> None:
    root = make_repository("exported", FILES)
    commit = index_here(organization, root, "exported")["last_indexed_commit"]
    with openai_server() as server:
        given = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": server.url}
        done = export("chunks.db", directory=root, organization=organization, **given)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    first, second = done.stderr.splitlines()
    named = f"exported at commit {commit[:12]}"
    assert first == f"chunks.db: 2 files, 2 chunks, 2 embeddings of {named}."
    assert re.fullmatch(r"Embedded by 2 requests, \d+ tokens.", second)
    assert count(root / "chunks.db", "embeddings_1536") == 2
    assert KEY not in done.stderr


def test_the_project_may_be_named(
    organization: Organization, make_repository: MakeRepository, tmp_path: Path
) -> None:
    root = make_repository("here", FILES)
    index_here(organization, root, "called-otherwise")
    said = export("--no-embeddings", "x.db", directory=root, organization=organization)
    assert said.returncode == 3
    assert "here is not indexed" in said.stderr
    named = ("--project", "called-otherwise", "--no-embeddings", str(tmp_path / "x.db"))
    done = export(*named, directory=root, organization=organization)
    assert done.returncode == 0, done.stderr
    assert count(tmp_path / "x.db", "chunks") == 2


def test_without_a_key_nothing_is_begun(
    organization: Organization, make_repository: MakeRepository
) -> None:
    root = make_repository("keyless", FILES)
    done = export("chunks.db", directory=root, organization=organization)
    assert done.returncode == 2
    assert "OPENAI_API_KEY is not set" in done.stderr
    assert "--no-embeddings" in done.stderr
    assert not list(root.glob("chunks.db*"))


def test_a_checkout_neither_gives_a_key_nor_names_a_server(
    organization: Organization, make_repository: MakeRepository
) -> None:
    secrets = f"OPENAI_API_KEY: {KEY}\nOPENAI_BASE_URL: http://127.0.0.1:9/v1\n"
    hostile = dict.fromkeys((".onetool/secrets.yaml", "secrets.yaml", ".env"), secrets)
    root = make_repository("hostile", FILES | hostile)
    index_here(organization, root, "hostile")
    done = export("chunks.db", directory=root, organization=organization)
    assert done.returncode == 2
    assert "OPENAI_API_KEY is not set" in done.stderr


def test_what_is_there_is_told_with_the_way_to_overwrite_it(
    organization: Organization, make_repository: MakeRepository
) -> None:
    root = make_repository("there", FILES)
    index_here(organization, root, "there")
    (root / "chunks.db").write_text("mine")
    done = export("--no-embeddings", "chunks.db", directory=root, organization=organization)
    assert done.returncode == 2
    assert "overwrite it with --force" in done.stderr
    forced = ("--no-embeddings", "--force", "chunks.db")
    assert export(*forced, directory=root, organization=organization).returncode == 0
