"""Saved searches: made, listed, changed and deleted by their owners."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from aeterna_code_search.contract.search import SearchRequest
from central.errors import ConflictError, InvalidError, NotFoundError
from central.saved_searches.models import SavedSearch, WatchedRepository
from central.search.exact.plan import exact_plan
from central.search.history.plan import commit_plan
from central.search.reading import read_request
from central.search.views import SearchRequestSerializer
from central.tenancy.audit import record, user_actor
from central.tenancy.credentials import Credential
from central.tenancy.models import Membership, Organization, Scope

if TYPE_CHECKING:
    from django.contrib.auth.models import User

SAVED_SEARCHES_OF_PERSON: Final = 20  # in an organisation
SAVED_SEARCHES_OF_ORGANIZATION: Final = 200
SAVED_SEARCH_NAME_CHARACTERS: Final = 100
_REQUESTS: Final = SearchRequestSerializer()


def visible_searches(*, credential: Credential, user: "User") -> QuerySet[SavedSearch]:
    """Select a person's own, and shared ones if the person sees the whole organisation.

    The text of a shared one may name what others do not see.
    """
    seen = Q(owner=user)
    if credential.sees_all:
        seen |= Q(is_shared=True)
    return SavedSearch.objects.filter(seen, organization=credential.organization)


def saved_search(*, credential: Credential, user: "User", search_id: int) -> SavedSearch:
    """Return one that the person sees. Raises NotFoundError (`saved_search_not_found`)."""
    found = visible_searches(credential=credential, user=user).filter(pk=search_id).first()
    if found is None:
        raise NotFoundError("There is no such saved search for you.", code="saved_search_not_found")
    return found


def request_of(search: SavedSearch, organization: str) -> SearchRequest:
    """Return the search as a request. Raises ValidationError if it is no longer valid."""
    request: SearchRequest = _REQUESTS.read({**search.request, "org_id": organization})
    return request


def is_watchable(request: SearchRequest) -> bool:
    """Whether it has lines that are found or not: what is ranked has none, nor have commits.

    New files are looked for on default branches only.

    Raises InvalidError for what cannot be searched for.
    """
    read = read_request(request)
    if read.commits:
        commit_plan(read)
        return False
    if read.is_exact:
        exact_plan(read).check_structural()
    return read.is_exact and not read.refs


def save_search(
    *,
    credential: Credential,
    user: "User",
    name: str,
    request: Mapping[str, Any],
    is_shared: bool = False,
    is_watched: bool = False,
) -> SavedSearch:
    """Save a search. `request` has the fields of the API.

    Raises InvalidError, ConflictError (`saved_search_exists`, `too_many_saved_searches`).
    """
    name = _checked_name(name)
    organization = credential.organization
    made = SavedSearch(
        organization=organization,
        owner=user,
        name=name,
        request=dict(request),
        is_shared=is_shared,
        is_watched=is_watched,
    )
    _check_request(made)
    with transaction.atomic():
        Organization.objects.select_for_update().get(pk=organization.pk)  # counts stay true
        _check_name_is_free(made)
        _check_room(made)
        made.save()
        _record(made, user, "saved_search.created")
    return made


def change_search(
    *, search: SavedSearch, user: "User", name: str, is_shared: bool, is_watched: bool
) -> None:
    """Change a search of one's own. The state of a watch that ends is deleted.

    Raises NotFoundError, InvalidError, ConflictError (`saved_search_exists`).
    """
    _require_owner(search, user)
    name = _checked_name(name)
    with transaction.atomic():
        changed = SavedSearch.objects.select_for_update(of=("self",)).filter(pk=search.pk).first()
        if changed is None:
            raise NotFoundError("It was deleted meanwhile.", code="saved_search_not_found")
        was_watched = changed.is_watched
        changed.name, changed.is_shared, changed.is_watched = name, is_shared, is_watched
        if is_watched and not was_watched:
            _check_request(changed)
        _check_name_is_free(changed)
        if was_watched and not is_watched:
            WatchedRepository.objects.filter(search=changed).delete()
            changed.found, changed.found_since, changed.problem = 0, None, ""
        changed.save()
        _record(changed, user, "saved_search.changed")


def delete_search(*, search: SavedSearch, user: "User", credential: Credential) -> None:
    """Delete a search of one's own, or as an administrator a shared one. Raises NotFoundError."""
    administers = Scope.ADMIN in credential.scopes and credential.sees_all
    if not (search.is_shared and administers):
        _require_owner(search, user)
    with transaction.atomic():
        search.delete()
        _record(search, user, "saved_search.deleted")


def _require_owner(search: SavedSearch, user: "User") -> None:
    if search.owner_id != user.pk:
        raise NotFoundError(
            "The search is another person's: only its owner changes it.",
            code="saved_search_not_found",
        )


def _checked_name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= SAVED_SEARCH_NAME_CHARACTERS or not name.isprintable():
        raise _refused(
            "name", f"A name has 1 to {SAVED_SEARCH_NAME_CHARACTERS} characters on one line."
        )
    return name


def _check_request(search: SavedSearch) -> None:
    """Raise InvalidError for a query that cannot be read, or not be watched if it is to be."""
    can_be_watched = is_watchable(request_of(search, search.organization.slug))
    if search.is_watched and not can_be_watched:
        raise _refused(
            "is_watched",
            "Only exact, structural and filter searches of files can be watched: a search by words "
            "or meaning finds something always. Put the text in quotes, without type:commit, "
            "type:diff or rev:.",
        )


def _check_name_is_free(search: SavedSearch) -> None:
    same = SavedSearch.objects.filter(
        organization=search.organization, owner=search.owner, name=search.name
    )
    if same.exclude(pk=search.pk).exists():
        raise ConflictError(
            "You have a saved search of this name. Choose another one.", code="saved_search_exists"
        )


def _check_room(search: SavedSearch) -> None:
    """Raise ConflictError if the person, or the organisation, has as many as there may be."""
    others = SavedSearch.objects.filter(organization=search.organization)
    for found, most, whose in (
        (others.filter(owner=search.owner), SAVED_SEARCHES_OF_PERSON, "You have"),
        (others, SAVED_SEARCHES_OF_ORGANIZATION, "The organisation has"),
    ):
        if found.count() >= most and not _forget_former_members(found):
            raise ConflictError(
                f"{whose} {most} saved searches. Delete one first.",
                code="too_many_saved_searches",
            )


def _forget_former_members(searches: QuerySet[SavedSearch]) -> bool:
    """Delete unshared searches of former members; return whether there were any."""
    members = Membership.objects.filter(
        user=OuterRef("owner"), organization=OuterRef("organization")
    )
    ownerless = searches.filter(~Exists(members), is_shared=False, owner__is_superuser=False)
    deleted, _ = ownerless.delete()
    return deleted > 0


def _refused(field: str, message: str) -> InvalidError:
    return InvalidError(message, errors={field: [message]})


def _record(search: SavedSearch, user: "User", action: str) -> None:
    """Record who did what, without the query: it may hold a secret."""
    record(
        actor=user_actor(user),
        action=action,
        target=search.name,
        organization=search.organization,
        detail={"shared": search.is_shared, "watched": search.is_watched},
    )
