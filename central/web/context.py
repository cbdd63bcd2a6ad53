"""What the frame of every page shows: the organisation looked at, the others, the colours."""

from typing import Any

from django.http import HttpRequest

from central.tenancy.members import organizations_of
from central.web.access import ORGANIZATION_KEY

THEME_COOKIE = "theme"
THEMES = ("light", "dark")


def frame(request: HttpRequest) -> dict[str, Any]:
    """The context processor. A view's own `organization` stands before the last one's."""
    return {
        "organization": request.session.get(ORGANIZATION_KEY, ""),
        "organizations": lambda: _organizations(request),
        "theme": theme_of(request),
    }


def theme_of(request: HttpRequest) -> str:
    """Light or dark if that was chosen, else "": as the system has it."""
    theme = request.COOKIES.get(THEME_COOKIE, "")
    return theme if theme in THEMES else ""


def _organizations(request: HttpRequest) -> Any:
    user = request.user
    return organizations_of(user).order_by("slug") if user.is_authenticated else []
