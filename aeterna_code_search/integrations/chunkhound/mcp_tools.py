"""`code.search`, `code.search_batch` and `code.status` as tools of `codesearch mcp`.

The path of an agent may be any directory that the user can read.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

import anyio.to_thread
from mcp.types import CallToolResult
from pydantic import Field

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.requests import Query
from aeterna_code_search.agents.results import success
from aeterna_code_search.integrations.chunkhound.errors import CodeSearchError
from aeterna_code_search.integrations.chunkhound.records import (
    ChunkType,
    SearchAnswer,
    SearchRequest,
    Target,
)
from aeterna_code_search.integrations.chunkhound.requests import (
    CHUNKHOUND_BATCH_CHARACTERS,
    CHUNKHOUND_EXCLUDE_CHARACTERS,
    CHUNKHOUND_EXPANSION,
    CHUNKHOUND_RESULTS,
    DEFAULT_LIMIT,
    make_request,
    one_query,
    split_queries,
)
from aeterna_code_search.integrations.chunkhound.search import (
    index_status,
    search_batch,
    search_code,
)
from aeterna_code_search.integrations.chunkhound.targets import resolve_target
from aeterna_code_search.integrations.chunkhound.text import batch_text, search_text, status_text
from indexer.records.files import LABEL_CHARACTERS, PATH_BYTES

_Answer = TypeVar("_Answer")

ProjectPath = Annotated[
    str | None,
    Field(max_length=PATH_BYTES, description="The project's directory; default: the server's"),
]
DatabasePath = Annotated[
    str | None,
    Field(
        max_length=PATH_BYTES,
        description="ChunkHound database, relative to the project; default: its usual path",
    ),
]
Limit = Annotated[int, Field(ge=1, le=CHUNKHOUND_RESULTS, description="Results at most")]
LanguageName = Annotated[
    str | None, Field(max_length=LABEL_CHARACTERS, description="Such as python, typescript, go")
]
Kind = Annotated[ChunkType | None, Field(description="What a result must be")]
Exclude = Annotated[
    str | None,
    Field(
        max_length=CHUNKHOUND_EXCLUDE_CHARACTERS,
        description="Parts of paths to leave out, in any case: test|mock|fixture",
    ),
]
Expand = Annotated[
    int | None,
    Field(
        ge=0,
        le=CHUNKHOUND_EXPANSION,
        description="Lines of the source file before and after a result",
    ),
]
Queries = Annotated[
    str,
    Field(
        min_length=1,
        max_length=CHUNKHOUND_BATCH_CHARACTERS,
        description="Queries, separated by |: auth logic|token validation",
    ),
]

_TITLES: Final = {
    "code.search": "Search a project by meaning",
    "code.search_batch": "Search a project for several queries",
    "code.status": "Status of a project's code index",
}


def add_tools(tools: ToolRegistry, environ: Mapping[str, str], directory: Path) -> None:
    """Register the tools; `directory` is the project of calls without a path."""
    code = _CodeTools(environ, directory)
    for name, title in _TITLES.items():
        tool = getattr(code, name.removeprefix("code."))
        tools.add(tool, title=title, name=name, is_always_structured=True)


@dataclass(frozen=True)
class _CodeTools:
    """The tools; their docstrings are the descriptions that agents read."""

    environ: Mapping[str, str] = field(repr=False)
    directory: Path

    async def search(
        self,
        query: Query,
        path: ProjectPath = None,
        db: DatabasePath = None,
        limit: Limit = DEFAULT_LIMIT,
        language: LanguageName = None,
        chunk_type: Kind = None,
        exclude: Exclude = None,
        expand: Expand = None,
    ) -> CallToolResult:
        """Search a project's code by meaning, in its ChunkHound database or this service's index.

        Answers file, lines, name, kind, score (best first) and code of each result. Example:
        query="authentication logic", chunk_type="function", exclude="test|mock".
        """

        def answer() -> SearchAnswer:
            request = self._request(path, db, one_query(query), **filters)
            return search_code(self.environ, request)

        filters = {"limit": limit, "language": language, "chunk_type": chunk_type}
        filters |= {"exclude": exclude, "expand": expand}
        answered = await _in_thread(answer)
        return success(search_text(answered), asdict(answered))

    async def search_batch(
        self,
        queries: Queries,
        path: ProjectPath = None,
        db: DatabasePath = None,
        limit: Limit = DEFAULT_LIMIT,
        language: LanguageName = None,
        chunk_type: Kind = None,
        exclude: Exclude = None,
        expand: Expand = None,
    ) -> CallToolResult:
        """Search a project's code for several queries at once, separated by |.

        Returns the best results of all queries, each once, in the form of code.search. Example:
        queries="auth logic|token validation|session handling".
        """

        def answer() -> SearchAnswer:
            request = self._request(path, db, split_queries(queries), **filters)
            return search_batch(self.environ, request)

        filters = {"limit": limit, "language": language, "chunk_type": chunk_type}
        filters |= {"exclude": exclude, "expand": expand}
        answered = await _in_thread(answer)
        return success(batch_text(answered), asdict(answered))

    async def status(self, path: ProjectPath = None, db: DatabasePath = None) -> CallToolResult:
        """Count the files, chunks and languages of a project's code index."""
        answered = await _in_thread(lambda: index_status(self.environ, self._target(path, db)))
        return success(status_text(answered), asdict(answered))

    def _target(self, path: str | None, db: str | None) -> Target:
        return resolve_target(self.environ, self.directory, path=path, db=db)

    def _request(
        self, path: str | None, db: str | None, queries: tuple[str, ...], **filters: Any
    ) -> SearchRequest:
        return make_request(self._target(path, db), queries, **filters)


async def _in_thread(answer: Callable[[], _Answer]) -> _Answer:
    """Run `answer` in a thread; a cancelled call does not wait for it."""
    try:
        return await anyio.to_thread.run_sync(answer, abandon_on_cancel=True)
    except CodeSearchError as error:
        raise ToolError(str(error), code=error.code, status=error.status) from error
