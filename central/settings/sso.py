"""Sign-in at an OpenID Connect provider, if the environment names one."""

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from central.settings import env

APPS: Final = ["allauth", "allauth.account", "allauth.socialaccount"]
MIDDLEWARE: Final = ["allauth.account.middleware.AccountMiddleware"]

# The package's own: without sign-up, confirmation of addresses and passwords.
ACCOUNT_EMAIL_VERIFICATION: Final = "none"
ACCOUNT_ADAPTER: Final = "central.web.sso.Accounts"
SOCIALACCOUNT_ADAPTER: Final = "central.web.sso.People"

EVERYBODY: Final = "*"

_LOOPBACK = {"127.0.0.1", "::1", "localhost"}


@dataclass(frozen=True, slots=True)
class SingleSignOn:
    """A provider, and the organisation that a person joins at the first sign-in."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)  # "" for a public client
    name: str
    organization: str | None  # a slug
    email_domains: tuple[str, ...] = ()  # whose people become members of it; EVERYBODY: all


def single_sign_on() -> SingleSignOn | None:
    """Return what AETERNA_SSO_… configure; None without them. Raises ImproperlyConfigured."""
    issuer, client_id = env.text("AETERNA_SSO_ISSUER"), env.text("AETERNA_SSO_CLIENT_ID")
    if issuer is None and client_id is None:
        return None
    if issuer is None or client_id is None:
        given, missing = ("ISSUER", "CLIENT_ID") if issuer else ("CLIENT_ID", "ISSUER")
        raise ImproperlyConfigured(
            f"AETERNA_SSO_{given} is set and AETERNA_SSO_{missing} is not: set both (and, unless "
            "the provider knows this service as a public client, AETERNA_SSO_CLIENT_SECRET or "
            "AETERNA_SSO_CLIENT_SECRET_FILE), or neither."
        )
    _check(issuer)
    organization = env.text("AETERNA_SSO_ORGANIZATION")
    email_domains = tuple(env.words("AETERNA_SSO_EMAIL_DOMAINS"))
    if organization and not email_domains:
        raise ImproperlyConfigured(
            "AETERNA_SSO_ORGANIZATION is set and AETERNA_SSO_EMAIL_DOMAINS is not: name the "
            "domains of those who become members of it, such as acme.example, or * where everybody "
            "with an account at the provider is to."
        )
    return SingleSignOn(
        issuer=issuer,
        client_id=client_id,
        client_secret=env.text("AETERNA_SSO_CLIENT_SECRET") or "",
        name=env.text("AETERNA_SSO_NAME") or "SSO",
        organization=organization,
        email_domains=email_domains,
    )


def is_safe_address(address: object) -> bool:
    """Return whether it is https or of this machine, without a user name."""
    try:
        parts = urlsplit(address) if isinstance(address, str) else None
    except ValueError:
        return False
    if parts is None or not parts.hostname or parts.username is not None:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)


def _check(issuer: str) -> None:
    if not is_safe_address(issuer) or urlsplit(issuer).query:
        raise ImproperlyConfigured(
            "AETERNA_SSO_ISSUER must be the provider's https:// address, as the 'issuer' in its "
            "/.well-known/openid-configuration says it."
        )
