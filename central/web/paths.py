"""Paths of repositories in addresses and on pages."""

from urllib.parse import urlencode

from django.urls import reverse


class FilePathConverter:
    """The path of a file: anything at all, for a name may hold even line breaks."""

    regex = "(?s:.+)"

    def to_python(self, value: str) -> str:
        """The path in an address."""
        return value

    def to_url(self, value: str) -> str:
        """The path for an address; Django quotes it."""
        return value


def crumbs(organization: str, project: str, path: str) -> list[tuple[str, str]]:
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
