"""The repositories that a new token names: whether they exist."""

from collections.abc import Collection

from django.db.models import QuerySet

from central.errors import NotFoundError
from central.repositories.models import Repository
from central.sentences import similar_names
from central.tenancy.models import Scope
from indexer.output.terminal import NAMES, first_names


def check_token_repositories(
    repositories: QuerySet[Repository], *, scopes: Collection[str], names: Collection[str] | None
) -> str:
    """Return a warning about `names` that are not among `repositories`; "" if all are.

    A token with the scope `index` may create them; for any other token the names must exist.
    `names` None: the token names none. Raises NotFoundError (`repository_not_found`).
    """
    if names is None:
        return ""
    known = set(repositories.values_list("name", flat=True))
    unknown = sorted(set(names) - known)
    if not unknown:
        return ""
    near = similar_names(unknown[:NAMES], {name.lower(): name for name in known})
    listed = f"There is no repository {first_names(unknown)} yet.{near}"
    if Scope.INDEX in scopes:
        return f"{listed} The token may create it; check the name."
    raise NotFoundError(
        f"{listed} Name indexed repositories: without the scope index a token creates none.",
        code="repository_not_found",
    )
