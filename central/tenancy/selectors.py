"""Reading tokens, for those who look after them."""

from django.db.models import Q, QuerySet
from django.utils import timezone

from central.errors import InvalidError, NotFoundError
from central.tenancy.models import ApiToken, Organization

_PREFIX_LENGTH = 12


def lasting_tokens(organization: Organization) -> QuerySet[ApiToken]:
    """Those that are taken and are no single job's, newest first, with their owners."""
    is_live = Q(expires_at=None) | Q(expires_at__gt=timezone.now())
    tokens = ApiToken.objects.filter(
        is_live, organization=organization, revoked_at=None, is_short_lived=False
    )
    return tokens.select_related("owner")


def token_told_by(text: str) -> ApiToken:
    """The one token of that number, or with those first characters: all twelve, or a whole token.

    Raises NotFoundError, InvalidError where several begin so.
    """
    which = Q(prefix=text[:_PREFIX_LENGTH])
    if text.isascii() and text.isdigit():
        which |= Q(pk=int(text[:18]))
    found = list(ApiToken.objects.filter(which).select_related("organization", "owner")[:2])
    if not found:
        raise NotFoundError(
            f"There is no token '{text[:_PREFIX_LENGTH]}'. Give its first {_PREFIX_LENGTH} "
            "characters or its number, as list_tokens says them.",
            code="token_not_found",
        )
    if len(found) > 1:
        numbers = " or ".join(str(token.pk) for token in found)
        raise InvalidError(f"Several tokens begin so: say which by its number, {numbers}.")
    return found[0]
