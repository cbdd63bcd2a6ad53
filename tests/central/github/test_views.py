"""Which id tokens are taken, at the route itself, with keys fetched from a real issuer."""

import base64
import hmac
import json
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pytest_django import Settings

from central.github.models import GitHubPolicy
from central.tenancy.models import ApiToken, Organization
from tests.central.github.job import AUDIENCE, ROUTE, exchange, rows
from tests.central.refusals import assert_problem
from tests.local_github import LocalGitHub
from tests.property_settings import examples

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("policy")]

NOW = int(time.time())  # of the collection: a whole run of the tests is between
DAY = 86_400


def encoded(part: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def assert_refused(token: object, status: int, code: str) -> None:
    """Refused with this code; nothing is written, and the token is not repeated."""
    before = rows()
    answer = exchange(token)
    assert_problem(answer, status, code)
    assert rows() == before
    assert not isinstance(token, str) or token not in answer.content.decode()


def test_a_push_gets_a_short_lived_token_for_its_commit(github: LocalGitHub) -> None:
    answer = exchange(github.id_token(AUDIENCE))
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "no-store"
    assert answer.json()["expires_in"] == 900
    token = ApiToken.objects.get()
    assert answer.json()["access_token"].startswith(token.prefix)
    assert (token.scopes, token.is_short_lived, token.repositories) == (["index"], True, None)
    bound = (token.bound_repository_id, token.bound_project, token.bound_ref, token.bound_commit)
    assert bound == (74001, "shop", "refs/heads/main", "a" * 40)
    assert token.expires_at is not None
    assert 890 < token.expires_at.timestamp() - time.time() <= 900


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"iss": "https://token.actions.githubusercontent.com"}, "oidc_issuer"),
        ({"iss": None}, "oidc_claim_missing"),
        ({"exp": NOW - 60}, "oidc_expired"),
        ({"exp": None}, "oidc_claim_missing"),
        ({"exp": "never"}, "oidc_invalid"),
        ({"exp": 10**30}, "oidc_invalid"),
        ({"nbf": NOW + DAY}, "oidc_not_yet_valid"),
        ({"iat": NOW + DAY}, "oidc_not_yet_valid"),
        ({"nbf": None}, "oidc_claim_missing"),
        ({"iat": None}, "oidc_claim_missing"),
        ({"jti": None}, "oidc_claim_missing"),
        ({"jti": ""}, "oidc_invalid"),
        ({"jti": 7}, "oidc_invalid"),
        ({"repository_owner_id": None}, "oidc_claim_missing"),
        ({"repository_owner_id": 9919}, "oidc_invalid"),
        ({"repository_owner_id": "٣"}, "oidc_invalid"),
        ({"repository_owner_id": "9" * 19}, "oidc_invalid"),
        ({"repository_id": "7e3"}, "oidc_invalid"),
        ({"repository_visibility": "secret"}, "oidc_invalid"),
        ({"repository": "shop"}, "oidc_invalid"),
        ({"ref": "main"}, "oidc_invalid"),
        ({"ref": "refs/heads/" + "m" * 300}, "oidc_invalid"),
        ({"ref": "refs/heads/a\0"}, "oidc_invalid"),
        ({"sha": "HEAD"}, "oidc_invalid"),
        ({"event_name": None}, "oidc_claim_missing"),
    ],
)
def test_a_token_with_other_claims_is_not_taken(
    github: LocalGitHub, changes: dict[str, object], code: str
) -> None:
    assert_refused(github.id_token(AUDIENCE, **changes), 401, code)


@pytest.mark.parametrize(
    "audience",
    ["https://other.example", f"{AUDIENCE}/", AUDIENCE.upper(), [AUDIENCE], [AUDIENCE, "x"], {}, 1],
)
def test_a_token_is_for_this_service_alone(github: LocalGitHub, audience: object) -> None:
    code = "oidc_audience" if audience else "oidc_claim_missing"
    assert_refused(github.id_token(audience), 401, code)


def test_clocks_may_differ_by_half_a_minute(github: LocalGitHub) -> None:
    now = int(time.time())
    assert exchange(github.id_token(AUDIENCE, exp=now - 20)).status_code == 200
    assert exchange(github.id_token(AUDIENCE, nbf=now + 20, iat=now + 20)).status_code == 200


def test_a_token_without_a_signature_is_not_taken(github: LocalGitHub) -> None:
    for algorithm in ("none", "None", "NONE"):
        header = {"alg": algorithm, "typ": "JWT", "kid": github.key_id}
        token = f"{encoded(header)}.{encoded(github.payload(AUDIENCE))}."
        assert_refused(token, 401, "oidc_invalid")


def test_a_token_signed_with_the_public_key_as_a_secret_is_not_taken(github: LocalGitHub) -> None:
    secret = github.key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = {"alg": "HS256", "typ": "JWT", "kid": github.key_id}
    signed = f"{encoded(header)}.{encoded(github.payload(AUDIENCE))}"
    mac = hmac.digest(secret, signed.encode(), "sha256")
    token = f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
    assert_refused(token, 401, "oidc_invalid")


def test_another_algorithm_of_the_same_key_is_not_taken(github: LocalGitHub) -> None:
    for algorithm in ("RS512", "PS256"):
        token = jwt.encode(
            github.payload(AUDIENCE),
            github.key,
            algorithm=algorithm,
            headers={"kid": github.key_id},
        )
        assert_refused(token, 401, "oidc_invalid")


def test_a_key_that_the_issuer_does_not_publish_is_not_taken(github: LocalGitHub) -> None:
    with LocalGitHub(dict(github.claims)) as stranger:
        stranger.issuer, stranger.key_id = github.issuer, github.key_id
        assert_refused(stranger.id_token(AUDIENCE), 401, "oidc_invalid")


