"""What a request reads: some branches of some repositories, instead of their default ones."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from django.db import Error

from central.corpus.branches.tables import BITS, BRANCHES, REPOSITORIES, VIEWS
from central.db import execute, fetch_rows, id_array, one_moment, sql
from central.errors import UnavailableError
from central.repositories.models import Branch

_CHOOSE: Final = sql(
    "SELECT set_config(%s, %s, true), set_config(%s, %s, true), set_config(%s, %s, true)"
)
_PATH: Final = sql("SELECT current_setting('search_path')")
_SHOW: Final = sql(
    "SELECT set_config('search_path', %s, true) WHERE to_regnamespace(%s) IS NOT NULL"
)


class ChosenBranch(NamedTuple):
    """Branches of a repository by the bits of `File.branches`.

    `key` is that of the branch whose commit answers have; 0: that of the default one.
    """

    repository_id: int
    bits: int
    key: int

    @classmethod
    def of(cls, branch: Branch) -> "ChosenBranch":
        """Choose one branch beside the default one."""
        return cls(branch.repository_id, branch.bit, branch.pk)


def choose(chosen: Sequence[ChosenBranch]) -> None:
    """Choose what the views of branches show in this transaction."""
    execute(
        _CHOOSE,
        [
            *(REPOSITORIES, id_array(branch.repository_id for branch in chosen)),
            *(BITS, id_array(branch.bits for branch in chosen)),
            *(BRANCHES, id_array(branch.key for branch in chosen)),
        ],
    )


@contextmanager
def on_branches(chosen: Sequence[ChosenBranch]) -> Iterator[None]:
    """Inside, all that is read is of these branches, and of one moment.

    Of other repositories it is of their default branches. Raises UnavailableError while the
    service is being upgraded.
    """
    if not chosen:
        yield
        return
    with one_moment():
        [(before,)] = fetch_rows(_PATH)
        choose(chosen)
        if not fetch_rows(_SHOW, [f"{VIEWS}, {before}", VIEWS]):
            raise UnavailableError(
                "The tables of branches are being made: this service is being upgraded. Try again "
                "in a minute.",
                code="branches_unavailable",
            )
        try:
            yield
        except Error:  # the transaction ends, and with it the path
            raise
        except BaseException:
            fetch_rows(_SHOW, [before, VIEWS])
            raise
        fetch_rows(_SHOW, [before, VIEWS])
