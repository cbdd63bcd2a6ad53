"""Settings of the backfill."""

from ipaddress import ip_network
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from central.settings.backfill import backfill

NAMES = (
    "AETERNA_GITHUB_URL",
    "AETERNA_GITHUB_API_URL",
    "AETERNA_GITHUB_TOKEN",
    "GITHUB_APP_ID",
    "GITHUB_APP_PRIVATE_KEY",
    "AETERNA_GIT_HOSTS",
    "AETERNA_GIT_NETWORKS",
    "AETERNA_GIT_DIRECTORIES",
    "AETERNA_GIT_TOKENS",
)


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


def test_without_settings_only_github_com_is_cloned() -> None:
    found = backfill()
    assert (found.github_url, found.github_api_url) == (
        "https://github.com",
        "https://api.github.com",
    )
    assert (found.hosts, found.networks, found.directories, found.tokens) == ((), (), (), {})


def test_an_enterprise_server_has_its_api_below_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AETERNA_GITHUB_URL", "https://github.example/")
    assert backfill().github_api_url == "https://github.example/api/v3"


def test_hosts_networks_directories_and_tokens_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AETERNA_GIT_HOSTS", "GitLab.example, git.example:8443")
    monkeypatch.setenv("AETERNA_GIT_NETWORKS", "10.0.0.0/8")
    monkeypatch.setenv("AETERNA_GIT_DIRECTORIES", "/srv/mirrors")
    monkeypatch.setenv("AETERNA_GIT_TOKENS", "gitlab.example=oauth2:secret=with:signs")
    found = backfill()
    assert found.hosts == ("gitlab.example", "git.example:8443")
    assert found.networks == (ip_network("10.0.0.0/8"),)
    assert found.directories == (Path("/srv/mirrors"),)
    assert found.tokens == {"gitlab.example": "oauth2:secret=with:signs"}


def test_no_credential_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AETERNA_GITHUB_TOKEN", "leaked")
    monkeypatch.setenv("GITHUB_APP_PRIVATE_KEY", "leaked")
    monkeypatch.setenv("AETERNA_GIT_TOKENS", "h=u:leaked")
    assert "leaked" not in repr(backfill())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("AETERNA_GITHUB_URL", "http://github.example"),
        ("AETERNA_GITHUB_URL", "https://user:secret@github.example"),
        ("AETERNA_GITHUB_API_URL", "ftp://github.example"),
        ("AETERNA_GIT_NETWORKS", "10.0.0.1/8"),
        ("AETERNA_GIT_NETWORKS", "everything"),
        ("AETERNA_GIT_DIRECTORIES", "/"),
        ("AETERNA_GIT_DIRECTORIES", "mirrors"),
        ("AETERNA_GIT_TOKENS", "gitlab.example"),
        ("AETERNA_GIT_TOKENS", "gitlab.example=secret"),
    ],
)
def test_a_wrong_value_is_named(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=name):
        backfill()
