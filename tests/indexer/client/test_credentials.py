"""Credentials: an API token, or what central gives for GitHub's id token; over real HTTP."""

from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import jwt
import pytest

from indexer.client.credentials import OidcToken, Purpose, StaticToken, from_settings
from indexer.client.transport import Transport
from indexer.config.settings import IdTokenSource, Settings
from indexer.errors import (
    CentralError,
    CentralRefusedError,
    CentralUnreachableError,
    IdentityError,
    IdentityUnavailableError,
    IndexerError,
)
from tests.indexer.central import TOKEN, StandIn, stand_in
from tests.listening import listening
from tests.local_github import LocalGitHub

ROUTE = "/api/v1/index/runs/run-1"
Failure = tuple[int, dict[str, str], dict[str, str]]


@pytest.fixture
def server() -> Iterator[StandIn]:
    with stand_in() as server:
        yield server


@pytest.fixture(scope="module")
def one_github() -> Iterator[LocalGitHub]:
    with LocalGitHub() as github:
        yield github


@pytest.fixture
def github(one_github: LocalGitHub) -> Iterator[LocalGitHub]:
    yield one_github
    one_github.is_away = False


@pytest.fixture
def settings(server: StandIn, github: LocalGitHub, tmp_path: Path) -> Settings:
    """A job's, without an API token."""
    environ = {"AETERNA_URL": server.url, "AETERNA_ORGANIZATION": "acme"}
    return Settings.load(
        environ | github.job_environment(),
        project_dir=tmp_path,
        default_project="shop",
        overrides={},
    )


def source(settings: Settings) -> IdTokenSource:
    assert isinstance(settings.credential, IdTokenSource)
    return settings.credential


def ask(settings: Settings, *, times: int = 1) -> None:
    """Send requests as a job does."""
    credentials = from_settings(settings, Purpose.INDEX)
    transport = Transport(
        url=settings.url,
        credentials=credentials,
        retry_seconds=settings.retry_seconds,
        sleep=lambda _: None,
    )
    with closing(transport):
        for _ in range(times):
            transport.request("GET", ROUTE)


