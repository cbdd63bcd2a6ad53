"""What a tool answers instead of a result: a stable code, a status and what to do next."""

from dataclasses import dataclass

INDEX_NOT_FOUND = "INDEX_NOT_FOUND"
INVALID = "INVALID"
SYMBOL_NOT_FOUND = "symbol_not_found"  # the API's


class RefusedError(Exception):
    """A refusal or an expected failure.

    `message` is safe to show and says what to do, `code` is stable, `status` is HTTP's.
    """

    def __init__(self, message: str, *, code: str, status: int) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status


@dataclass(frozen=True, slots=True)
class Advice:
    """What a caller of this server does to have something indexed: whole sentences."""

    build_index: str


LOCAL_ADVICE = Advice("Build it with `codesearch init` in the repository.")
CENTRAL_ADVICE = Advice(
    "Build it with `codesearch init` in a clone of the repository, or run the index action there."
)
