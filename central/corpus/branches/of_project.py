"""The branch that a request about one project names: exactly one, by its name."""

from collections.abc import Iterator
from contextlib import contextmanager

from central.corpus.branches.chosen import DEFAULT_REF, branches_of_visible, short_name
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.errors import InvalidError, NotFoundError
from central.tenancy.credentials import Credential


@contextmanager
def reading_branch(credential: Credential, *, project: str, ref: str) -> Iterator[None]:
    """Inside, what is read of the project is of this branch, and of one moment.

    Without `ref`, and for a project that is not visible, it is as outside. Raises NotFoundError
    with the code branch_not_found, or branch_not_indexed.
    """
    branch = other_branch(credential, project=project, ref=ref)
    with on_branches([branch] if branch else []):
        yield


def require_default_branch(credential: Credential, *, project: str, ref: str, what: str) -> None:
    """Raise InvalidError if `ref` is another branch: `what` is of the default one only.

    Raises NotFoundError as `reading_branch` does.
    """
    if other_branch(credential, project=project, ref=ref) is not None:
        message = (
            f"{what} is of the default branch only; leave ref out, or ask git in a clone of "
            f"{short_name(ref)}."
        )
        raise InvalidError(message, code="branch_not_supported", errors={"ref": [message]})


def other_branch(credential: Credential, *, project: str, ref: str) -> ChosenBranch | None:
    """Return the branch of this name, short or full; None: the default one, or no such project."""
    if not ref:
        return None
    name = short_name(ref)
    for repository, tracked, others in branches_of_visible(credential, project):
        if ref == DEFAULT_REF or name == short_name(tracked):
            return None
        found = next((branch for branch in others if branch.name == name), None)
        if found is None:
            names = ", ".join([short_name(tracked), *(branch.name for branch in others)])
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
        return ChosenBranch(repository, 1 << found.number, found.key)
    return None
