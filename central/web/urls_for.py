"""Addresses of pages, what is asked in them, and the check that one is this service's."""

import re
from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.urls.converters import StringConverter
from django.utils.http import RFC3986_SUBDELIMS, url_has_allowed_host_and_scheme

from central.http.parameters import query_object

REF: Final = "ref"  # in addresses: a branch
_SAFE: Final = f"{RFC3986_SUBDELIMS}/~:@"  # as in django.urls.resolvers


class FilePathConverter(StringConverter):
    """The path of a file: any text, even with line breaks."""

    regex = "(?s:.+)"


def given_in(
    request: HttpRequest, *, lists: Collection[str] = (), numbers: Mapping[str, re.Pattern[str]]
) -> dict[str, Any]:
    """Return what the address asks for; a form sends empty fields, too."""
    query = query_object(request.GET, lists=frozenset(lists), numbers=numbers)
    return {name: value for name, value in query.items() if value not in ("", [""])}


def breadcrumbs(
    organization: str, project: str, path: str, *, ref: str = ""
) -> list[tuple[str, str]]:
    """Return (name, address) of each directory of a path; the last address is ""."""
    *directories, name = path.split("/")
    found = []
    for count, directory in enumerate(directories, 1):
        above = "/".join(directories[:count])
        found.append((directory, directory_url(organization, project, above, ref=ref)))
    return [*found, (name, "")]


def directory_url(organization: str, project: str, path: str = "", *, ref: str = "") -> str:
    """Return the page of a directory; of the repository's root without a path.

    `ref` is the short name of a branch beside the default one.
    """
    kwargs = {"organization": organization, "project": project}
    if not path:
        return f"{reverse('web:tree', kwargs=kwargs)}{ref_query(ref)}"
    return f"{reverse('web:directory', kwargs={**kwargs, 'path': path})}{ref_query(ref)}"


def file_url(organization: str, project: str, path: str, line: int = 0, *, ref: str = "") -> str:
    """Return the address of a file's page, at a line; `ref` as of `directory_url`."""
    kwargs = {"organization": organization, "project": project, "path": path}
    url = f"{reverse('web:file', kwargs=kwargs)}{ref_query(ref)}"
    return f"{url}#L{line}" if line else url


def ref_query(ref: str) -> str:
    """Return what follows the path of an address to name a branch; "" for the default one."""
    return f"?{urlencode({REF: ref})}" if ref else ""


def history_url(organization: str, project: str, path: str) -> str:
    """Return the page of the commits that changed a path, or of all if it is empty."""
    kwargs = {"organization": organization, "project": project}
    if not path:
        return reverse("web:history", kwargs=kwargs)
    return reverse("web:path-history", kwargs={**kwargs, "path": path})


def entry_urls(organization: str, project: str, path: str) -> tuple[str, str]:
    """Return the beginnings of the addresses of a directory's directories and of its files.

    A page of 1,000 entries adds their names: `quoted`.
    """
    of_file = file_url(organization, project, f"{path}/x" if path else "x")
    of_directory = directory_url(organization, project, f"{path}/x" if path else "x")
    return of_directory.removesuffix("x"), of_file.removesuffix("x")


def quoted(name: str) -> str:
    """Quote a part of a path as `reverse` does."""
    return quote(name, safe=_SAFE)


def references_url(organization: str, project: str, path: str) -> str:
    """Return the beginning of the addresses of a file's references: <line>/<column> follow."""
    return _positions_url("web:reference", organization, project, path)


def name_panels_url(organization: str, project: str, path: str) -> str:
    """Return the beginning of the addresses of a file's panels: <line>/<column> follow."""
    return _positions_url("web:name-panel", organization, project, path)


def _positions_url(page: str, organization: str, project: str, path: str) -> str:
    kwargs = {"organization": organization, "project": project, "path": path}
    address = reverse(page, kwargs={**kwargs, "line": 0, "column": 0})
    return address.removesuffix("0/0")


def search_url(organization: str, text: str) -> str:
    return _page_with_query("web:search", organization, {"q": text})


def symbol_url(organization: str, name: str, **query: object) -> str:
    """Return a symbol's page; `project`, `file` and `line` choose among its definitions."""
    return _page_with_query("web:symbol", organization, {"name": name, **query})


class TracePages(NamedTuple):
    """Addresses of what a trace names: those of `project` stay on its branch `ref`."""

    organization: str
    project: str
    ref: str

    def ref_of(self, project: str) -> str:
        """Return the branch of a project's pages; "" for the default one."""
        return self.ref if project == self.project else ""

    def file(self, project: str, path: str, line: int = 0) -> str:
        """Return the page of a file, at a line."""
        return file_url(self.organization, project, path, line, ref=self.ref_of(project))

    def end(self, project: str, file: str, name: str) -> str:
        """Return the page of one end of a link; the file's page for a file's top level."""
        if not name:
            return self.file(project, file)
        place = {"project": project, "file": file, "ref": self.ref_of(project)}
        return symbol_url(self.organization, name, **place)


def graph_url(organization: str, name: str, **query: object) -> str:
    return _page_with_query("web:graph", organization, {"name": name, **query})


def node_url(organization: str, node: str, **query: object) -> str:
    address = reverse("web:node", kwargs={"organization": organization, "node": node})
    return f"{address}?{urlencode(query)}" if query else address


def _page_with_query(page: str, organization: str, query: dict[str, object]) -> str:
    given = {name: value for name, value in query.items() if value not in {"", None, 0}}
    return f"{_address(page, organization)}?{urlencode(given)}"


@lru_cache(maxsize=256)
def _address(page: str, organization: str) -> str:
    """Cached: the page of a large file needs it hundreds of times."""
    return reverse(page, kwargs={"organization": organization})


def is_own(request: HttpRequest, address: str) -> bool:
    """Whether `address` is of this service, so that a redirect to it is safe."""
    return url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
