"""Lists, content and history of indexed files: what is asked."""

from dataclasses import dataclass
from typing import Any

from aeterna_code_search.contract.notes import REQUIRED, argument
from aeterna_code_search.contract.trace import LAST_LINE, cursor
from indexer.limits import COMMITS_LISTED, FILES_LISTED, GLOB_CHARACTERS, REF_CHARACTERS


def _project() -> Any:
    return argument(REQUIRED, "The repository's name", tool="The repository", chars=200)


def _ref(*, is_readable: bool = True) -> Any:
    """Return the field. Neither tools nor commands have it of what only default branches have."""
    return argument(
        "",
        "A branch that is indexed; without: the default branch",
        tool="Branch" if is_readable else None,
        chars=REF_CHARACTERS,
        cli="A branch; default: the default one" if is_readable else None,
        option="--ref NAME",
    )


@dataclass(frozen=True, slots=True)
class ListRequest:
    """`GET /files`."""

    project: str = _project()
    path: str = argument(
        "",
        "A directory, from the repository's root; without: the root",
        tool="A directory; else the root",
        chars=1_024,
        may_be_blank=True,
    )
    glob: str = argument(
        "",
        "Paths that match, as in .gitignore: *.py at any depth, src/**/test_*.go "
        "from the directory; without: the entries of the directory",
        tool="Such as *.py, src/**/test_*.go",
        chars=GLOB_CHARACTERS,
        cli="Paths below it that match, as in .gitignore",
        option="--glob -g G",
    )
    ref: str = _ref()
    limit: int = argument(200, tool="Entries at most", low=1, high=FILES_LISTED)
    cursor: str = cursor()


@dataclass(frozen=True, slots=True)
class ContentRequest:
    """`GET /files/content`.

    `end_line` 0 is the last.
    """

    project: str = _project()
    path: str = argument(
        REQUIRED,
        "The file, from the repository's root",
        tool="From its root",
        chars=1_024,
    )
    start_line: int = argument(1, tool="From 1", low=1, high=LAST_LINE)
    end_line: int = argument(
        0, "Inclusive; without: the last", tool="Inclusive; else the last", low=1, high=LAST_LINE
    )
    ref: str = _ref()


@dataclass(frozen=True, slots=True)
class BlameRequest:
    """`GET /files/blame`.

    `end_line` 0 is the last.
    """

    project: str = _project()
    path: str = argument(REQUIRED, "The file, from the repository's root", chars=1_024)
    start_line: int = argument(1, "From 1", low=1, high=LAST_LINE)
    end_line: int = argument(0, "Inclusive; without: the last", low=1, high=LAST_LINE)
    ref: str = _ref(is_readable=False)


@dataclass(frozen=True, slots=True)
class HistoryRequest:
    """`GET /files/history`."""

    project: str = _project()
    path: str = argument(
        "",
        "A file, followed through its renames, or a directory; without: the whole repository",
        tool="File or directory; else all",
        chars=1_024,
        may_be_blank=True,
    )
    symbol: str = argument(
        "",
        "A definition: its name, or qualified, TokenVerifier.verify: only commits that changed its "
        "lines; without path: of the file that defines it",
        tool="Definition",
        chars=500,
        cli="Only commits that changed the lines of this definition",
        option="--symbol -s NAME",
    )
    after: str = argument(
        "",
        "Committed at this time or later: 2026-11-30, or with a time, 2026-11-30T12:00:00Z",
        tool="Since a date: 2026-11-30",
        chars=40,
        cli="Committed on this day or later: 2026-11-30",
        option="--after DATE",
    )
    before: str = argument(
        "",
        "Committed before this time",
        tool="Before a date",
        chars=40,
        cli="Committed before this day",
        option="--before DATE",
    )
    ref: str = _ref(is_readable=False)
    limit: int = argument(20, tool="Commits at most", low=1, high=COMMITS_LISTED)
    cursor: str = cursor()
