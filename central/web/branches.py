"""Which branch a page shows: `ref` of its address, and the links to the same of other branches.

Only pages of files and of a repository's index know of branches; all else is of the default one.
"""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, ParamSpec
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from central.corpus.branches.of_project import ProjectBranches, project_branches
from central.corpus.branches.scope import on_branches
from central.db import one_moment
from central.errors import InvalidError
from central.tenancy.credentials import Credential
from central.web.urls_for import REF, ref_query

_P = ParamSpec("_P")
_KEPT = ("q",)  # of an address, on another branch; pages and lists of it are others


@dataclass(frozen=True, slots=True)
class BranchChoice:
    """A branch, and the address of the page on it; "" if the branch is not indexed."""

    name: str
    address: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class PageBranch:
    """The branch beside the default one that a page shows by its short name; "": the default one.

    `query` follows a page's path to stay on it. `choices` are empty if there are no others.
    """

    name: str = ""
    choices: Sequence[BranchChoice] = ()

    @property
    def query(self) -> str:
        return ref_query(self.name)


_DEFAULT = PageBranch()


def branch_of(request: HttpRequest) -> PageBranch:
    """Return the branch that a page shows."""
    found: PageBranch = getattr(request, "page_branch", _DEFAULT)
    return found


def require_default(request: HttpRequest, what: str) -> None:
    """Raise InvalidError on the page of another branch."""
    if branch_of(request).name:
        raise InvalidError(
            f"{what} is of the default branch only; open the page of that one.",
            code="branch_not_supported",
        )


def branch_page(
    view: Callable[Concatenate[HttpRequest, Credential, str, _P], HttpResponse],
) -> Callable[..., HttpResponse]:
    """Let a page of a project read the branch that the address names, and one moment of it.

    A branch that is not there or not indexed gets 404.
    """

    @wraps(view)
    def shown(
        request: HttpRequest,
        credential: Credential,
        project: str,
        *args: _P.args,
        **kwargs: _P.kwargs,
    ) -> HttpResponse:
        ref = request.GET.get(REF, "")
        with one_moment() if ref else nullcontext():
            found = project_branches(credential, project)
            chosen = found.chosen(ref)
            request.page_branch = _page_branch(request, found)  # type: ignore[attr-defined]
            with on_branches([chosen] if chosen else []):
                return view(request, credential, project, *args, **kwargs)

    return shown


def _page_branch(request: HttpRequest, found: ProjectBranches) -> PageBranch:
    """Return the branch of an address that names one that is indexed."""
    if not found.others:
        return _DEFAULT
    name = found.other_name(request.GET.get(REF, ""))
    kept = {key: request.GET[key] for key in _KEPT if key in request.GET}
    default = BranchChoice(found.default, f"?{urlencode(kept)}", is_shown=not name)
    others = [
        BranchChoice(
            other.name,
            f"?{urlencode({**kept, REF: other.name})}" if other.is_indexed else "",
            is_shown=other.name == name,
        )
        for other in found.others
    ]
    return PageBranch(name, [default, *others])
