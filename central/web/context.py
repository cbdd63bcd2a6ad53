"""What the frame of every page shows: the organisation looked at, the others, the colours."""

from typing import Any

from django.http import HttpRequest

from central.tenancy.members import organizations_of

THEME_COOKIE = "theme"
THEMES = ("light", "dark")


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context processor. A view's own `organization` stands before the address's."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    match = request.resolver_match
    return {
        "organization": match.kwargs.get("organization", "") if match else "",
        "organizations": lambda: _organizations(request),
        "theme": theme if theme in THEMES else "",
    }


def _organizations(request: HttpRequest) -> Any:
    user = request.user
    return organizations_of(user).order_by("slug") if user.is_authenticated else []
