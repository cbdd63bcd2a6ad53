"""Addresses of pages, and which addresses are our own."""

from functools import lru_cache
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme


class FilePathConverter:
    """The path of a file: anything at all, for a name may hold even line breaks."""

    regex = "(?s:.+)"

    def to_python(self, value: str) -> str:
        """The path in an address."""
        return value

    def to_url(self, value: str) -> str:
        """The path for an address; Django quotes it."""
        return value


def breadcrumbs(organization: str, project: str, path: str) -> list[tuple[str, str]]:
    """(name, address) of each directory down to a file: a search of what is below it.

    The file's own address is "".
    """
    home = reverse("web:search", kwargs={"organization": organization})
    *directories, name = path.split("/")
    found = []
    for count, directory in enumerate(directories, 1):
        below = "/".join(directories[:count]) + "/"
        found.append((directory, f"{home}?{urlencode({'project': project, 'path': below})}"))
    return [*found, (name, "")]


def file_url(organization: str, project: str, path: str, line: int = 0) -> str:
    """The file's page, at a line."""
    kwargs = {"organization": organization, "project": project, "path": path}
    url = reverse("web:file", kwargs=kwargs)
    return f"{url}#L{line}" if line else url


def symbol_url(organization: str, name: str, **query: object) -> str:
    """What is known of a name; `project`, `file` and `line` choose among its definitions."""
    return _asked("web:symbol", organization, {"name": name, **query})


def end_url(organization: str, project: str, file: str, name: str) -> str:
    """What is known of one end of a link; a file's top level has no name: its file is shown."""
    if not name:
        return file_url(organization, project, file)
    return symbol_url(organization, name, project=project, file=file)


def graph_url(organization: str, name: str, **query: object) -> str:
    """The call graph around a name, chosen alike."""
    return _asked("web:graph", organization, {"name": name, **query})


def node_url(organization: str, node: str, **query: object) -> str:
    """The page of a node of the knowledge graph, by its id."""
    address = reverse("web:node", kwargs={"organization": organization, "node": node})
    return f"{address}?{urlencode(query)}" if query else address


def _asked(page: str, organization: str, query: dict[str, object]) -> str:
    given = {name: value for name, value in query.items() if value not in {"", None, 0}}
    return f"{_address(page, organization)}?{urlencode(given)}"


@lru_cache(maxsize=256)
def _address(page: str, organization: str) -> str:
    """Looked up once: the page of a large file asks for it some hundred times."""
    return reverse(page, kwargs={"organization": organization})


def is_own(request: HttpRequest, address: str) -> bool:
    """Whether a browser that follows `address` stays here: where it is sent to may be anybody's."""
    return url_has_allowed_host_and_scheme(
        address, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
