"""Which embedder an organisation has: what may be set, what is checked first, what follows."""

from collections.abc import Iterator
from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import override_settings
from pytest_django import Settings

from central.repositories.models import Repository
from central.settings import services
from central.tenancy import checks
from central.tenancy.models import Organization, validate_embedder
from indexer.embedding.catalogue import DEFAULTS
from indexer.records.vectors import EmbedderConfig
from tests.embedding_servers import KEY, Server, ollama_server, openai_server

BUILTIN, OLLAMA, OPENAI = (str(DEFAULTS[name]) for name in ("builtin", "ollama", "openai"))


@pytest.fixture
def server(settings: Settings) -> Iterator[Server]:
    """An OpenAI; there is no Ollama."""
    with openai_server() as running:
        settings.EMBEDDER_ACCESS = EmbedderConfig(
            openai_api_key=KEY,
            openai_base_url=running.url,
            ollama_url="http://127.0.0.1:1",
            retry_seconds=0,
        )
        yield running


@pytest.fixture
def acme(db: None) -> Organization:
    """With two repositories that are indexed, and one that is not."""
    acme = Organization.objects.create(slug="acme")
    for name, generation in (("shop", 3), ("mail", 1), ("new", 0)):
        Repository.objects.create(
            organization=acme,
            name=name,
            tracked_ref="refs/heads/main",
            embedder=BUILTIN if generation else "",
            generation=generation,
        )
    return acme


def set_embedder(text: str, organization: str = "acme") -> str:
    output = StringIO()
    call_command("set_embedder", text, organization=organization, stdout=output)
    return output.getvalue()


def test_another_embedder_is_asked_once_and_then_set(acme: Organization, server: Server) -> None:
    told = set_embedder(OPENAI)
    acme.refresh_from_db()
    assert acme.embedder == OPENAI
    assert len(server.requests) == 1
    assert "2 repositories are indexed with another embedder" in told
    assert "until then searched with the vectors" in told


def test_the_same_embedder_leaves_nothing_to_do(acme: Organization) -> None:
    assert set_embedder(BUILTIN) == f"acme is now embedded by {BUILTIN}.\n"


@pytest.mark.parametrize(
    ("embedder", "why"),
    [
        (OLLAMA, "Ollama at http://127.0.0.1:1 did not answer .* check OLLAMA_URL"),
        ("openai/another/64", "has no another"),
        ("openai/text-embedding-3-small/3072", "write openai/text-embedding-3-small/1536"),
        ("builtin/our-own/64", "AETERNA_MODELS_DIR"),
        ("openai", "provider/model/dimensions"),
    ],
)
def test_an_embedder_that_does_not_serve_changes_nothing(
    acme: Organization, server: Server, embedder: str, why: str
) -> None:
    with pytest.raises(CommandError, match=f"{why}.* Nothing was changed"):
        set_embedder(embedder)
    acme.refresh_from_db()
    assert acme.embedder == BUILTIN


def test_vectors_of_another_length_change_nothing(acme: Organization, server: Server) -> None:
    server.models.add("bge")
    with pytest.raises(CommandError, match=r"1536 dimensions, .*set that to openai/bge/1536"):
        set_embedder("openai/bge/768")
    acme.refresh_from_db()
    assert acme.embedder == BUILTIN


def test_a_refused_key_is_not_shown(acme: Organization, server: Server) -> None:
    server.key = "another"
    with pytest.raises(CommandError, match="check OPENAI_API_KEY") as caught:
        set_embedder(OPENAI)
    assert KEY not in str(caught.value)


def test_an_unknown_organisation_is_named(db: None) -> None:
    with pytest.raises(CommandError, match="no organisation 'nobody'"):
        set_embedder(BUILTIN, "nobody")


def test_embedding_model_alignment(acme: Organization, settings: Settings) -> None:
    """Who says the same model gets vectors of the same length, or is told so before any work."""
    with ollama_server(768) as server:
        settings.EMBEDDER_ACCESS = EmbedderConfig(ollama_url=server.url, retry_seconds=0)
        with pytest.raises(
            CommandError, match=r"768 dimensions.*write ollama/nomic-embed-text/768"
        ):
            set_embedder("ollama/nomic-embed-text/1536")
        set_embedder(OLLAMA)
        server.dimensions = 512
        with pytest.raises(CommandError, match=r"512 dimensions.* is ollama/nomic-embed-text/768"):
            set_embedder(OLLAMA)


