"""Which store the environment names, in the words of the documentation and of a Helm chart."""

from collections.abc import Callable, Iterator

import psycopg
import pytest
from django.core.checks import run_checks
from django.core.exceptions import ImproperlyConfigured
from pytest_django import Settings

from central.corpus import backends
from central.settings.services import vector_store_url
from tests.indexer.store.points import a_collection, a_point
from tests.indexer.store.qdrant.server import StandIn, running_stand_in

Environ = Callable[..., None]


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch) -> Environ:
    """Sets these variables and no others of the store's."""
    for name in ("VECTOR_STORE_URL", "CODESEARCH_STORE_BACKEND", "QDRANT_URL"):
        monkeypatch.delenv(name, raising=False)

    def put(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return put


@pytest.fixture
def service_store(settings: Settings) -> Iterator[Callable[[str | None], None]]:
    """Makes an address the service's own."""

    def use(url: str | None) -> None:
        backends.close()
        settings.VECTOR_STORE_URL = url

    yield use
    backends.close()


@pytest.fixture
def qdrant() -> Iterator[StandIn]:
    with running_stand_in(api_key="key") as running:
        yield running


def test_shared_qdrant_backend(
    environ: Environ,
    service_store: Callable[[str | None], None],
    qdrant: StandIn,
    settings: Settings,
) -> None:
    """Collections with our prefix, in the instance that is there already."""
    environ(CODESEARCH_STORE_BACKEND="qdrant", QDRANT_URL=qdrant.url)
    service_store(vector_store_url())
    settings.QDRANT_API_KEY = "key"
    backends.vector_store().upsert(a_collection(), [a_point()])
    assert qdrant.held
    assert all(name.startswith("codesearch_") for name in qdrant.held)


def test_shared_postgresql_backend(
    environ: Environ, service_store: Callable[[str | None], None], settings: Settings
) -> None:
    """Tables in our schema, in the database that is there already."""
    environ(CODESEARCH_STORE_BACKEND="postgres")
    service_store(vector_store_url())
    collection = a_collection()
    backends.vector_store().upsert(collection, [a_point()])
    with psycopg.connect(settings.DATABASE_URL) as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_tables WHERE schemaname = 'codesearch'"
        ).fetchone()
    assert row
    assert row[0] >= 1
    assert len(list(backends.vector_store().points(collection))) == 1


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, None),
        ({"VECTOR_STORE_URL": "edge:/data"}, "edge:/data"),
        ({"CODESEARCH_STORE_BACKEND": "postgres"}, "postgresql:"),
        (
            {"CODESEARCH_STORE_BACKEND": "postgres", "VECTOR_STORE_URL": "postgres://db/x"},
            "postgres://db/x",
        ),
        (
            {"CODESEARCH_STORE_BACKEND": "qdrant", "QDRANT_URL": "http://qdrant:6333"},
            "qdrant://qdrant:6334",
        ),
        (
            {"CODESEARCH_STORE_BACKEND": "qdrant", "VECTOR_STORE_URL": "qdrants://q?jwt=true"},
            "qdrants://q?jwt=true",
        ),
    ],
)
def test_address_and_backend_say_the_same(
    environ: Environ, variables: dict[str, str], url: str | None
) -> None:
    environ(**variables)
    assert vector_store_url() == url


@pytest.mark.parametrize(
    ("variables", "says"),
    [
        ({"CODESEARCH_STORE_BACKEND": "sqlite"}, "must be qdrant or postgres"),
        ({"CODESEARCH_STORE_BACKEND": "qdrant"}, "QDRANT_URL=http://HOST:6333"),
        ({"CODESEARCH_STORE_BACKEND": "qdrant", "QDRANT_URL": "q"}, "QDRANT_URL must be http"),
        (
            {"CODESEARCH_STORE_BACKEND": "qdrant", "VECTOR_STORE_URL": "postgresql:"},
            "VECTOR_STORE_URL begins with 'postgresql:'. Unset one",
        ),
        (
            {"CODESEARCH_STORE_BACKEND": "postgres", "VECTOR_STORE_URL": "edge:/data"},
            "VECTOR_STORE_URL begins with 'edge:'. Unset one",
        ),
    ],
)
def test_address_and_backend_that_disagree_say_what_to_do(
    environ: Environ, variables: dict[str, str], says: str
) -> None:
    environ(**variables)
    with pytest.raises(ImproperlyConfigured) as caught:
        vector_store_url()
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("url", "public_url", "faults"),
    [
        ("postgresql:", None, 0),
        ("qdrant://q:6334?collections=organization", "qdrants://q", 0),
        ("qdrant://q?colections=project", None, 1),
        ("qdrant://key@q", "http://q:6333", 2),
        ("postgresql", None, 1),
    ],
)
def test_address_that_cannot_be_used_is_an_error_at_start(
    settings: Settings, url: str, public_url: str | None, faults: int
) -> None:
    settings.VECTOR_STORE_URL, settings.QDRANT_PUBLIC_URL = url, public_url
    found = [check for check in run_checks() if check.id == "aeterna.E001"]
    assert len(found) == faults
    assert all(check.hint for check in found)


@pytest.mark.parametrize(
    ("url", "api_key", "warnings"),
    [
        ("qdrant://vectors.example", "key", 1),
        ("qdrant://vectors.example", None, 0),
        ("qdrants://vectors.example", "key", 0),
        ("qdrant://127.0.0.1", "key", 0),
        ("qdrant://vectors.example?nonsense=1", "key", 0),
        ("postgresql:", "key", 0),
    ],
)
def test_key_that_a_network_can_read_is_warned_of(
    settings: Settings, url: str, api_key: str | None, warnings: int
) -> None:
    settings.VECTOR_STORE_URL, settings.QDRANT_API_KEY = url, api_key
    found = run_checks(include_deployment_checks=True)
    assert len([check for check in found if check.id == "aeterna.W002"]) == warnings
