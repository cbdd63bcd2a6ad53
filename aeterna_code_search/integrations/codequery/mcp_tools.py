"""CodeQuery as a tool of `codesearch mcp --with codequery`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import anyio.to_thread
from mcp.types import CallToolResult
from pydantic import Field

from aeterna_code_search.agents.backend import ToolError
from aeterna_code_search.agents.registry import SYNCHRONIZES_A_SERVICE, ToolRegistry
from aeterna_code_search.agents.results import success
from aeterna_code_search.integrations.codequery.configuration import (
    CODEQUERY_CONCURRENT,
    CODEQUERY_SECONDS,
)
from aeterna_code_search.integrations.codequery.discovery import CODEQUERY_FILES
from aeterna_code_search.integrations.codequery.errors import EXIT_CODES, Code
from aeterna_code_search.integrations.codequery.records import CODEQUERY_RESULTS
from aeterna_code_search.integrations.codequery.tool import ALIASES, NAME, codequery
from indexer.exits import Exit
from indexer.limits import QUERY_CHARACTERS
from indexer.output.terminal import escape_lines

_STATUS_CODES: Final[Mapping[Exit, int]] = {
    Exit.USAGE: 400,
    Exit.REFUSED: 403,
    Exit.UNREACHABLE: 503,
    Exit.NOT_INDEXED: 409,
}


def add_tools(tools: ToolRegistry, environ: Mapping[str, str], directory: Path) -> None:
    """Register CodeQuery for `directory`; each call checks that the user's settings enable it."""

    async def call(  # noqa: PLR0913 (the tool's parameters)
        query: Annotated[
            str, Field(min_length=1, max_length=QUERY_CHARACTERS, description="The question")
        ],
        vector_store_id: Annotated[
            str | None, Field(description="Use this OpenAI vector store")
        ] = None,
        vector_store_name: Annotated[
            str | None, Field(description="Use the vector store of this name; created if missing")
        ] = None,
        file_paths: Annotated[
            list[str] | None,
            Field(max_length=CODEQUERY_FILES, description="Index these files only"),
        ] = None,
        concurrent_limit: Annotated[
            int | None, Field(ge=1, le=CODEQUERY_CONCURRENT, description="Concurrent uploads")
        ] = None,
        timeout_ms: Annotated[
            int | None,
            Field(
                ge=1, le=int(1000 * CODEQUERY_SECONDS), description="Time limit of the whole call"
            ),
        ] = None,
        model: Annotated[str | None, Field(description="Starts with gpt-5")] = None,
        max_num_results: Annotated[
            int | None, Field(ge=1, le=CODEQUERY_RESULTS, description="Matches at most")
        ] = None,
        include_results: Annotated[
            bool | None, Field(description="Include the matches in the answer")
        ] = None,
    ) -> CallToolResult:
        """Answer a question about this checkout's code in natural language, by OpenAI.

        It uploads the checkout's changed files to a vector store of the user's account at OpenAI,
        and works only where the user's own settings switch it on. A first call may take long: give
        a larger timeout_ms, or call again. Example: query="How are tokens verified?".
        """
        arguments = {
            "query": query,
            "vector_store_id": vector_store_id,
            "vector_store_name": vector_store_name,
            "file_paths": file_paths,
            "concurrent_limit": concurrent_limit,
            "timeout_ms": timeout_ms,
            "model": model,
            "max_num_results": max_num_results,
            "include_results": include_results,
        }
        answer = await anyio.to_thread.run_sync(
            lambda: codequery(arguments, environ=environ, directory=directory)
        )
        return _result(answer)

    tools.add(
        call,
        title="Ask about the code (OpenAI)",
        name=NAME,
        aliases=ALIASES,
        effects=SYNCHRONIZES_A_SERVICE,
        is_always_structured=True,
    )


def _result(answer: Mapping[str, Any]) -> CallToolResult:
    error = answer.get("error")
    if error:
        status = _STATUS_CODES[EXIT_CODES[Code(error["code"])]]
        raise ToolError(error["message"], code=error["code"], status=status)
    return success("\n".join(escape_lines(str(answer["answer"]))), answer)
