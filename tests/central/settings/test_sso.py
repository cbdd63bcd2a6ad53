"""What the environment says of single sign-on, and what is told where it does not fit together."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from central.settings.sso import SingleSignOn, single_sign_on

ISSUER = "https://sso.acme.example/realms/acme"


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in [name for name in os.environ if name.startswith("AETERNA_SSO_")]:
        monkeypatch.delenv(name)
    return monkeypatch


def test_nothing_said_is_no_provider() -> None:
    assert single_sign_on() is None


def test_a_secret_may_stand_in_a_file_and_is_never_shown(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hush\n")
    environment.setenv("AETERNA_SSO_ISSUER", ISSUER)
    environment.setenv("AETERNA_SSO_CLIENT_ID", "aeterna")
    environment.setenv("AETERNA_SSO_CLIENT_SECRET_FILE", str(secret))
    environment.setenv("AETERNA_SSO_ORGANIZATION", "acme")
    environment.setenv("AETERNA_SSO_EMAIL_DOMAINS", "acme.example, acme.test")
    found = single_sign_on()
    domains = ("acme.example", "acme.test")
    assert found == SingleSignOn(ISSUER, "aeterna", "hush", "SSO", "acme", domains)
    assert "hush" not in repr(found)


def test_an_organization_without_domains_is_refused(environment: pytest.MonkeyPatch) -> None:
    """At a public provider it would be everybody's."""
    environment.setenv("AETERNA_SSO_ISSUER", ISSUER)
    environment.setenv("AETERNA_SSO_CLIENT_ID", "aeterna")
    environment.setenv("AETERNA_SSO_ORGANIZATION", "acme")
    with pytest.raises(ImproperlyConfigured, match="AETERNA_SSO_EMAIL_DOMAINS is not"):
        single_sign_on()


@pytest.mark.parametrize(
    ("given", "lacking"),
    [
        ({"AETERNA_SSO_ISSUER": ISSUER}, "AETERNA_SSO_CLIENT_ID is not"),
        ({"AETERNA_SSO_CLIENT_ID": "aeterna"}, "AETERNA_SSO_ISSUER is not"),
    ],
)
def test_half_a_provider_says_what_to_set(
    environment: pytest.MonkeyPatch, given: dict[str, str], lacking: str
) -> None:
    for name, value in given.items():
        environment.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=lacking):
        single_sign_on()


@pytest.mark.parametrize(
    "issuer",
    [
        *("sso.acme.example", "http://sso.acme.example", "https://", "ftp://sso.acme.example"),
        *("https://me:hush@sso.acme.example", "https://sso.acme.example/?realm=a"),
    ],
)
def test_an_issuer_is_an_address_with_tls(environment: pytest.MonkeyPatch, issuer: str) -> None:
    environment.setenv("AETERNA_SSO_ISSUER", issuer)
    environment.setenv("AETERNA_SSO_CLIENT_ID", "aeterna")
    with pytest.raises(ImproperlyConfigured, match="https://") as refused:
        single_sign_on()
    assert "hush" not in str(refused.value)


def test_the_service_starts_with_a_provider(tmp_path: Path) -> None:
    """With the package's apps and middleware, both addresses, and no table that lacks."""
    asked = (
        "import django; django.setup()\n"
        "from django.core.management import call_command\n"
        "from django.urls import reverse\n"
        "call_command('check', fail_level='WARNING')\n"
        "print(reverse('web:sso'), reverse('web:sso-callback'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "central.settings.static",
            "AETERNA_DATA_DIR": str(tmp_path),
            "AETERNA_SSO_ISSUER": ISSUER,
            "AETERNA_SSO_CLIENT_ID": "aeterna",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines()[-1:] == ["/sso /sso/callback"], done.stderr
