"""Exit codes and titles of errors."""

from collections.abc import Iterator

import pytest

from indexer import errors
from indexer.exits import Exit


def all_errors(root: type[errors.IndexerError]) -> Iterator[type[errors.IndexerError]]:
    yield root
    for child in root.__subclasses__():
        yield from all_errors(child)


def test_every_error_has_a_title_of_its_own_and_no_exit_code_that_is_none_of_an_error() -> None:
    known = set(all_errors(errors.IndexerError))
    own = [one for one in known if one.__module__ == errors.__name__]
    assert all("title" in vars(one) for one in own)
    assert len({one.title for one in own}) == len(own)
    assert {one.exit_code for one in known} == {
        Exit.USAGE, Exit.NOT_INDEXED, Exit.UNREACHABLE, Exit.REFUSED,
    }  # fmt: skip
    assert all(code.meaning for code in Exit)


def test_what_an_error_quotes_can_be_stored_and_shown() -> None:
    """Its message may be git's, a service's or a file's: PostgreSQL stores no NUL."""
    said = "it said: damaged\0 \x1b[31m\u202e\ud800\nadvice\tof ours"
    for kind in all_errors(errors.IndexerError):
        more = {"run_id": "1"} if issubclass(kind, errors.RunConflictError) else {}
        shown, said_after, _ = str(kind(said, **more)).partition(": a repository of that size")
        assert shown.endswith("it said: damaged� �[31m[U+202E]�\nadvice\tof ours")
        assert bool(said_after) == (kind is errors.TreeTooLargeError)


@pytest.mark.parametrize(
    ("code", "status", "ends"),
    [
        ("symbol_not_found", 404, Exit.NOTHING_FOUND),
        ("file_not_found", 404, Exit.NOTHING_FOUND),
        ("repository_not_found", 404, Exit.NOT_INDEXED),
        ("invalid", 400, Exit.USAGE),
        ("insufficient_scope", 403, Exit.REFUSED),
        ("organization_not_found", 404, Exit.REFUSED),
    ],
)
def test_a_refusal_that_only_says_that_there_is_nothing_is_no_refusal(
    code: str, status: int, ends: Exit
) -> None:
    assert errors.CentralRefusedError("no", code=code, status=status).exit_code is ends


@pytest.mark.parametrize(
    ("status", "says"),
    [(401, "credential"), (403, "allow"), (404, "does not know"), (400, "refused")],
)
def test_a_refusal_is_told_by_its_status(status: int, says: str) -> None:
    assert says in errors.CentralRefusedError("no", status=status).title


def test_only_for_a_shallow_clone_the_lines_are_known() -> None:
    assert "fetch-depth: 0" in errors.ShallowCloneError("no").message
    assert errors.ShallowCloneError("no").message.startswith("no\n- uses:")
    assert errors.GitError("no").message == "no"
