"""Which repositories a credential sees. Only this module decides it.

The rule has two forms, tested to agree: `visible_repositories` for the ORM and VISIBLE for SQL.
Every limit of the credential must hold: organisation, names, visibilities and the job's binding.
A retired repository is visible to no credential. The rest of the module is what answers need of
the visible repositories: snapshots, and which commits answered.
"""

from collections.abc import Iterable
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote, urlencode

from django.db.models import QuerySet
from django.urls import reverse

from aeterna_code_search.contract.projects import AnsweringProject, MissingProject
from central.db import fetch_rows, sql_with
from central.errors import NotFoundError
from central.http.urls import service_url
from central.repositories.expectations import EXPECTED
from central.repositories.models import Repository
from central.repositories.states import FAILURES
from central.tenancy.credentials import Credential
from indexer.records.refs import short_name

OF_BRANCHES: Final = 1 << 32  # generations from it on are of branches beside the default one
MISSING_WITHOUT_INDEX: Final = 20  # projects without an index that a receipt names


def visible_repositories(*, credential: Credential) -> QuerySet[Repository]:
    """Select the repositories that the credential sees."""
    repositories = Repository.objects.filter(
        organization=credential.organization, retired_at__isnull=True
    )
    if credential.repositories is not None:
        repositories = repositories.filter(name__in=credential.repositories)
    if credential.visibilities is not None:
        repositories = repositories.filter(visibility__in=credential.visibilities)
    if credential.binding is not None:
        repositories = repositories.filter(forge_key=credential.binding.repository_id)
    return repositories


# The same rule in SQL, on a Repository `r`; `visible_parameters` are its parameters.
VISIBLE = """r.organization_id = %s AND r.retired_at IS NULL
    AND (%s::text[] IS NULL OR r.name = ANY(%s::text[]))
    AND (%s::text[] IS NULL OR r.visibility = ANY(%s::text[]))
    AND (%s::bigint IS NULL OR r.github_id = %s::bigint)"""


def visible_parameters(*, credential: Credential) -> list[Any]:
    """Return the parameters of VISIBLE."""
    names, kinds = _sorted(credential.repositories), _sorted(credential.visibilities)
    bound = credential.binding and credential.binding.repository_id
    return [credential.organization.pk, names, names, kinds, kinds, bound, bound]


def _sorted(values: frozenset[str] | None) -> list[str] | None:
    return None if values is None else sorted(values)


def is_visible_name(*, credential: Credential, name: str) -> bool:
    """Return whether the credential may know of a repository `name`, which need not exist yet."""
    return credential.repositories is None or name in credential.repositories


_KEPT: Final = "!$&'()*+,;=/~:@"  # in a path (RFC 3986), as `reverse` keeps it


class RepositorySnapshot(NamedTuple):
    """A visible repository as it was read; `generation` 0 means never indexed.

    `is_expected`: an answer about all repositories lacks something if this one has no index.
    """

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
    extractor: str
    is_expected: bool
    created_at: datetime
    ref: str
    organization: str
    service_url: str

    @property
    def incomplete_reason(self) -> str:
        """Why its index may be incomplete, or "".

        One of failed, not_cloned, never_indexed, behind or paused.
        """
        if self.trouble in FAILURES:
            return self.trouble
        if self.generation == 0:
            return "never_indexed"
        return self.trouble or ("paused" if self.paused else "")

    @property
    def branch(self) -> str:
        """The short name of the branch that was read instead of the default one; else ""."""
        return short_name(self.ref) if self.generation >= OF_BRANCHES else ""

    def missing(self, reason: str) -> "MissingProject":
        """Return its row in a receipt."""
        return MissingProject(self.name, reason, None if self.generation else self.created_at)

    def url(self, path: str, first_line: int, last_line: int | None = None) -> str | None:
        """Return the address of a file's lines at the indexed commit, at the forge or else here.

        None if neither the forge's address nor this service's public address is known.
        """
        lines = f"#L{first_line}" if last_line is None else f"#L{first_line}-L{last_line}"
        if self.web_url:
            return f"{forge_file_url(self.web_url, self.commit, path)}{lines}"
        if not self.service_url:
            return None
        page = f"{_files_url(self.organization, self.name)}{quote(path, safe=_KEPT)}"
        on_branch = f"?{urlencode({'ref': self.branch})}" if self.branch else ""
        return f"{self.service_url}{page}{on_branch}{lines}"


