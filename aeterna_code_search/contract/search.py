"""A search: its request and its answer."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Final

from aeterna_code_search.contract.notes import PAGES, YOUNGER, argument
from aeterna_code_search.contract.projects import (
    MISSING_MORE,
    OWNERS,
    AnsweringProject,
    MissingProject,
)
from indexer.limits import (
    PASTED_CHARACTERS,
    PROJECTS_NAMED,
    QUERIES,
    QUERY_CHARACTERS,
    REF_CHARACTERS,
    RESULTS,
)
from indexer.records.files import ChunkType

EXACT_LINES_OF_RESULT: Final = 20

EXPANDED_CONTENT: Final = 20_000  # characters, where `expand` is given and `max_content` is not


class Mode(StrEnum):
    """The lists that a search uses; the last three read the text as it stands in files."""

    HYBRID = "hybrid"
    SEMANTIC = "semantic"
    LEXICAL = "lexical"
    SYMBOL = "symbol"
    LITERAL = "literal"
    REGEX = "regex"
    STRUCTURAL = "structural"


class GroupBy(StrEnum):
    """What is one result of a ranked search: a definition or piece of text, or a whole file.

    Searches for symbols list definitions, and exact searches list files, whatever it says.
    """

    NONE = "none"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """`POST /api/v1/search`: exactly one of `query` and `queries`.

    Once it is read, `queries` has the only one, too. `lines`: how many of each result of an exact
    search; only pages ask for others.
    """

    query: str = argument(
        "",
        f"At most {QUERY_CHARACTERS:,} characters, unless it is a stack trace",
        tool="Question, name, stack trace or path:line",
        chars=PASTED_CHARACTERS,
        is_trimmed=True,
    )
    queries: tuple[str, ...] = argument(
        (),
        tool="Instead of query: wordings",
        chars=QUERY_CHARACTERS,
        is_trimmed=True,
        fewest=1,
        most=QUERIES,
    )
    limit: int = argument(
        10,
        tool="Results at most",
        low=1,
        high=RESULTS,
        cli="Maximum number of results",
        option="--limit --top-k -k",
    )
    mode: Mode = argument(
        Mode.HYBRID,
        tool="structural: ast-grep patterns",
        sidecar="",
        cli="Search mode; hybrid: by words and meaning",
    )
    include_projects: tuple[str, ...] = argument(
        (),
        "Search these only",
        tool="Only these repositories",
        sidecar=None,
        chars=200,
        most=PROJECTS_NAMED,
        cli="Only this repository; repeatable",
        option="--project -p NAME",
    )
    exclude_projects: tuple[str, ...] = argument(
        (),
        "Leave these out",
        tool="Not these repositories",
        sidecar="",
        chars=200,
        most=PROJECTS_NAMED,
        cli="Not this repository; repeatable",
        option="--exclude-project NAME",
    )
    ref: str = argument(
        "",
        "Branches to search in place of the default one, as after rev: in a query: main, "
        "release/*, main:release/1",
        tool="Branch",
        sidecar=None,
        chars=REF_CHARACTERS,
        is_trimmed=True,
        cli="Search these branches in place of the default one, such as release/*",
        option="--ref NAME",
    )
    language: str = argument(
        "",
        "Such as python",
        tool="Such as python",
        sidecar="",
        chars=40,
        cli="Language, such as python",
        option="NAME",
    )
    chunk_type: str = argument(
        "",
        tool="Kind of hits",
        sidecar="",
        choices=tuple(map(str, ChunkType)),
        cli="Kind of the hit",
        option="--type",
    )
    path: str = argument(
        "",
        "What a file's path begins with",
        tool="Start of a file's path",
        chars=1_024,
        cli="Only files whose path begins with this",
    )
    exclude: str = argument(
        "",
        "Parts of paths to leave out, separated by |, in any case: test|mock",
        tool="Skip paths with: test|mock",
        sidecar="Parts of paths to leave out: test|mock",
        chars=1_000,
        may_be_blank=True,
        cli='Skip paths that contain one of these, such as "test|mock"',
        option="PARTS",
    )
    expand: int = argument(
        0,
        "Lines to show before and after a hit; of an exact search in `context`",
        tool="Lines around a whole hit",
        sidecar="Lines to show around a hit",
        low=0,
        high=100,
        cli="Lines to show before and after a hit",
    )
    max_content: int = argument(
        500,
        f"Characters of content: 500, or {EXPANDED_CONTENT} with expand",
        sidecar="Characters of content at most",
        low=0,
        high=100_000,
        is_default_told=False,
    )
    min_similarity: float | None = argument(
        None,
        tool="No hits below it",
        sidecar="",
        low=0.0,
        high=1.0,
        cli="Omit less similar hits (0.0-1.0)",
    )
    explain: bool = argument(
        False, "Say why each result is where it is", cli="Say why each hit has its place"
    )
    group_by: GroupBy = argument(
        GroupBy.NONE,
        "file: one result for each file, its best hit, with further ones as spans. "
        "Symbol searches list definitions and exact searches list files in any case",
        sidecar="file: one result a file",
    )
    facets: bool = argument(
        False, "Count the files found by repository, language and directory; not with cursor"
    )
    cursor: str = argument("", "next_cursor of a page", tool="next_cursor", chars=500)
    lines: int = EXACT_LINES_OF_RESULT


class Confidence(StrEnum):
    """Whether an answer has a good match; `NONE`: its hits are the nearest that there are."""

    STRONG = "strong"
    WEAK = "weak"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Effect:
    """What a rule of the ranking did to a result's score."""

    rule: Annotated[str, "Such as definition, coverage, tests"]
    adds: Annotated[float, "To the score; the best by similarity and words is 1.0"] = 0.0
    times: Annotated[float, "The factor on the score; 1.0: none"] = 1.0


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a result is where it is."""

    semantic_rank: Annotated[int | None, "Its place by similarity among what it was ranked with"]
    lexical_rank: Annotated[int | None, "Its place by words"]
    rules: list[Effect]


class Side(StrEnum):
    """What a commit did to a line; `NONE` of a line that is in a file, or in a message."""

    NONE = ""
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class MatchedLine:
    """A line with matches. `ranges` are [start, end) in `text`, from 0.

    `column` is that of the text's first character, from 1: a long line is cut around its first
    match, and `truncated` is true. A match over several lines is a range in each of them.
    `defines`: a definition of a matched name begins here.
    """

    line: int
    text: str
    ranges: list[list[int]]
    column: int = 1
    truncated: bool = False
    defines: bool = False
    side: Annotated[
        Side,
        tuple(Side),
        "Of type:diff: what the commit did; line counts those of that side",
        YOUNGER,
    ] = Side.NONE


@dataclass(frozen=True, slots=True)
class FacetCount:
    """A value and how many files have it."""

    value: Annotated[
        str, "A repository, a language, a directory with a slash at its end, an owner or none"
    ]
    files: int


@dataclass(frozen=True, slots=True)
class Facets:
    """Files by repository, language, directory and owner, most files first.

    Directories are those below the deepest one that holds all files.
    """

    files: int
    at_least: Annotated[bool, "Whether the search may not have read all files that match"]
    repository: list[FacetCount]
    language: list[FacetCount]
    directory: list[FacetCount]
    owner: list[FacetCount]
    branches: Annotated[
        list[FacetCount], "Where branches were asked for; a file may be on several", YOUNGER
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ResultSpan:
    """A further hit in the file of a result."""

    start_line: int
    end_line: int
    name: str
    container: str
    chunk_type: str
    score: float


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line near one that matches; `truncated`: it is longer than the text."""

    line: int
    text: str
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ResultCommit:
    """The commit of a hit of type:commit or type:diff; its id is the result's `commit`."""

    subject: str
    author: Annotated[str, "An address or its digest, by the policy of the organisation; or empty"]
    authored_at: Annotated[str, "RFC 3339, in UTC"]
    committed_at: Annotated[str, "RFC 3339, in UTC"]
    merge: Annotated[
        str | None,
        "The commit of the branch's first-parent line that brought it, which may be itself",
    ]
    reverts: Annotated[list[str], "Commits that it takes back"]
    reverted_by: Annotated[list[str], "Commits of the branch that take it back"]
    changed: Annotated[int, "Paths that it changes"]
    url: Annotated[str | None, "At the forge"]


