"""Values of variables that cannot be meant, and what is said of them."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from central.settings import env, services

NAME = "AETERNA_ALLOWED_HOSTS"


def test_hosts_are_written_as_requests_name_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, "code.example.com, .example.org,*,10.0.0.5,fd00::5,[fd00::6]")
    hosts = ["code.example.com", ".example.org", "*", "10.0.0.5", "[fd00::5]", "[fd00::6]"]
    assert env.hosts(NAME) == hosts


@pytest.mark.parametrize(
    "word", ["code.example.com:8000", "https://code.example.com", "[fd00::5]:8000", "fd00::x"]
)
def test_a_host_that_no_request_can_name_is_an_error(
    monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    monkeypatch.setenv(NAME, f"code.example.com,{word}")
    with pytest.raises(ImproperlyConfigured) as caught:
        env.hosts(NAME)
    assert str(caught.value).startswith(f"AETERNA_ALLOWED_HOSTS: '{word}' is no host;")


SEARCHES = "AETERNA_SEARCHES_AT_ONCE"


@pytest.mark.parametrize(
    ("embedder", "count"),
    [("builtin/aeterna-static-1/256", 3), ("openai/text-embedding-3-small/1536", 12)],
)
def test_more_searches_run_at_once_where_they_wait_for_an_embedding_service(
    monkeypatch: pytest.MonkeyPatch, embedder: str, count: int
) -> None:
    monkeypatch.delenv(SEARCHES, raising=False)
    assert services.searches_at_once(embedder) == count
    monkeypatch.setenv(SEARCHES, "1")
    assert services.searches_at_once(embedder) == 1


@pytest.mark.parametrize("value", ["0", "-1", "15", "many"])
def test_a_number_of_searches_that_no_process_can_handle_is_an_error(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv(SEARCHES, value)
    with pytest.raises(ImproperlyConfigured, match=SEARCHES):
        services.searches_at_once("builtin/aeterna-static-1/256")
