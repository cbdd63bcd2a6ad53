"""OpenID Connect as django-allauth speaks it, with the checks that it leaves out.

It sees to state and PKCE. Of an id token that comes straight from the provider it does not verify
the signature, it sends no nonce, and it does not ask whether the issuer that was discovered is the
configured one, nor whether the user's information is of the token's subject: that is done here.
"""

import base64
import hashlib
from collections.abc import Mapping
from typing import Any

import jwt
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from cryptography.exceptions import UnsupportedAlgorithm
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from jwt.exceptions import InvalidSubjectError

from central.common.errors import NotFoundError
from central.common.links import absolute_url
from central.settings.sso import SingleSignOn, is_safe_address
from indexer.limits import SSO_KEYS, SSO_NAME_CHARACTERS

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
# What comes of an id token and keys that are none, or that hold what nobody expects.
_NOT_VALID = (
    *(jwt.PyJWTError, UnsupportedAlgorithm, KeyError, TypeError, ValueError),
    *(AttributeError, ArithmeticError, RecursionError),
)


def configured() -> SingleSignOn:
    """What the settings say. Raises NotFoundError where they name no provider."""
    if settings.SSO is None:
        raise NotFoundError("Nobody signs in elsewhere here; sign in with a password.")
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
        """The answer to the code."""
        self._nonce = nonce_of(pkce_code_verifier)
        data = super().get_access_token_data(request, app, client, pkce_code_verifier)
        tokens = {name: data.get(name) for name in ("access_token", "id_token")}
        if not all(isinstance(token, str) and token.isascii() for token in tokens.values()):
            raise OAuth2Error("The provider gave no access token, or no id token.")
        return tokens

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: Any, **kwargs: Any
    ) -> Any:
        """Who it is: what is signed stands before what is told beside it."""
        del app
        claims = self._claims(kwargs["response"]["id_token"])
        told = self._told(token.token, claims["sub"])
        return self.get_provider().sociallogin_from_response(
            request, {"id_token": _of_a_person({**told, **claims})}
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

    def _told(self, access_token: str, subject: str) -> dict[str, Any]:
        """What the provider tells beside the token; many put the address there alone."""
        if "userinfo_endpoint" not in self.openid_config:
            return {}
        told: dict[str, Any] = self._fetch_user_info(access_token)
        if told.get("sub") != subject:
            raise OAuth2Error("The user's information is of somebody else than the id token.")
        return told


class Provider(OpenIDConnectProvider):  # type: ignore[misc]
    """The provider of the settings."""

    oauth2_adapter_class = Exchange

    def get_pkce_params(self) -> dict[str, Any]:
        """With a nonce, which needs no place of its own in the session: the verifier tells it."""
        params: dict[str, Any] = super().get_pkce_params()
        return {**params, "nonce": nonce_of(params["code_verifier"])}

    def extract_extra_data(self, data: Any) -> dict[str, Any]:
        """Nothing is kept of a person but who it is there."""
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
    """A one-way value of what only this session knows."""
    digest = hashlib.sha256(b"nonce:" + code_verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")


def verified(id_token: str, keys: Mapping[str, Any]) -> dict[str, Any]:
    """The claims of an id token that the issuer signed for this client.

    Raises one of _NOT_VALID: it did not, or its keys are none.
    """
    if len(keys["keys"]) > SSO_KEYS:
        raise jwt.PyJWKSetError("There are too many keys.")
    known = jwt.PyJWKSet.from_dict(dict(keys))
    key_id = jwt.get_unverified_header(id_token).get("kid")
    key = known.keys[0] if key_id is None and len(known.keys) == 1 else known[str(key_id)]
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
    if is_verified and isinstance(email, str):
        person |= {"email": email, "email_verified": True}
    return person
