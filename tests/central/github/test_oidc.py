"""When an issuer is asked for its keys, counted at a real one."""

import threading
from dataclasses import dataclass

import pytest

from central.errors import UnavailableError
from central.github import key_sets
from central.github.key_sets import IssuerKeys, keys_of
from tests.local_github import LocalGitHub


@dataclass
class Clock:
    """A clock that stands until it is set forward."""

    seconds: float = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(issuer: LocalGitHub, clock: Clock) -> IssuerKeys:
    issuer.key_requests = 0
    issuer.is_away = False
    return IssuerKeys(issuer.issuer, clock=clock)


def test_keys_are_fetched_once_and_then_again_after_a_while(
    issuer: LocalGitHub, keys: IssuerKeys, clock: Clock
) -> None:
    for _ in range(3):
        assert keys.key(issuer.key_id) is not None
    assert issuer.key_requests == 1
    clock.seconds += 600
    assert keys.key(issuer.key_id) is not None
    assert issuer.key_requests == 2


def test_unknown_keys_are_asked_for_at_most_every_half_minute(
    issuer: LocalGitHub, keys: IssuerKeys, clock: Clock
) -> None:
    for number in range(10):
        assert keys.key(f"unknown-{number}") is None
        clock.seconds += 2.9
    assert issuer.key_requests == 1
    clock.seconds += 2
    assert keys.key("unknown") is None
    assert issuer.key_requests == 2


def test_a_rotated_key_is_known_after_the_cool_down(clock: Clock) -> None:
    with LocalGitHub() as github:
        keys = IssuerKeys(github.issuer, clock=clock)
        old = github.key_id
        assert keys.key(old) is not None
        github.rotate()
        assert keys.key(github.key_id) is None
        clock.seconds += 31
        assert keys.key(github.key_id) is not None
        assert keys.key(old) is None


def test_while_the_issuer_is_away_known_keys_are_still_good(
    issuer: LocalGitHub, keys: IssuerKeys, clock: Clock
) -> None:
    assert keys.key(issuer.key_id) is not None
    issuer.is_away = True
    clock.seconds += 31
    with pytest.raises(UnavailableError):
        keys.key("unknown")
    assert keys.key(issuer.key_id) is not None
    issuer.is_away = False


def test_an_issuer_that_is_away_is_asked_again_soon_but_not_each_time(
    issuer: LocalGitHub, keys: IssuerKeys, clock: Clock
) -> None:
    issuer.is_away = True
    for _ in range(5):
        with pytest.raises(UnavailableError) as caught:
            keys.key(issuer.key_id)
        assert caught.value.code == "oidc_keys_unavailable"
    issuer.is_away = False
    with pytest.raises(UnavailableError):
        keys.key(issuer.key_id)
    assert issuer.key_requests == 0
    clock.seconds += 5
    assert keys.key(issuer.key_id) is not None


def test_nobody_at_the_address_is_an_issuer_that_is_away(clock: Clock) -> None:
    with LocalGitHub() as github:
        gone = github.issuer
    with pytest.raises(UnavailableError):
        IssuerKeys(gone, clock=clock).key("any")


def test_an_answer_without_keys_is_an_issuer_that_is_away(
    issuer: LocalGitHub, clock: Clock
) -> None:
    with pytest.raises(UnavailableError):
        IssuerKeys(f"{issuer.url}/no-issuer", clock=clock).key("any")


@pytest.mark.parametrize(
    "keys", [[None], [{"kty": "RSA", "kid": "any", "alg": ["x"], "n": "AQAB", "e": "AQAB"}]]
)
def test_an_answer_with_keys_that_are_none_is_an_issuer_that_is_away(
    keys: list[object], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalGitHub() as github:
        monkeypatch.setattr(github, "key_set", lambda: {"keys": keys})
        with pytest.raises(UnavailableError):
            IssuerKeys(github.issuer, clock=clock).key("any")


def test_many_threads_fetch_once(
    issuer: LocalGitHub, keys: IssuerKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(key_sets, "_LOCK_SECONDS", 60)  # on a busy machine, too
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(keys.key(issuer.key_id))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert None not in found
    assert len(found) == 8
    assert issuer.key_requests == 1


def test_a_process_has_one_set_of_keys_for_an_issuer(issuer: LocalGitHub) -> None:
    assert keys_of(issuer.issuer) is keys_of(issuer.issuer)