@dataclass(frozen=True, slots=True)
class Result:
    """A hit; of type:commit and type:diff, `commit` is the one found, and `change` is there."""

    project: str
    commit: str
    file: str
    start_line: int
    end_line: int
    ranges: Annotated[
        list[list[int]],
        "First and last line of each piece of it that was found, ascending",
        YOUNGER,
    ]
    language: str
    chunk_type: str
    name: Annotated[str, "What is defined; empty where nothing is"]
    container: Annotated[str, "The enclosing class, dotted when nested"]
    score: Annotated[float, "0.0-1.0, comparable within the answer"]
    similarity: Annotated[
        float | None, "Cosine of the embeddings, 0.0-1.0, comparable across answers"
    ]
    content: str
    content_start_line: int
    truncated: Annotated[bool, "Whether content or context was cut at max_content"]
    matched: Annotated[
        list[str], "Of several queries those that found it; of one, its words that occur in it"
    ]
    url: Annotated[str | None, "Its lines at the forge or, where that is unknown, here"]
    why: Annotated[Explanation | None, "Only with explain", YOUNGER]
    lines: Annotated[
        list[MatchedLine], "Of an exact search: lines with matches, the first of the file", YOUNGER
    ] = field(default_factory=list)
    matches: Annotated[int | None, "Of an exact search: how many the file has", YOUNGER] = None
    spans: Annotated[
        list[ResultSpan], "With group_by=file: further hits in the file, best first", YOUNGER
    ] = field(default_factory=list)
    context: Annotated[
        list[ContextLine],
        "Of an exact search with expand: the lines around `lines`, each once, ascending",
        YOUNGER,
    ] = field(default_factory=list)
    generated: Annotated[
        bool,
        "Whether the file is generated; only exact searches find those, behind all others",
        YOUNGER,
    ] = False
    note: Annotated[
        str,
        "Of a frame of a stack trace: why this line is shown and not the frame's, or empty",
        YOUNGER,
    ] = ""
    owners: Annotated[list[str] | None, OWNERS, YOUNGER] = None
    change: Annotated[ResultCommit | None, "Of type:commit and type:diff", YOUNGER] = None
    branches: Annotated[
        list[str],
        "Where branches were asked for: those of them that have it; `commit` is the first one's",
        YOUNGER,
    ] = field(default_factory=list)


