"""Single sign-on by OpenID Connect: the protocol's checks, and whom it signs in."""

import base64
import hashlib
from collections.abc import Mapping
from typing import Any, Final

import jwt
import structlog
from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter, get_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from jwt.exceptions import InvalidSubjectError

from central.errors import NotFoundError
from central.github.key_sets import usable_keys
from central.http.bounded_session import BoundedSession
from central.http.urls import absolute_url
from central.settings.sso import EVERYBODY, SingleSignOn, is_safe_address
from central.tenancy.audit import SSO, record
from central.tenancy.models import Organization
from central.tenancy.services.memberships import add_member

SSO_ANSWER_BYTES: Final = 512 * 1024  # of a provider; a large one's keys are 20 kB
SSO_NAME_CHARACTERS: Final = 150  # as of a user here
SSO_REQUEST_SECONDS: Final = 5.0  # of one request to a provider, however slowly it sends
_LEEWAY_SECONDS = 30
_ALGORITHMS = [  # those with a key pair: a client's secret signs nothing here
    *("RS256", "RS384", "RS512"),
    *("PS256", "PS384", "PS512"),
    *("ES256", "ES384", "ES512", "EdDSA"),
]


_ENDPOINTS = ("authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri")
_METHODS = "token_endpoint_auth_methods_supported"
_NAMES = ("preferred_username", "name", "given_name", "family_name")
_SUBJECT_CHARACTERS = 191  # what the package keeps
# Exceptions for malformed or unexpected id tokens and keys.
_NOT_VALID = (
    *(jwt.PyJWTError, KeyError, TypeError, ValueError),
    *(AttributeError, ArithmeticError, RecursionError),
)


def configured() -> SingleSignOn:
    """Return the configured provider. Raises NotFoundError without one."""
    if settings.SSO is None:
        raise NotFoundError("Single sign-on is not configured; sign in with a password.")
    return settings.SSO


class Exchange(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """One sign-in: from the provider's code to who signed in. Raises OAuth2Error."""

    def get_provider(self) -> "Provider":
        """The one that the settings name; there are none in the database."""
        return provider(self.request)

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:
        """Where the provider sends people back to, as it knows this service."""
        del app
        return absolute_url(request, reverse("web:sso-callback"))

    @property
    def openid_config(self) -> Mapping[str, Any]:
        """What the provider says of itself, if it is the one that was meant."""
        found: Mapping[str, Any] = super().openid_config
        if found.get("issuer") != configured().issuer:
            raise OAuth2Error("AETERNA_SSO_ISSUER is not the issuer that its configuration names.")
        if not isinstance(found.get(_METHODS, []), list):
            raise OAuth2Error(f"The provider's {_METHODS} must be a list.")
        for name in _ENDPOINTS:
            if name in found and not is_safe_address(found[name]):
                raise OAuth2Error(f"The provider's {name} must be an https:// address.")
        return found

    def get_access_token_data(
        self, request: HttpRequest, app: SocialApp, client: Any, pkce_code_verifier: Any = None
    ) -> Any:
        self._nonce = nonce_of(pkce_code_verifier)
        data = super().get_access_token_data(request, app, client, pkce_code_verifier)
        tokens = {name: data.get(name) for name in ("access_token", "id_token")}
        if not all(isinstance(token, str) and token.isascii() for token in tokens.values()):
            raise OAuth2Error("The provider gave no access token, or no id token.")
        return tokens

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any
    ) -> Any:
        """Sign in: signed claims take precedence over the user information."""
        del app
        claims = self._claims(kwargs["response"]["id_token"])
        information = self._user_information(token.token, claims["sub"])
        return self.get_provider().sociallogin_from_response(
            request, {"id_token": _of_a_person({**information, **claims})}
        )

    def _claims(self, id_token: str) -> dict[str, Any]:
        with get_adapter().get_requests_session() as session:
            answer = session.get(self.openid_config["jwks_uri"])
        answer.raise_for_status()
        try:
            claims = verified(id_token, answer.json())
        except _NOT_VALID as exc:
            raise OAuth2Error(f"The id token is not valid: {type(exc).__name__}.") from exc
        if claims.get("nonce") != self._nonce:
            raise OAuth2Error("The id token was made for another sign-in.")
        return claims

    def _user_information(self, access_token: str, subject: str) -> dict[str, Any]:
        """Return the provider's user information; many have the address there alone."""
        if "userinfo_endpoint" not in self.openid_config:
            return {}
        information: dict[str, Any] = self._fetch_user_info(access_token)
        if information.get("sub") != subject:
            raise OAuth2Error("The user information is of another subject than the id token.")
        return information


class Provider(OpenIDConnectProvider):  # type: ignore[misc]
    oauth2_adapter_class = Exchange

    def get_pkce_params(self) -> dict[str, Any]:
        """Add a nonce, derived from the verifier and so not stored in the session."""
        params: dict[str, Any] = super().get_pkce_params()
        return {**params, "nonce": nonce_of(params["code_verifier"])}

    def extract_extra_data(self, data: Any) -> dict[str, Any]:
        """Store only the subject."""
        del data
        return {}


