"""Saved searches: listed, made, opened, changed and deleted."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods
from rest_framework.exceptions import ValidationError

from central.alerts.models import AlertDestination
from central.errors import ConflictError, InvalidError, ServiceError
from central.http.rate_limits import enforce
from central.saved_searches.models import SavedSearch
from central.saved_searches.services.saved import (
    SAVED_SEARCH_NAME_CHARACTERS,
    change_search,
    delete_search,
    is_watchable,
    request_of,
    save_search,
    visible_searches,
)
from central.saved_searches.services.saved import saved_search as find_saved_search
from central.tenancy.credentials import Credential
from central.web.access import CHANGES, administers, member_page
from central.web.search_form import address_of, parse_search, saved_fields

ADDRESS_CHARACTERS = 20_000  # of a search that is saved


@never_cache
@member_page
@require_http_methods(["GET", "HEAD", "POST"])
def searches(request: HttpRequest, credential: Credential) -> HttpResponse:
    """List one's own and the shared ones; with POST, save the search of an address."""
    user = cast(User, request.user)
    context: dict[str, Any] = {}
    status = 200
    if request.method == "POST":
        enforce(f"searches {user.pk}", CHANGES, what="settings")
        try:
            made = _save(request, credential, user)
        except (InvalidError, ConflictError) as exc:
            context = {"problem": exc.message}
            status = 409 if isinstance(exc, ConflictError) else 400
        else:
            messages.success(request, f"Saved: {made.name}")
            return redirect("web:searches", organization=credential.organization.slug)
    found = visible_searches(credential=credential, user=user).select_related("owner")
    rows = [_row(search, user) for search in found]
    context |= {
        "section": "search",
        "own": [row for row in rows if row["is_own"]],
        "shared": [row for row in rows if not row["is_own"]],
        "may_delete": administers(credential),
        "has_receiver": AlertDestination.objects.filter(
            organization=credential.organization
        ).exists(),
        "most": SAVED_SEARCH_NAME_CHARACTERS,
    }
    return render(request, "web/searches.html", context, status=status)


@never_cache
@member_page
@require_http_methods(["GET", "HEAD", "POST"])
def saved_search(request: HttpRequest, credential: Credential, search_id: int) -> HttpResponse:
    """Lead to the search, which asks with the reader's rights; with POST, change it."""
    user = cast(User, request.user)
    organization = credential.organization.slug
    found = find_saved_search(credential=credential, user=user, search_id=search_id)
    if request.method != "POST":
        page = reverse("web:search", kwargs={"organization": organization})
        return redirect(f"{page}{address_of(found.request)}")
    enforce(f"searches {user.pk}", CHANGES, what="settings")
    change_search(
        search=found,
        user=user,
        name=request.POST.get("name", ""),
        is_shared="shared" in request.POST,
        is_watched="watched" in request.POST,
    )
    messages.success(request, f"Changed: {request.POST.get('name', '').strip()}")
    return redirect("web:searches", organization=organization)


@never_cache
@member_page
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest, credential: Credential, search_id: int) -> HttpResponse:
    """Ask, then delete."""
    user = cast(User, request.user)
    found = find_saved_search(credential=credential, user=user, search_id=search_id)
    if request.method == "POST":
        enforce(f"searches {user.pk}", CHANGES, what="settings")
        delete_search(search=found, user=user, credential=credential)
        messages.success(request, f"Deleted: {found.name}")
        return redirect("web:searches", organization=credential.organization.slug)
    return render(request, "web/delete_search.html", {"section": "search", "search": found})


def _save(request: HttpRequest, credential: Credential, user: User) -> SavedSearch:
    """Save what the form has. Raises InvalidError, ConflictError."""
    address = request.POST.get("address", "")
    if len(address) > ADDRESS_CHARACTERS:
        raise InvalidError("The search is too long to be saved: shorten it.")
    asked = parse_search(QueryDict(address), organization=credential.organization.slug)
    if asked.request is None:
        said = [sentence for found in asked.errors.values() for sentence in found]
        raise InvalidError(" ".join(said) or "There is no search to save: search first.")
    return save_search(
        credential=credential,
        user=user,
        name=request.POST.get("name", ""),
        request=saved_fields(asked),
        is_shared="shared" in request.POST,
        is_watched="watched" in request.POST,
    )


def _row(search: SavedSearch, user: User) -> dict[str, Any]:
    is_own = search.owner_id == user.pk
    return {
        "search": search,
        "is_own": is_own,
        "text": search.request.get("query", ""),
        "is_watchable": is_own and (search.is_watched or _is_watchable(search)),
    }


def _is_watchable(search: SavedSearch) -> bool:
    try:
        return is_watchable(request_of(search, search.organization.slug))
    except (ServiceError, ValidationError):
        return False