@contextmanager
def answering(body: bytes, headers: Mapping[str, str] | None = None) -> Iterator[str]:
    """A server that says the same to everybody, and its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            for item in {"Content-Length": str(len(body)), **(headers or {})}.items():
                self.send_header(*item)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with listening(Handler) as url:
        yield f"{url}/?a=b"


def refusal(code: str, status: int) -> Failure:
    return status, {"code": code, "detail": "As it says."}, {}


def test_an_id_token_for_this_service_alone_is_exchanged_once(
    server: StandIn, settings: Settings
) -> None:
    ask(settings, times=3)
    [exchange] = server.exchanges
    claims = jwt.decode(exchange["token"], options={"verify_signature": False})
    assert claims["aud"] == settings.url
    assert exchange["purpose"] == "index"
    assert "Authorization" not in server.requests[0].headers


def test_what_the_token_is_for_is_said(server: StandIn, settings: Settings) -> None:
    from_settings(settings, Purpose.IMPACT).bearer()
    assert [exchange["purpose"] for exchange in server.exchanges] == ["impact"]


def test_a_token_that_is_about_to_expire_is_exchanged_before_it_is_used(
    server: StandIn, settings: Settings
) -> None:
    server.lifetime_seconds = 0
    ask(settings, times=3)
    assert len(server.exchanges) == 3
    assert len({exchange["token"] for exchange in server.exchanges}) == 3


def test_a_token_that_is_refused_is_exchanged_and_the_request_repeated(
    server: StandIn, settings: Settings
) -> None:
    credentials = from_settings(settings, Purpose.INDEX)
    credentials.bearer()
    server.bearer = "aet_another"  # as after an expiry that the client's clock did not see
    with closing(Transport(url=settings.url, credentials=credentials)) as transport:
        transport.request("GET", ROUTE)
    assert len(server.exchanges) == 2
    assert [request.path for request in server.requests].count(ROUTE) == 2


def test_a_token_that_is_refused_again_is_not_exchanged_for_ever(
    server: StandIn, settings: Settings
) -> None:
    credentials = from_settings(settings, Purpose.INDEX)
    credentials.bearer()
    server.failures = [
        refusal("unauthenticated", 401),
        (200, {"access_token": "aet_next", "expires_in": "900"}, {}),
        refusal("unauthenticated", 401),
    ]
    with (
        closing(Transport(url=settings.url, credentials=credentials)) as transport,
        pytest.raises(CentralRefusedError, match="run the job again"),
    ):
        transport.request("GET", ROUTE)
    assert not server.failures


def test_a_token_that_another_thread_has_renewed_is_not_renewed_again(
    server: StandIn, settings: Settings
) -> None:
    credentials = from_settings(settings, Purpose.INDEX)
    old = credentials.bearer()
    assert [credentials.refresh(old), credentials.refresh(old)] == [True, True]
    assert len(server.exchanges) == 2


def test_each_attempt_at_an_exchange_has_an_id_token_of_its_own(
    server: StandIn, settings: Settings
) -> None:
    """Central may have taken the one whose answer was lost."""
    server.failures = [refusal("busy", 503), refusal("busy", 502)]
    OidcToken(settings, source(settings), Purpose.INDEX, lambda _: None).bearer()
    bodies = [request.body for request in server.requests]
    assert len(set(bodies)) == len(bodies) == 3


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        (refusal("oidc_audience", 401), CentralRefusedError, "set central-url"),
        (refusal("oidc_owner_unknown", 403), CentralRefusedError, "As it says"),
        (refusal("not_found", 404), CentralRefusedError, "central-url.* API token"),
        (refusal("internal_error", 500), CentralUnreachableError, "500"),
        ((200, {"token": "aet_x"}, {}), CentralError, "up to date"),
        ((200, {"access_token": "aet_x", "expires_in": 10**400}, {}), CentralError, "up to date"),
    ],
)
def test_a_refused_exchange_says_what_to_change_and_is_not_repeated(
    server: StandIn, settings: Settings, answer: Failure, error: type[IndexerError], says: str
) -> None:
    server.failures = [answer]
    with pytest.raises(error, match=says) as caught:
        ask(settings)
    assert type(caught.value) is error
    [exchange] = server.requests
    assert "eyJ" in exchange.body.decode()
    assert "eyJ" not in str(caught.value)


def test_a_job_that_github_gives_no_id_token_is_told_which_permission_it_lacks(
    settings: Settings, github: LocalGitHub
) -> None:
    refused = replace(settings, credential=replace(source(settings), key="wrong-key"))
    with pytest.raises(IdentityError, match="id-token: write") as caught:
        ask(refused)
    assert "wrong-key" not in str(caught.value)
    elsewhere = replace(source(settings), url=f"{github.url}/.well-known/jwks?v=1")
    with pytest.raises(IdentityError, match="HTTP 200"):
        ask(replace(settings, credential=elsewhere))


def test_github_is_waited_for(settings: Settings, github: LocalGitHub) -> None:
    github.is_away = True
    pauses: list[float] = []

    def sleep(seconds: float) -> None:
        pauses.append(seconds)
        github.is_away = len(pauses) < 3

    assert OidcToken(settings, source(settings), Purpose.INDEX, sleep).bearer()
    assert len(pauses) == 3


def test_github_that_stays_away_is_named(settings: Settings, github: LocalGitHub) -> None:
    hasty = replace(settings, retry_seconds=0.0)
    github.is_away = True
    with pytest.raises(IdentityUnavailableError, match="503"):
        ask(hasty)
    nowhere = replace(source(settings), url="http://127.0.0.1:9/?a=b")
    with pytest.raises(IdentityUnavailableError, match="ACTIONS_ID_TOKEN_REQUEST_URL"):
        ask(replace(hasty, credential=nowhere))


def test_an_api_token_is_sent_as_it_is_and_there_is_no_other(
    server: StandIn, settings: Settings
) -> None:
    ask(replace(settings, credential=TOKEN))
    with pytest.raises(CentralRefusedError, match="AETERNA_TOKEN"):
        ask(replace(settings, credential="aet_wrong"))
    assert len(server.requests) == 2
    assert not server.exchanges


@pytest.mark.parametrize(
    ("purpose", "scope"), [(Purpose.INDEX, "index"), (Purpose.IMPACT, "search")]
)
def test_an_api_token_that_may_not_is_told_the_scope(
    settings: Settings, purpose: Purpose, scope: str
) -> None:
    credentials = from_settings(replace(settings, credential=TOKEN), purpose)
    assert f"scope `{scope}`" in credentials.error_hints["insufficient_scope"]


@pytest.mark.parametrize(
    "body",
    [b"<html>", b"[" * 100_000, b"[]", b'{"value": 5}', b'{"value": "\\ud800"}', b'{"value": ""}'],
    ids=["a page", "nested", "a list", "a number", "half a character", "nothing"],
)
def test_an_answer_without_an_id_token_is_said_to_be_none(settings: Settings, body: bytes) -> None:
    with answering(body) as url, pytest.raises(IdentityError, match="HTTP 200"):
        ask(replace(settings, credential=replace(source(settings), url=url)))


def test_an_answer_that_is_not_what_its_headers_say_is_as_good_as_none(settings: Settings) -> None:
    hasty = replace(settings, retry_seconds=0.0)
    headers = {"Content-Encoding": "gzip"}
    with answering(b"no gzip", headers) as url, pytest.raises(IdentityUnavailableError):
        ask(replace(hasty, credential=replace(source(settings), url=url)))
    with answering(b"no gzip", headers) as url, pytest.raises(CentralUnreachableError):
        ask(replace(hasty, url=url, credential=TOKEN))


def test_no_credential_shows_its_secret(settings: Settings, github: LocalGitHub) -> None:
    keyless = from_settings(settings, Purpose.INDEX)
    shown = f"{keyless!r} {StaticToken(TOKEN)!r} {settings!r} {settings.credential!r}"
    for secret in (keyless.bearer(), TOKEN, github.request_key):
        assert secret not in shown
