"""The repositories visible to a credential: the one place that decides it, and their snapshots."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from django.db.models import QuerySet
from django.urls import reverse

from central.db import fetch_rows, id_array, sql_with
from central.http.urls import service_url
from central.repositories.models import Repository
from central.tenancy.credentials import Credential


def visible_repositories(*, credential: Credential) -> QuerySet[Repository]:
    """Repositories of the credential's organisation that it may see. What is not here, is not."""
    repositories = Repository.objects.filter(
        organization=credential.organization, retired_at__isnull=True
    )
    if credential.repositories is not None:
        repositories = repositories.filter(name__in=credential.repositories)
    if credential.visibilities is not None:
        repositories = repositories.filter(visibility__in=credential.visibilities)
    if credential.binding is not None:
        repositories = repositories.filter(github_id=credential.binding.repository_id)
    return repositories


# The same as a condition of SQL on a Repository `r`, with its parameters.
VISIBLE = """r.organization_id = %s AND r.retired_at IS NULL
    AND (%s::text[] IS NULL OR r.name = ANY(%s::text[]))
    AND (%s::text[] IS NULL OR r.visibility = ANY(%s::text[]))
    AND (%s::bigint IS NULL OR r.github_id = %s::bigint)"""


def visible_parameters(*, credential: Credential) -> list[Any]:
    """What VISIBLE is asked with."""
    names, kinds = _sorted(credential.repositories), _sorted(credential.visibilities)
    bound = credential.binding and credential.binding.repository_id
    return [credential.organization.pk, names, names, kinds, kinds, bound, bound]


def _sorted(values: frozenset[str] | None) -> list[str] | None:
    return None if values is None else sorted(values)


_KEPT: Final = "!$&'()*+,;=/~:@"  # in a path (RFC 3986), as `reverse` keeps it


class RepositoryInSight(NamedTuple):
    """A visible repository; `generation` 0 means never indexed."""

    id: int
    name: str
    web_url: str
    generation: int
    commit: str
    indexed_at: datetime | None
    embedder: str
    chunks: int
    paused: bool
    trouble: str
    organization: str
    service_url: str

    @property
    def lack(self) -> str:
        """Why its index may lack something: failed, never_indexed, behind or paused; else ""."""
        if self.trouble == "failed":
            return "failed"
        if self.generation == 0:
            return "never_indexed"
        return self.trouble or ("paused" if self.paused else "")

    def url(self, path: str, first_line: int, last_line: int | None = None) -> str | None:
        """Lines of a file at the indexed commit on the forge; where that is unknown, on our page.

        None where it is not known either how clients reach this service.
        """
        lines = f"#L{first_line}" if last_line is None else f"#L{first_line}-L{last_line}"
        if self.web_url:
            return f"{forge_file_url(self.web_url, self.commit, path)}{lines}"
        if not self.service_url:
            return None
        page = f"{_files_url(self.organization, self.name)}{quote(path, safe=_KEPT)}"
        return f"{self.service_url}{page}{lines}"


@lru_cache(maxsize=10_000)
def _files_url(organization: str, project: str) -> str:
    """Before the path of a page of a file: answers have hundreds, and `reverse` is slow."""
    kwargs = {"organization": organization, "project": project, "path": "_"}
    return reverse("web:file", kwargs=kwargs).removesuffix("_")


def forge_file_url(web_url: str, commit: str, path: str) -> str:
    """A file of a repository at the forge, as of a commit."""
    return f"{web_url.rstrip('/')}/blob/{commit}/{quote(path, safe='/')}"


@dataclass(frozen=True, slots=True)
class AnsweringProject:
    """Which commit of a project answered, and since when it is indexed."""

    project: str
    commit: str
    indexed_at: datetime | None


@dataclass(frozen=True, slots=True)
class MissingProject:
    """A project in scope of which an answer may lack something."""

    project: str
    reason: str


_sql = sql_with(visible=VISIBLE, repository=Repository)
_IN_SIGHT = _sql("""\
SELECT r.id, r.name, r.web_url, r.generation, r.last_indexed_commit, r.indexed_at,
        r.embedder, r.chunks, r.paused, r.trouble
    FROM {repository} r WHERE {visible} ORDER BY r.name""")
_GENERATIONS = _sql("""SELECT r.id, r.generation FROM {repository} r
    WHERE r.id = ANY(%s::bigint[])""")


def repositories_in_sight(*, credential: Credential) -> list[RepositoryInSight]:
    """Every repository that the credential sees, by name."""
    rows = fetch_rows(_IN_SIGHT, visible_parameters(credential=credential))
    own = (credential.organization.slug, service_url())
    return [RepositoryInSight._make((*row, *own)) for row in rows]


def have_moved(repositories: Iterable[RepositoryInSight]) -> bool:
    """Whether any of them was indexed anew, or deleted, since it was read."""
    known = {item.id: item.generation for item in repositories}
    return dict(fetch_rows(_GENERATIONS, [id_array(known)])) != known


def answering_projects(repositories: Iterable[RepositoryInSight]) -> list[AnsweringProject]:
    """Those that are indexed, in the same order."""
    return [
        AnsweringProject(item.name, item.commit, item.indexed_at)
        for item in repositories
        if item.generation > 0
    ]
