"""What a tool answers instead of a result: a stable code, a status and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass

INDEX_NOT_FOUND = "INDEX_NOT_FOUND"
# The API's:
INVALID = "invalid"
SYMBOL_NOT_FOUND = "symbol_not_found"


class RefusedError(Exception):
    """A refusal or an expected failure.

    `message` is safe to show and says what to do, `code` is stable, `status` is HTTP's. `near`:
    names in repositories that are like the one that was asked for.
    """

    def __init__(self, message: str, *, code: str, status: int, near: Sequence[str] = ()) -> None:
        super().__init__(f"{message} Alike: {', '.join(near)}." if near else message)
        self.message = message
        self.code = code
        self.status = status
        self.near = tuple(near)


@dataclass(frozen=True, slots=True)
class Advice:
    """What a caller of this server does to have something indexed: whole sentences."""

    build_index: str


LOCAL_ADVICE = Advice("Build it with `codesearch init` in the repository.")
CENTRAL_ADVICE = Advice(
    "Build it with `codesearch init` in a clone of the repository, or run the index action there."
)