def provider(request: HttpRequest) -> Provider:
    """The provider of the settings. Another issuer's subjects are other people."""
    sso = configured()
    known_as = hashlib.sha256(sso.issuer.encode()).hexdigest()[:16]
    app = SocialApp(
        provider=Provider.id,
        provider_id=f"sso-{known_as}",
        name=sso.name,
        client_id=sso.client_id,
        secret=sso.client_secret,
        settings={"server_url": sso.issuer.rstrip("/"), "oauth_pkce_enabled": True},
    )
    return Provider(request, app=app)


def nonce_of(code_verifier: str) -> str:
    """Return the nonce: a one-way function of the session's verifier."""
    digest = hashlib.sha256(b"nonce:" + code_verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def verified(id_token: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The claims of an id token that the issuer signed for this client.

    Raises one of _NOT_VALID: it did not, or its keys are none.
    """
    known = usable_keys(keys, algorithms=_ALGORITHMS)
    key_id = jwt.get_unverified_header(id_token).get("kid")
    is_only = key_id is None and len(known) == 1
    key = known[0] if is_only else {each.key_id: each for each in known}[key_id]
    sso = configured()
    claims: dict[str, Any] = jwt.decode(
        id_token,
        key,
        algorithms=_ALGORITHMS,
        issuer=sso.issuer,
        audience=sso.client_id,
        leeway=_LEEWAY_SECONDS,
        options={"require": ["iss", "aud", "exp", "iat", "sub"]},
    )
    if claims.get("azp", sso.client_id) != sso.client_id:
        raise jwt.InvalidAudienceError
    if not 0 < len(claims["sub"]) <= _SUBJECT_CHARACTERS or not claims["sub"].isprintable():
        raise InvalidSubjectError
    return claims


def _of_a_person(claims: dict[str, Any]) -> dict[str, Any]:
    """The subject, with names that can be shown and an address that the provider vouches for.

    Some write true as a string.
    """
    person = {"sub": claims["sub"]}
    for name in _NAMES:
        value = claims.get(name)
        if isinstance(value, str) and len(value) <= SSO_NAME_CHARACTERS and value.isprintable():
            person[name] = value
    email = claims.get("email")
    is_verified = claims.get("email_verified") is True or claims.get("email_verified") == "true"
    if is_verified and isinstance(email, str) and email.isprintable():
        person |= {"email": email, "email_verified": True}
    return person


_log = structlog.get_logger(__name__)


class Accounts(DefaultAccountAdapter):  # type: ignore[misc]
    """The package's accounts, without its messages."""

    def add_message(self, *args: Any, **kwargs: Any) -> None:
        """Add no message: the next page shows who is signed in."""


class People(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """A first sign-in makes a user without a password; each later one finds it by its subject."""

    def get_provider(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Provider:
        del args, kwargs
        return provider(request)

    def get_requests_session(self) -> BoundedSession:
        return BoundedSession(seconds=SSO_REQUEST_SECONDS, max_bytes=SSO_ANSWER_BYTES)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Refuse users who may not sign in; drop the addresses, so that none is looked up."""
        if sociallogin.is_existing and not sociallogin.user.is_active:
            raise ImmediateHttpResponse(refused(request, "Your account here is not active."))
        sociallogin.email_addresses = []

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        """Make the user and, where the settings name an organisation, a member of it."""
        with transaction.atomic():
            user: User = super().save_user(request, sociallogin, form)
            name = user.get_username()
            record(actor=SSO, action="user.created", target=name, detail={"email": user.email})
            if _is_ours(user.email):
                _join(user)
        return user

    def on_authentication_error(
        self, request: HttpRequest, *args: Any, exception: Any = None, **kwargs: Any
    ) -> None:
        """Back to the form, saying what to do; the log has the reason."""
        del args, kwargs
        _log.warning("sso_refused", error=str(exception) if exception else "state or provider")
        raise ImmediateHttpResponse(refused(request, "Signing in there did not work."))


def refused(request: HttpRequest, why: str) -> HttpResponse:
    messages.error(
        request, f"{why} Try again; if it stays so, an administrator finds the reason in the log."
    )
    return redirect("web:sign-in")


def _is_ours(email: str) -> bool:
    """Whether the settings take who has it as a member. The provider vouches for it, or it would
    be "".
    """
    domains = {domain.lower() for domain in configured().email_domains}
    return bool(email) and not domains.isdisjoint({EVERYBODY, email.rpartition("@")[2].lower()})


def _join(user: User) -> None:
    slug = configured().organization
    if slug is None:
        return
    organization = Organization.objects.filter(slug=slug).first()
    if organization is None:
        _log.error("sso_organization_missing", organization=slug)
        return
    add_member(user=user, organization=organization, actor=SSO)