def test_an_organisation_is_made_with_the_embedder_that_is_named(db: None) -> None:
    call_command("create_organization", "umbrella", embedder=OPENAI)
    assert Organization.objects.get(slug="umbrella").embedder == OPENAI
    with pytest.raises(CommandError, match="write ollama/nomic-embed-text/768"):
        call_command("create_organization", "initech", embedder="ollama/nomic-embed-text/1")
    assert not Organization.objects.filter(slug="initech").exists()


def test_an_organisation_is_made_with_the_settings_embedder(db: None, settings: Settings) -> None:
    settings.DEFAULT_EMBEDDER = OLLAMA
    call_command("create_organization", "umbrella")
    assert Organization.objects.get(slug="umbrella").embedder == OLLAMA


@pytest.mark.parametrize(
    ("environ", "embedder"),
    [
        ({}, BUILTIN),
        ({"PROVIDER": "ollama"}, OLLAMA),
        ({"PROVIDER": "openai"}, OPENAI),
        (
            {"PROVIDER": "openai", "MODEL": "text-embedding-3-large"},
            "openai/text-embedding-3-large/3072",
        ),
        ({"PROVIDER": "openai", "DIMENSIONS": "512"}, "openai/text-embedding-3-small/512"),
        ({"PROVIDER": "ollama", "MODEL": "bge-m3", "DIMENSIONS": "1024"}, "ollama/bge-m3/1024"),
    ],
)
def test_newcomers_get_what_the_environment_says(
    environ: dict[str, str], embedder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(f"CODESEARCH_EMBEDDER_{name}", value)
    assert services.default_embedder() == embedder
    validate_embedder(embedder)


@pytest.mark.parametrize(
    "environ",
    [{"PROVIDER": "cohere"}, {"PROVIDER": "ollama", "MODEL": "bge-m3"}, {"DIMENSIONS": "768"}],
)
def test_what_cannot_be_meant_is_found_by_a_system_check(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(f"CODESEARCH_EMBEDDER_{name}", value)
    with override_settings(DEFAULT_EMBEDDER=services.default_embedder()):
        (found,) = checks.check_default_embedder()
    assert found.id == "aeterna.E006"
    assert "CODESEARCH_EMBEDDER_PROVIDER" in str(found.hint)


def test_services_are_where_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "https://gateway.example/v1/")
    monkeypatch.setenv("OLLAMA_URL", "http://ollama:11434/")
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    access = services.access()
    assert access.openai_base_url == "https://gateway.example/v1"
    assert access.ollama_url == "http://ollama:11434"
    assert access.openai_api_key == KEY
    assert KEY not in repr(access)
    assert access.timeout_seconds + access.retry_seconds < 4  # somebody waits for it


@pytest.mark.parametrize("url", ["ollama:11434", "http://user:secret@host", "", "http://"])
def test_an_address_that_is_none_is_found_and_not_repeated(url: str, settings: Settings) -> None:
    settings.EMBEDDER_ACCESS = EmbedderConfig(ollama_url=url)
    (found,) = checks.check_embedding_services()
    assert found.id == "aeterna.E007"
    assert "secret" not in f"{found.msg} {found.hint}"


def test_a_default_that_needs_a_key_is_warned_of_without_one(settings: Settings) -> None:
    settings.DEFAULT_EMBEDDER, settings.EMBEDDER_ACCESS = OPENAI, EmbedderConfig()
    (found,) = checks.check_key()
    assert found.id == "aeterna.W003"
    settings.EMBEDDER_ACCESS = EmbedderConfig(openai_api_key=KEY)
    assert list(checks.check_key()) == []


@pytest.mark.parametrize(
    "text", ["cohere/embed/4", "builtin/aeterna-static-1/128", "openai/x/4001"]
)
def test_an_embedder_that_cannot_be_is_refused_wherever_it_is_written(text: str) -> None:
    with pytest.raises(ValidationError, match="There is no embedder"):
        validate_embedder(text)
