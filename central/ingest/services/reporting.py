"""The canonical dump by name, for commands."""

from central.common.errors import NotFoundError
from central.corpus.dump import dump_lines
from central.repositories.models import Repository


def dump_of(*, organization: str, repository: str) -> list[str]:
    """The dump of a repository. Raises NotFoundError, StoreError."""
    found = (
        Repository.objects.select_related("organization")
        .filter(
            organization__slug=organization.removeprefix("org-"), name=repository, retired_at=None
        )
        .first()
    )
    if found is None:
        raise NotFoundError(
            f"There is no repository '{repository}' in an organisation '{organization}'.",
            code="repository_not_found",
        )
    return dump_lines(found)
