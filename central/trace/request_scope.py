"""What one trace may read, and the definitions that its symbol means."""

from collections.abc import Sequence
from dataclasses import dataclass

from central.corpus.models import File
from central.db import fetch_rows, id_array, sql_with
from central.errors import NotFoundError
from central.repositories.visibility import RepositoryInSight, repositories_in_sight
from central.tenancy.credentials import Credential
from central.trace.requests import Choice
from central.trace.resolve.definitions import (
    MAX_DEFINITIONS,
    Definition,
    Wanted,
    definitions_named,
    near_names,
)
from central.trace.resolve.engine import Inquiry
from central.trace.resolve.rules import RULES

_sql = sql_with(file=File)
_HAS_FILE = _sql("""SELECT FROM {file} f
    WHERE f.repository_id = ANY(%s::bigint[]) AND f.path = %s::text LIMIT 1""")


@dataclass(frozen=True, slots=True)
class Sight:
    """The repositories that the credential sees, by id, and what has been asked of them."""

    repositories: dict[int, RepositoryInSight]
    inquiry: Inquiry

    def named(self, project: str) -> RepositoryInSight:
        """The repository of this name. Raises NotFoundError."""
        for repository in self.repositories.values():
            if repository.name == project:
                return repository
        raise NotFoundError(
            "There is no such repository for this credential; check project.",
            code="repository_not_found",
        )

    def unknown(self, projects: Sequence[str]) -> list[str]:
        """Those of `projects` that are not in sight."""
        known = {repository.name for repository in self.repositories.values()}
        return sorted(set(projects) - known)


def sight_of(credential: Credential) -> Sight:
    """What the credential sees, with nothing asked yet."""
    repositories = {one.id: one for one in repositories_in_sight(credential=credential)}
    return Sight(repositories, Inquiry(RULES, repositories=repositories))


def chosen_definitions(sight: Sight, choice: Choice) -> tuple[list[Definition], bool]:
    """The definitions that a choice means, by project and place, and whether there are more.

    Raises NotFoundError for a project, a file or a symbol that is not there.
    """
    repository = sight.named(choice.project) if choice.project else None
    wanted = Wanted(choice.symbol, repository.id if repository else 0, choice.file, choice.line)
    found = definitions_named(sight.inquiry, wanted)
    if not found:
        raise _not_found(sight, choice, repository)
    names = {one.id: one.name for one in sight.repositories.values()}
    found.sort(key=lambda one: (names[one.repository], one.path, one.start_line))
    return found[:MAX_DEFINITIONS], len(found) > MAX_DEFINITIONS


def has_file(sight: Sight, path: str, repository: RepositoryInSight | None) -> bool:
    """Whether the repository, or any in sight, has the file."""
    ids = id_array([repository.id]) if repository else sight.inquiry.repositories
    return bool(fetch_rows(_HAS_FILE, [ids, path]))


def require_file(sight: Sight, path: str, repository: RepositoryInSight | None) -> None:
    """Raise NotFoundError unless the repository, or any in sight, has the file."""
    if not has_file(sight, path, repository):
        raise NotFoundError(
            "There is no such file in the index; check file: it is the path from the "
            "repository's root.",
            code="file_not_found",
        )


def _not_found(sight: Sight, choice: Choice, repository: RepositoryInSight | None) -> NotFoundError:
    if choice.file:
        require_file(sight, choice.file, repository)
    near = near_names(choice.symbol, repositories=sight.inquiry.repositories)
    narrowed = choice.project or choice.file or choice.line
    advice = (
        "Leave out project, file and line to look everywhere."
        if narrowed
        else "Check its spelling; near lists names that are alike."
        if near
        else "Search for it, or see /api/v1/index/status for what is indexed."
    )
    return NotFoundError(
        f"No definition is called so in what this credential sees. {advice}",
        code="symbol_not_found",
        near=near,
    )
