"""What the pages of the settings share: navigation, forms, the confirmation, page numbers."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from central.errors import ServiceError
from central.tenancy.audit import user_actor

_Done = TypeVar("_Done")

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
    request: HttpRequest, template: str, *, page: str = "", **context: Any
) -> HttpResponse:
    """Render `web/settings/<template>.html` below the navigation, in which `page` is marked.

    By default that is the page of the template's name.
    """
    shown = page or template
    shared = {
        "section": "settings",
        "sections": [(f"web:settings-{name}", title, name == shown) for name, title in SECTIONS],
    }
    return render(request, f"web/settings/{template}.html", {**shared, **context})


def submitted(
    form: BaseForm, act: Callable[[dict[str, Any]], _Done], *, field: str | None = None
) -> _Done | None:
    """Return what `act` makes of a form that is sent and valid, else None.

    What the service refuses is an error of the form, or of one of its fields.
    """
    if not form.is_bound or not form.is_valid():
        return None
    try:
        return act(form.cleaned_data)
    except ServiceError as exc:
        form.add_error(field, exc.message)
        return None


def confirmation(
    request: HttpRequest,
    act: Callable[[], str],
    *,
    page: str,
    title: str,
    effects: Sequence[str],
    button: str,
    back: str,
    then: str = "",
) -> HttpResponse:
    """Ask before something is destroyed: the form posts to the same address, and `act` does it.

    The next page, `then` or `back`, shows the sentence that it returns.
    """
    if request.method == "POST":
        if said := act():
            messages.success(request, said)
        return redirect(then or back)
    return settings_page(
        request, "confirm", page=page, title=title, effects=effects, button=button, back=back
    )


def page_of(request: HttpRequest, rows: "QuerySet[Any]") -> Page[Any]:
    """Return the page that the address names; the last one if there are not as many."""
    return Paginator(rows, SETTINGS_ROWS).get_page(request.GET.get("page"))


def actor_of(request: HttpRequest) -> str:
    """Return who is signed in, as the audit log names them."""
    return user_actor(person(request))


def person(request: HttpRequest) -> User:
    """Return who is signed in, on a page that asks for it."""
    return cast(User, request.user)
