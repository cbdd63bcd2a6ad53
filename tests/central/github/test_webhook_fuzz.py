"""Whatever comes to GitHub's address: never a server error, and nothing stored unverified."""

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_django import Settings as DjangoSettings

from central.errors import InvalidError
from central.github.events import Event, Ignored, read_event
from central.github.models import GitHubDelivery, GitHubPolicy
from central.ingest.services.claims import sweep
from central.repositories.models import Push, Repository
from central.tenancy.models import Organization
from tests.central.factories import RepositoryFactory
from tests.central.github import payloads
from tests.central.github.payloads import APP_SECRET, OWNER_ID, GitHub
from tests.property_settings import examples

pytestmark = pytest.mark.django_db

FEW = examples(25)  # each is a request

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(max_size=20)
    | st.sampled_from(["\0", "", payloads.ZEROS, 2**63, -1, 0, 1e400, "x" * 5000, "refs/heads/"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3)
    ),
    max_leaves=10,
)
EVENTS = st.sampled_from([event for event, _ in payloads.EXAMPLES]) | st.text(max_size=70)
HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=255), max_size=120)


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A real event with some members replaced by, or without, whatever."""
    event, example = draw(st.sampled_from(payloads.EXAMPLES))
    payload = copy.deepcopy(example)
    for _ in range(draw(st.integers(1, 3))):
        place: Any = payload
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if not isinstance(place[key], dict | list) or draw(st.booleans()):
                place[key] = draw(JSON)
                break
            place = place[key]
    return event, payload


@pytest.fixture(autouse=True)
def shop(settings: DjangoSettings) -> Repository:
    settings.GITHUB_WEBHOOK_SECRET = APP_SECRET
    acme = Organization.objects.create(slug="acme", github_owner_id=OWNER_ID)
    GitHubPolicy.objects.create(organization=acme)
    for name in ("web", "store"):
        RepositoryFactory.create(organization=acme, name=name)
    return RepositoryFactory.create(
        organization=acme, name="shop", forge_key=payloads.REPOSITORY_ID, generation=1
    )


def tables() -> list[Any]:
    models = (GitHubDelivery, Push, Repository, GitHubPolicy)
    return [list(model.objects.order_by("pk").values()) for model in models]


def read(event: str, payload: dict[str, Any]) -> Event | InvalidError:
    try:
        return read_event(event, payload)
    except InvalidError as exc:
        return exc


@examples(200)
@given(EVENTS, st.dictionaries(st.text(max_size=10), JSON, max_size=4))
def test_any_object_is_read_or_refused(event: str, payload: dict[str, Any]) -> None:
    assert isinstance(read(event, payload), Ignored | InvalidError)


@examples(200)
@given(mutated())
def test_any_mutation_of_an_event_is_read_or_refused(example: tuple[str, dict[str, Any]]) -> None:
    hash(read(*example))


@FEW
@given(mutated())
def test_signed_mutations_are_answered_and_leave_what_can_be_worked_with(
    example: tuple[str, dict[str, Any]],
) -> None:
    response = GitHub().send(*example)
    assert response.status_code in (202, 400), response.content
    sweep()


@FEW
@given(st.binary(max_size=300) | JSON.map(lambda value: json.dumps(value).encode()), EVENTS)
def test_signed_bytes_are_answered(body: bytes, event: str) -> None:
    headers = {"X-GitHub-Event": event.encode("ascii", "replace").decode().replace("\n", " ")}
    response = GitHub().send("push", body, **headers)
    assert response.status_code in (202, 400, 415), response.content


@FEW
@given(
    body=st.binary(max_size=300) | mutated().map(lambda example: json.dumps(example[1]).encode()),
    org_id=st.none() | st.sampled_from(["acme", "org-acme", "%00", "%ff"]),
    signature=st.none() | HEADER | st.just(payloads.sign("wrong", b"")),
    headers=st.dictionaries(
        st.sampled_from(["X-GitHub-Event", "X-GitHub-Delivery", "Accept", "Authorization"]), HEADER
    ),
    content_type=HEADER,
)
def test_unverified_requests_are_refused_and_store_nothing(
    body: bytes,
    org_id: str | None,
    signature: str | None,
    headers: dict[str, str],
    content_type: str,
) -> None:
    before = tables()
    response = GitHub(org_id=org_id).send(
        "push",
        body,
        **headers,
        **{"X-Hub-Signature-256": signature or "", "Content-Type": content_type},
    )
    assert response.status_code in (401, 406), response.content
    assert tables() == before


@FEW
@given(st.sampled_from(["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]), HEADER)
def test_other_methods_are_refused(method: str, accept: str) -> None:
    response = GitHub().client.generic(method, payloads.URL, headers={"Accept": accept})
    assert response.status_code in (200, 405, 406)
    assert response.status_code != 200 or method == "OPTIONS"
