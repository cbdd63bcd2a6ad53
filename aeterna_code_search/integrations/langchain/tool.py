"""`codebase_search`, a tool for agents: JSON in, JSON out; disabled by default."""

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from langchain_core.runnables.config import run_in_executor
from langchain_core.tools import ArgsSchema, BaseTool
from pydantic import BaseModel, BeforeValidator, Field, PrivateAttr, model_validator

from aeterna_code_search.integrations.langchain.codebase import (
    Codebase,
    IncompleteSearchError,
    NoIndexError,
    similarity_of,
)
from aeterna_code_search.integrations.langchain.config import CodebaseSearchToolConfig, Config
from indexer.client.responses import malformed_answer
from indexer.errors import IndexerError

TOOL_INPUT_CHARACTERS: Final = 65_536  # a query whose every character is escaped fits
_log = logging.getLogger(__name__)

_DISABLED_RAG: Final = "RAG is disabled. Enable with rag.enabled=true in config.yaml"
_DISABLED: Final = (
    "Codebase search is disabled. Index your codebase first, then enable it with "
    "tools.codebase_search.enabled=true in config.yaml"
)
_CUT: Final = "\n... (truncated)"
_DESCRIPTION: Final = """\
Search the indexed codebase by meaning, in natural language, and by names in the code.

input_str is a string that holds a JSON object with one member, query. For example:
{"query": "how does authentication work"}

Returns JSON: success, results (each with file, type, name, lines, similarity from 0 to 1 and
code_snippet; the most similar first), count, and error, which says what to do if success is false.
If there is a member incomplete, it says what the results may lack."""


def _as_text(value: object) -> object:
    """Encode an object, which models pass for a string of JSON."""
    return json.dumps(value) if isinstance(value, Mapping) else value


class CodebaseSearchInput(BaseModel):
    """The tool's arguments, as a model sees them."""

    input_str: Annotated[str, BeforeValidator(_as_text)] = Field(
        description='A JSON object as text, such as {"query": "how does authentication work"}'
    )

    @model_validator(mode="before")
    @classmethod
    def _wrap_query(cls, arguments: Any) -> Any:
        """Accept the object itself, which some models pass without the string around it."""
        if isinstance(arguments, Mapping) and "input_str" not in arguments and "query" in arguments:
            return {"input_str": _as_text(arguments)}
        return arguments


class InputError(Exception):
    """Invalid input; the message is that of the answer."""


class CodebaseSearchTool(BaseTool):
    """Semantic search of the codebase of `directory` (default: the current one).

    `config` enables it and sets its limits. `projects`: see `Codebase`. The first search opens the
    index. Threads may share it. It never raises for the input of a model or the answer of a
    service: its own answer then has `"success": false` and the error.
    """

    name: str = "codebase_search"
    description: str = _DESCRIPTION
    args_schema: ArgsSchema | None = CodebaseSearchInput

    _rag_enabled: bool = PrivateAttr()
    _settings: CodebaseSearchToolConfig = PrivateAttr()
    _enabled: threading.Event = PrivateAttr(default_factory=threading.Event)
    _codebase: Codebase = PrivateAttr()

    def __init__(
        self,
        config: Config,
        *,
        directory: str | Path | None = None,
        projects: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._rag_enabled = config.rag.enabled
        self._settings = config.tools.codebase_search.model_copy()
        self._codebase = Codebase(directory, projects)
        if self._settings.enabled:
            self._enabled.set()

    def enable(self) -> None:
        """Enable searches, once the codebase is indexed."""
        self._enabled.set()

    def disable(self) -> None:
        """Disable searches: they are answered with an error."""
        self._enabled.clear()

    def reload_index(self) -> bool:
        """Reopen the index with the current environment; return whether there is one."""
        self._codebase.close()
        try:
            return self._codebase.size().exists
        except IndexerError as exc:
            _log.warning("The index cannot be opened: %s", exc)
            return False

    def get_info(self) -> dict[str, Any]:
        """Return name, settings and state of the tool, and the size of its index.

        If the index is unavailable, `index_exists` is None and `index_error` has the reason.
        """
        info: dict[str, Any] = {
            "name": self.name,
            "description": self.description,
            **self._settings.model_dump(),
            "enabled": self._enabled.is_set(),
            "rag_enabled": self._rag_enabled,
            "index_exists": None,
            "index_size": 0,
            "index_path": "",
        }
        try:
            info["index_path"] = self._codebase.location
            size = self._codebase.size()
        except IndexerError as exc:
            return {**info, "index_error": str(exc)}
        return {**info, "index_exists": size.exists, "index_size": size.chunks}

    def close(self) -> None:
        """Close the service; the next search opens it again."""
        self._codebase.close()

    def _run(self, input_str: str) -> str:
        """Search for `{"query": …}`; return the results as JSON."""
        return json.dumps(self._answer(input_str), indent=2)

    async def _arun(self, input_str: str) -> str:
        """Search in a thread, without blocking the event loop."""
        return await run_in_executor(None, self._run, input_str)

    def _answer(self, input_str: str) -> dict[str, Any]:
        if not self._rag_enabled:
            return _failure(_DISABLED_RAG)
        if not self._enabled.is_set():
            return _failure(_DISABLED)
        try:
            self._codebase.require_index()
            return self._search(_query_in(input_str))
        except (InputError, NoIndexError) as exc:
            return _failure(str(exc))
        except IndexerError as exc:
            return _failure(f"Search failed: {exc}")

    def _search(self, query: str) -> dict[str, Any]:
        settings = self._settings
        outcome = self._codebase.search(
            query,
            limit=settings.top_k,
            max_characters=settings.max_code_length,
            threshold=settings.similarity_threshold,
        )
        with malformed_answer(outcome.results):
            results = [
                _result(row, settings.max_code_length)
                for row in sorted(
                    outcome.results, key=lambda row: row["similarity"] or 0.0, reverse=True
                )
                if row["similarity"] is not None
                and similarity_of(row["similarity"]) >= settings.similarity_threshold
            ]
        if outcome.incomplete and not results:
            raise IncompleteSearchError(outcome.incomplete)
        answer = {"success": True, "results": results, "count": len(results), "error": ""}
        return {**answer, "incomplete": outcome.incomplete} if outcome.incomplete else answer


def _query_in(text: str) -> str:
    """Read the query of the input. Raises InputError."""
    if len(text) > TOOL_INPUT_CHARACTERS:
        raise InputError(
            f"Invalid JSON input: it has more than {TOOL_INPUT_CHARACTERS:,} characters"
        )
    try:
        values = json.loads(text)
    except (ValueError, RecursionError) as exc:
        raise InputError(f"Invalid JSON input: {exc}") from exc
    if not isinstance(values, dict) or "query" not in values:
        raise InputError("Missing required 'query' parameter")
    query = values["query"]
    if query is None or (isinstance(query, str) and not query.strip()):
        raise InputError("Query cannot be empty")
    if not isinstance(query, str):
        raise InputError("Query must be a string")
    return query


def _result(row: Mapping[str, Any], max_code_length: int) -> dict[str, Any]:
    code = row["content"]
    if row["truncated"] or len(code) > max_code_length:
        code = code[: max_code_length - len(_CUT)] + _CUT
    return {
        "file": row["file"],
        "type": row["chunk_type"],
        "name": row["name"] or "unnamed",
        "lines": f"{row['start_line']}-{row['end_line']}",
        "similarity": round(similarity_of(row["similarity"]), 4),
        "code_snippet": code,
    }


def _failure(error: str) -> dict[str, Any]:
    return {"success": False, "results": [], "count": 0, "error": error}