def test_a_changed_claim_breaks_the_signature(github: LocalGitHub) -> None:
    header, _, signature = github.id_token(AUDIENCE).split(".")
    payload = encoded(github.payload(AUDIENCE, repository_owner_id="1"))
    assert_refused(f"{header}.{payload}.{signature}", 401, "oidc_invalid")


def test_a_token_is_taken_once(github: LocalGitHub) -> None:
    token = github.id_token(AUDIENCE)
    assert exchange(token).status_code == 200
    assert_refused(token, 401, "oidc_replayed")
    assert exchange(token, "impact").status_code == 403


def test_a_refused_token_is_not_used_up(github: LocalGitHub, policy: GitHubPolicy) -> None:
    """An administrator mends the policy; the job tries again."""
    token = github.id_token(AUDIENCE, event_name="release")
    assert_refused(token, 403, "oidc_event_refused")
    policy.events = ["release"]
    policy.save()
    assert exchange(token).status_code == 200


def test_an_issuer_that_is_away_is_named(github: LocalGitHub, settings: Settings) -> None:
    with LocalGitHub(dict(github.claims)) as other:
        settings.GITHUB_OIDC_ISSUER = other.issuer
        other.is_away = True
        answer = exchange(other.id_token(AUDIENCE))
        assert_problem(answer, 503, "oidc_keys_unavailable")
        assert answer["Retry-After"] == "5"
    assert not ApiToken.objects.exists()


def test_a_service_without_an_address_takes_no_tokens(
    github: LocalGitHub, settings: Settings
) -> None:
    settings.PUBLIC_URL = None
    assert_refused(github.id_token("None"), 403, "oidc_not_configured")


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"event_name": "pull_request_target"}, "oidc_event_refused"),
        ({"event_name": "pull_request"}, "oidc_event_refused"),
        ({"event_name": "issue_comment"}, "oidc_event_refused"),
        ({"ref": "refs/tags/v1"}, "oidc_ref_refused"),
        ({"ref": "refs/pull/7/merge"}, "oidc_ref_refused"),
        # The same name, which somebody else registered after it was given up.
        ({"repository_owner_id": "666"}, "oidc_owner_unknown"),
    ],
)
def test_a_job_that_the_policy_does_not_name_is_refused(
    github: LocalGitHub, changes: dict[str, str], code: str
) -> None:
    assert_refused(github.id_token(AUDIENCE, **changes), 403, code)


def test_a_renamed_owner_stays_itself(github: LocalGitHub) -> None:
    token = github.id_token(
        AUDIENCE, repository_owner="new", repository="new/shop", sub="any:thing"
    )
    assert exchange(token).status_code == 200


def test_pull_request_target_is_refused_whatever_a_policy_says(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    GitHubPolicy.objects.update(events=["pull_request_target"], impact=True)
    token = github.id_token(AUDIENCE, event_name="pull_request_target")
    assert_refused(token, 403, "oidc_event_refused")
    assert exchange(token, "impact").json()["code"] == "oidc_event_refused"


def test_without_a_policy_that_is_on_nobody_is_let_in(
    github: LocalGitHub, policy: GitHubPolicy
) -> None:
    policy.enabled = False
    policy.save()
    assert_refused(github.id_token(AUDIENCE), 403, "oidc_owner_unknown")
    policy.delete()
    assert_refused(github.id_token(AUDIENCE), 403, "oidc_owner_unknown")


def test_an_organisation_without_an_owner_matches_nobody(github: LocalGitHub) -> None:
    Organization.objects.update(github_owner_id=None)
    for owner_id in (None, "0", ""):
        answer = exchange(github.id_token(AUDIENCE, repository_owner_id=owner_id))
        assert answer.status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"{}",
        b'{"token": 1, "purpose": "index"}',
        b'{"token": "x", "purpose": "admin"}',
        b'{"token": "x"}',
        b'{"token": "\\ud800", "purpose": "index"}',
        b"\xff",
    ],
)
def test_a_body_that_is_none_is_invalid(body: bytes) -> None:
    answer = Client().post(ROUTE, body, content_type="application/json")
    assert_problem(answer, 400, "invalid")


def test_a_large_body_is_not_read() -> None:
    body = json.dumps({"token": "x" * 40_000, "purpose": "index"})
    answer = Client().post(ROUTE, body, content_type="application/json")
    assert_problem(answer, 413, "too_large")


any_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
CLAIMS = ["iss", "aud", "exp", "nbf", "iat", "jti", "sub", "repository", "repository_id"]
CLAIMS += ["repository_owner_id", "repository_visibility", "ref", "sha", "event_name"]
CLAIMS += ["job_workflow_ref"]


@settings(examples(40), suppress_health_check=list(HealthCheck))
@given(changes=st.dictionaries(st.sampled_from(CLAIMS), any_json, min_size=1, max_size=4))
def test_whatever_an_issuer_signs_is_answered(
    github: LocalGitHub, changes: dict[str, object]
) -> None:
    before = rows()
    answer = exchange(github.id_token(AUDIENCE, **changes))
    assert answer.status_code in {200, 401, 403}, answer.content
    if answer.status_code != 200:
        assert rows() == before


@settings(examples(40), suppress_health_check=list(HealthCheck))
@given(
    token=st.text()
    | st.lists(st.binary(max_size=40), min_size=2, max_size=4).map(
        lambda parts: ".".join(base64.urlsafe_b64encode(part).decode() for part in parts)
    )
    | st.lists(any_json.map(lambda value: encoded({"alg": "RS256", "kid": value}))).map(".".join)
)
def test_garbage_is_refused(token: str) -> None:
    before = rows()
    answer = exchange(token)
    assert answer.status_code in {400, 401}, answer.content
    assert rows() == before