class ReadAs(StrEnum):
    """What a query is, if it is not read by the query language."""

    STACK_TRACE = "stack_trace"
    PLACE = "place"
    ERROR_MESSAGE = "error_message"


@dataclass(frozen=True, slots=True)
class Reading:
    """How a pasted query was read."""

    read_as: Annotated[ReadAs, tuple(ReadAs)]
    text: Annotated[str, "The same, as a sentence"]
    query: Annotated[str, "Finds these results and all others, by the query language; or empty"] = (
        ""
    )
    parts: Annotated[
        list[str], "Of an error message: the parts that were not filled in and stand in the results"
    ] = field(default_factory=list)
    frames: Annotated[int, "Of a stack trace: its frames, each once"] = 0
    elsewhere: Annotated[int, "Of these, how many are in no indexed repository"] = 0


@dataclass(frozen=True, slots=True)
class Instead:
    """The answer by words to a query whose quoted text stands nowhere: none of it has the text."""

    query: Annotated[str, "The words, or the parts of the text that were found"]
    results: list[Result]
    confidence: Annotated[Confidence | None, tuple(Confidence)]
    match: float | None


@dataclass(frozen=True, slots=True)
class Total:
    """What an exact search found on all pages."""

    matches: int
    files: int
    at_least: Annotated[bool, "Whether there may be more: the search stopped counting"]


@dataclass(frozen=True, slots=True)
class SearchReceipt:
    """What was searched and what was not."""

    complete: Annotated[bool, "Whether nothing is missing"]
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]
    missing_more: Annotated[int, MISSING_MORE, YOUNGER]


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The last line of a stream; `hint` explains why there is no other."""

    receipt: SearchReceipt
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """A page of results."""

    query: str
    queries: list[str]
    count: int
    results: list[Result]
    next_cursor: str | None
    receipt: SearchReceipt
    confidence: Annotated[Confidence | None, tuple(Confidence), YOUNGER]
    match: Annotated[
        float | None,
        "Estimated probability, 0.0-1.0, that the first ten hits hold a right answer, comparable "
        "across answers",
        YOUNGER,
    ]
    hint: Annotated[str | None, "Why it is empty or weak, or a better query"] = None
    total: Annotated[Total | None, "Of an exact search", YOUNGER] = None
    reading: Annotated[
        Reading | None, "If the query is a pasted stack trace, place or error message", YOUNGER
    ] = None
    instead: Annotated[
        Instead | None,
        "Only if there are no results, because a quoted text stands nowhere",
        YOUNGER,
    ] = None
    facets: Annotated[Facets | None, "With facets, on the first page", PAGES] = None
