"""What the pages of the settings share: their navigation, the confirmation, page numbers."""

from collections.abc import Sequence
from typing import Any, Final, cast

from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

SETTINGS_ROWS: Final = 100  # of a page of members, tokens or repositories


# The navigation: a page's name, which is `web:settings-<name>`, and its title.
SECTIONS: Final = (
    ("overview", "Overview"),
    ("members", "Members"),
    ("invitations", "Invitations"),
    ("tokens", "Tokens"),
    ("repositories", "Repositories"),
    ("backfills", "Backfill"),
    ("keyless", "Keyless trust"),
    ("alerts", "Alerts"),
)


def settings_page(
    request: HttpRequest, template: str, *, page: str, **context: Any
) -> HttpResponse:
    """Render `web/settings/<template>.html` below the navigation, in which `page` is marked."""
    shared = {
        "section": "settings",
        "sections": [(f"web:settings-{name}", title, name == page) for name, title in SECTIONS],
    }
    return render(request, f"web/settings/{template}.html", {**shared, **context})


def confirmation(
    request: HttpRequest, *, page: str, title: str, effects: Sequence[str], button: str, back: str
) -> HttpResponse:
    """Ask before something is destroyed: the form posts to the same address."""
    return settings_page(
        request, "confirm", page=page, title=title, effects=effects, button=button, back=back
    )


def page_of(request: HttpRequest, rows: "QuerySet[Any]") -> Page[Any]:
    """Return the page that the address names; the last one if there are not as many."""
    return Paginator(rows, SETTINGS_ROWS).get_page(request.GET.get("page"))


def person(request: HttpRequest) -> User:
    """Return who is signed in, on a page that asks for it."""
    return cast(User, request.user)
