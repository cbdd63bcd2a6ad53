"""Embedding services end to end: the real service and the real indexer, stand-ins over HTTP."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here
from tests.embedding_servers import KEY, Server, ollama_server, openai_server

FILES = {
    "src/backoff.py": "def retry_with_backoff(call, attempts):\n    return call(attempts)\n",
    "src/invoice.py": "def total_of_lines(lines):\n    return sum(line.amount for line in lines)\n",
}


@dataclass
class Place:
    """A service whose newcomers get OpenAI's embedder, and both stand-ins."""

    service: Service
    openai: Server
    ollama: Server

    @property
    def variables(self) -> dict[str, str]:
        """What service and indexers are told alike."""
        return {
            "OPENAI_API_KEY": KEY,
            "OPENAI_BASE_URL": self.openai.url,
            "OLLAMA_URL": self.ollama.url,
        }


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    with (
        prepared_data_directory() as directory,
        openai_server() as openai,
        ollama_server() as ollama,
    ):
        place = Place(Service(directory), openai, ollama)
        provider = {"CODESEARCH_EMBEDDER_PROVIDER": "openai"}
        with running_service(directory, place.variables | provider) as place.service:
            yield place


@dataclass
class Indexed:
    """An organisation that is embedded by OpenAI, and what was seen while it was."""

    organization: Organization
    clone: Path
    report: dict[str, Any]
    first: tuple[str, float]


@pytest.fixture(scope="module")
def indexed(place: Place, tmp_path_factory: pytest.TempPathFactory) -> Indexed:
    acme = place.service.organization("acme")
    clone = new_repository(tmp_path_factory.mktemp("git") / "shop")
    write_files(clone, FILES)
    commit_all(clone, "First commit")
    report = index_here(acme, clone, "shop", **place.variables)
    return Indexed(acme, clone, report, first_of(acme, "retry with backoff"))


def first_of(organization: Organization, query: str) -> tuple[str, float]:
    """The best hit by similarity alone: its name, and how similar it is."""
    answer = organization.search(query, mode="semantic")
    assert answer["receipt"]["complete"]
    first = answer["results"][0]
    return first["name"], first["similarity"]


def test_use_openai_embeddings(place: Place, indexed: Indexed) -> None:
    report = indexed.report
    assert report["embedded"] == report["chunks"] == 2
    assert report["embedding"]["requests"] == 2  # one sees that it answers
    assert report["embedding"]["tokens"] > 0
    assert report["embedding"]["cost_usd"] is None  # of another host than OpenAI's own
    assert {body["model"] for body in place.openai.requests} == {"text-embedding-3-small"}
    assert "retry with backoff" in place.openai.texts
    name, similarity = indexed.first
    assert name == "retry_with_backoff"
    assert similarity > 0.3


def test_use_ollama_embeddings(place: Place, indexed: Indexed) -> None:
    """In an organisation that changes to it, where nothing goes dark meanwhile."""
    acme, embedder = indexed.organization, "ollama/nomic-embed-text/768"
    told = place.service.manage("set_embedder", "--organization", "acme", embedder).stdout
    assert "1 repository is indexed with another embedder" in told

    assert first_of(acme, "total of lines")[0] == "total_of_lines"
    assert "total of lines" in place.openai.texts

    report = index_here(acme, indexed.clone, "shop", **place.variables)
    assert (report["mode"], report["reason"]) == ("full", "embedder_changed")
    assert report["embedded"] == 2
    assert {body["model"] for body in place.ollama.requests} == {"nomic-embed-text"}
    assert any(text.startswith("search_document: invoice\n") for text in place.ollama.texts)
    name, similarity = first_of(acme, "total of the lines")
    assert name == "total_of_lines"
    assert similarity > 0.3
    assert "search_query: total of the lines" in place.ollama.texts
    (row,) = acme.get("index/status")["projects"]
    assert row["embedder"] == embedder


def test_vectors_of_another_length_are_refused_before_any_file_is_read(
    place: Place, indexed: Indexed
) -> None:
    hooli = place.service.organization("hooli")
    with openai_server(512) as other:
        other.is_rigid = True
        done = hooli.try_index(
            indexed.clone,
            "shop",
            environment={**place.variables, "OPENAI_BASE_URL": other.url},
        )
    assert done.returncode == 3
    assert "makes vectors of 512 dimensions" in done.stderr
    assert "openai/text-embedding-3-small/1536" in done.stderr
    assert "Traceback" not in done.stderr
    assert [len(body["input"]) for body in other.requests] == [1]
