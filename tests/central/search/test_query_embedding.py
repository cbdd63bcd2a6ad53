"""Queries that a service embeds: asked for once, and not for long."""

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from django.core.cache import caches
from pytest_django import Settings

from aeterna_code_search.contract.search import Mode, SearchAnswer, SearchRequest
from central.search import query_preparation
from central.search.service import search
from central.tenancy.models import Organization
from indexer.errors import EmbedderUnavailableError
from indexer.records.vectors import EmbedderConfig
from tests.central.search.conftest import AUTH
from tests.central.search.corpus import credential_for, index_repository
from tests.embedding_servers import KEY, Server, Trouble, ollama_server, openai_server

SPEC = "openai/text-embedding-3-small/64"


@pytest.fixture
def server(settings: Settings) -> Iterator[Server]:
    with openai_server(64) as running:
        settings.EMBEDDER_ACCESS = EmbedderConfig(
            openai_api_key=KEY, openai_base_url=running.url, timeout_seconds=1.0, retry_seconds=0
        )
        caches["queries"].clear()
        yield running


def indexed(slug: str, server: Server, embedder: str = SPEC) -> Organization:
    organization = Organization.objects.create(slug=slug, embedder=embedder)
    index_repository(organization, "auth-service", AUTH)
    server.requests.clear()
    return organization


@pytest.fixture
def acme(db: None, server: Server) -> Organization:
    return indexed("acme", server)


def find(organization: Organization, *queries: str, mode: Mode = Mode.HYBRID) -> SearchAnswer:
    return search(
        credential=credential_for(organization),
        request=SearchRequest(queries=queries, mode=mode),
    )


def test_similarity_is_of_the_services_vectors(acme: Organization) -> None:
    first = find(acme, "why authentication was refused", mode=Mode.SEMANTIC).results[0]
    assert first.name == "refuse"
    assert first.similarity
    assert first.similarity > 0.3


def test_a_query_is_embedded_once(acme: Organization, server: Server) -> None:
    answers = [find(acme, "where are tokens validated").results for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert server.texts == ["where are tokens validated"]


def test_queries_of_one_search_are_one_request_for_those_that_are_new(
    acme: Organization, server: Server
) -> None:
    find(acme, "one")
    find(acme, "two", "one", "three", "two")
    assert [body["input"] for body in server.requests] == [["one"], ["two", "three"]]


def test_what_is_quoted_goes_to_no_embedding_service(acme: Organization, server: Server) -> None:
    """It may be a secret. It stands nowhere, so it is searched by its words here."""
    answer = find(acme, '"verify the secret signature of a JWT"')
    assert not answer.results
    assert answer.instead
    assert answer.instead.results[0].name == "validate_token"
    assert server.texts == []


def test_what_one_organisation_asked_is_not_known_to_another(
    acme: Organization, server: Server
) -> None:
    rival = indexed("rival", server)
    find(acme, "our secret plan")
    find(rival, "our secret plan")
    assert server.texts == ["our secret plan"] * 2


def test_queries_of_the_built_in_model_are_not_kept(db: None, server: Server) -> None:
    umbrella = indexed("umbrella", server, "builtin/aeterna-static-1/256")
    find(umbrella, "tokens")
    assert not caches["queries"]._cache


@pytest.mark.parametrize("trouble", [Trouble.BROKEN, Trouble.SLOW, Trouble.DROPPED, Trouble.BUSY])
def test_a_search_without_its_embedder_says_what_it_lacks(
    acme: Organization, server: Server, trouble: Trouble
) -> None:
    server.troubles, server.retry_after = [trouble], "60"
    answer = find(acme, "validate_token")
    assert answer.results[0].name == "validate_token"
    assert answer.results[0].similarity is None
    (missing,) = answer.receipt.missing
    assert (missing.project, missing.reason) == ("auth-service", "embedder_unavailable")
    assert not answer.receipt.complete
    assert answer.receipt.took_ms < 5_000
    assert find(acme, "validate_token").receipt.complete


def test_two_services_are_asked_at_the_same_time(
    acme: Organization, server: Server, settings: Settings
) -> None:
    acme.embedder = "ollama/nomic-embed-text/768"
    acme.save()
    with ollama_server() as ollama:
        settings.EMBEDDER_ACCESS = replace(settings.EMBEDDER_ACCESS, ollama_url=ollama.url)
        index_repository(acme, "billing", AUTH)
        server.barrier = ollama.barrier = threading.Barrier(2)
        answer = find(acme, "validate_token")
    assert answer.receipt.complete


def test_a_semantic_search_needs_an_embedder(acme: Organization, server: Server) -> None:
    server.troubles = [Trouble.BROKEN]
    with pytest.raises(EmbedderUnavailableError, match=SPEC):
        find(acme, "tokens", mode=Mode.SEMANTIC)


def test_a_service_that_is_away_is_not_waited_for_by_every_search(
    acme: Organization, server: Server
) -> None:
    find(acme, "asked before")
    server.troubles = [Trouble.BROKEN] * 9
    answers = [find(acme, f"query {n}") for n in range(6)]
    assert not any(answer.receipt.complete for answer in answers)
    assert len(server.requests) == 3
    assert find(acme, "asked before").receipt.complete  # its vector is known


def test_a_service_that_is_back_is_asked_again(
    acme: Organization, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_preparation, "_PAUSE_SECONDS", 0.0)
    server.troubles = [Trouble.BROKEN] * 3
    for n in range(3):
        assert not find(acme, f"query {n}").receipt.complete
    assert find(acme, "query").receipt.complete


def test_no_key_lacks_similarity_and_nothing_else(acme: Organization, settings: Settings) -> None:
    settings.EMBEDDER_ACCESS = EmbedderConfig()
    answer = find(acme, "validate_token")
    assert answer.results[0].name == "validate_token"
    assert answer.receipt.missing[0].reason == "embedder_unavailable"
