"""The branches of one project, and the one that a request about it names, exactly."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

from central.corpus.branches.chosen import DEFAULT_REF, NamedBranch, branches_of_visible
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.db import one_moment
from central.errors import InvalidError, NotFoundError
from central.tenancy.credentials import Credential
from indexer.records.refs import short_name


class ProjectBranches(NamedTuple):
    """The short name of a repository's default branch, and the other branches by name.

    Of a project that is not visible there are none, and no name is refused: reading the project
    is.
    """

    repository_id: int = 0
    default: str = ""
    others: Sequence[NamedBranch] = ()

    def other_name(self, ref: str) -> str:
        """Return the short name; "" of the default branch by any of its names."""
        name = short_name(ref)
        return "" if ref == DEFAULT_REF or name == self.default else name

    def chosen(self, ref: str) -> ChosenBranch | None:
        """Return the branch of this name, short or full; None: the default one.

        Raises NotFoundError with the code branch_not_found, or branch_not_indexed.
        """
        name = self.other_name(ref)
        if not name or not self.repository_id:
            return None
        found = next((branch for branch in self.others if branch.name == name), None)
        if found is None:
            names = ", ".join([self.default, *(branch.name for branch in self.others)])
            raise NotFoundError(
                f"The repository has no branch of this name in the index; it has {names}.",
                code="branch_not_found",
            )
        if not found.is_indexed:
            raise NotFoundError(
                f"The branch {name} is not indexed, or must be indexed in full again: its next "
                "run does so. Leave ref out for the default branch.",
                code="branch_not_indexed",
            )
        return ChosenBranch(self.repository_id, found.bit, found.key)


def project_branches(credential: Credential, project: str) -> ProjectBranches:
    """Return the branches of a project. Outside of a branch's scope: there it is the default."""
    if "\0" in project:  # which PostgreSQL refuses
        return ProjectBranches()
    for repository, default, others in branches_of_visible(credential, project):
        return ProjectBranches(repository, default.name, others)
    return ProjectBranches()


def other_branch(credential: Credential, *, project: str, ref: str) -> ChosenBranch | None:
    """Return the branch of this name; None: the default one, or no such project.

    Raises NotFoundError as `ProjectBranches.chosen` does.
    """
    return project_branches(credential, project).chosen(ref) if ref else None


@contextmanager
def reading_branch(credential: Credential, *, project: str, ref: str) -> Iterator[None]:
    """Inside, what is read of the project is of this branch, and of one moment.

    Without `ref`, and for a project that is not visible, it is as outside. Raises NotFoundError as
    `ProjectBranches.chosen` does.
    """
    with one_moment() if ref else nullcontext():
        chosen = other_branch(credential, project=project, ref=ref)
        with on_branches([chosen] if chosen else []):
            yield


def require_default_branch(credential: Credential, *, project: str, ref: str, what: str) -> None:
    """Raise InvalidError if `ref` is another branch: `what` is of the default one only.

    Raises NotFoundError as `ProjectBranches.chosen` does.
    """
    if other_branch(credential, project=project, ref=ref):
        message = (
            f"{what} is of the default branch only; leave ref out, or ask git in a clone of "
            f"{short_name(ref)}."
        )
        raise InvalidError(message, code="branch_not_supported", errors={"ref": [message]})
