"""Lists and content of indexed files: what is asked."""

from dataclasses import dataclass
from typing import Annotated, Final

from aeterna_code_search.contract.notes import Argument
from aeterna_code_search.contract.trace import Cursor
from indexer.limits import FILES_LISTED, GLOB_CHARACTERS

_LINES: Final = 10_000_000
_PROJECT: Final = Argument("The repository's name", tool="The repository", chars=200)


@dataclass(frozen=True, slots=True)
class ListRequest:
    """`GET /files`."""

    project: Annotated[str, _PROJECT]
    path: Annotated[
        str,
        Argument(
            "A directory, from the repository's root; without: the root",
            tool="A directory; else the root",
            chars=1_024,
            may_be_blank=True,
        ),
    ] = ""
    glob: Annotated[
        str,
        Argument(
            "Paths that match, as in .gitignore: *.py at any depth, src/**/test_*.go "
            "from the directory; without: the entries of the directory",
            tool="Such as *.py, src/**/test_*.go",
            chars=GLOB_CHARACTERS,
        ),
    ] = ""
    limit: Annotated[int, Argument(tool="Entries at most", low=1, high=FILES_LISTED)] = 200
    cursor: Cursor = ""


@dataclass(frozen=True, slots=True)
class ContentRequest:
    """`GET /files/content`.

    `end_line` 0 is the last.
    """

    project: Annotated[str, _PROJECT]
    path: Annotated[
        str,
        Argument(
            "The file, from the repository's root", tool="From the repository's root", chars=1_024
        ),
    ]
    start_line: Annotated[int, Argument(tool="From 1", low=1, high=_LINES)] = 1
    end_line: Annotated[
        int,
        Argument(
            "Inclusive; without: the last", tool="Inclusive; else the last", low=1, high=_LINES
        ),
    ] = 0