@lru_cache(maxsize=10_000)
def _files_url(organization: str, project: str) -> str:
    """Return a file page's address up to the path. Cached: `reverse` is slow, answers are long."""
    kwargs = {"organization": organization, "project": project, "path": "_"}
    return reverse("web:file", kwargs=kwargs).removesuffix("_")


def forge_commit_url(web_url: str, commit: str) -> str | None:
    """Return the address of a commit at the forge; None if the forge's address is not known."""
    return f"{web_url.rstrip('/')}/commit/{commit}" if web_url else None


def forge_file_url(web_url: str, commit: str, path: str) -> str:
    """Return the address of a file at the forge, as of a commit."""
    return f"{web_url.rstrip('/')}/blob/{commit}/{quote(path, safe='/')}"


def forge_directory_url(web_url: str, commit: str, path: str) -> str:
    """Return the address of a directory at the forge, as of a commit."""
    return f"{web_url.rstrip('/')}/tree/{commit}/{quote(path, safe='/')}".rstrip("/")


_sql = sql_with(
    visible=VISIBLE,
    repository=Repository,
    snapshot=f"""r.id, r.name, r.web_url, r.generation, r.last_indexed_commit, r.indexed_at,
        r.embedder, r.chunks, r.paused, r.trouble, r.extractor, {EXPECTED}, r.created_at,
        r.tracked_ref""",
)
_IN_SIGHT = _sql("""\
SELECT {snapshot}
    FROM {repository} r WHERE {visible} ORDER BY r.name""")
_NAMED = _sql("""\
SELECT {snapshot}
    FROM {repository} r WHERE {visible} AND r.name = %s::text""")


def repository_snapshots(*, credential: Credential) -> list[RepositorySnapshot]:
    """Read every repository that the credential sees, by name."""
    rows = fetch_rows(_IN_SIGHT, visible_parameters(credential=credential))
    own = (credential.organization.slug, service_url())
    return [RepositorySnapshot._make((*row, *own)) for row in rows]


def repository_snapshot(*, credential: Credential, project: str) -> RepositorySnapshot:
    """Read one repository. Raises NotFoundError if the credential does not see it."""
    asked = [*visible_parameters(credential=credential), project]
    rows = [] if "\0" in project else fetch_rows(_NAMED, asked)
    if not rows:
        raise NotFoundError(
            "There is no such repository for this credential; check project.",
            code="repository_not_found",
        )
    return RepositorySnapshot._make((*rows[0], credential.organization.slug, service_url()))


def listed_missing(missing: Iterable[MissingProject]) -> tuple[list[MissingProject], int]:
    """Return those that a receipt names, by name, and how many more there are.

    Of those without an index, or without a branch, the first MISSING_WITHOUT_INDEX: a new
    organisation has thousands.
    """
    listed: list[MissingProject] = []
    waiting = 0
    for project in sorted(missing, key=lambda item: item.project):
        is_without = project.since is not None or project.reason == "no_such_branch"
        waiting += is_without
        if not is_without or waiting <= MISSING_WITHOUT_INDEX:
            listed.append(project)
    return listed, max(0, waiting - MISSING_WITHOUT_INDEX)


def answering_projects(repositories: Iterable[RepositorySnapshot]) -> list[AnsweringProject]:
    """Return those that are indexed, in the same order."""
    return [
        AnsweringProject(item.name, item.commit, item.indexed_at, short_name(item.ref))
        for item in repositories
        if item.generation > 0
    ]
