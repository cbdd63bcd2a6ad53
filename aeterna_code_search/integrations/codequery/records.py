"""The validated request and the response of a call."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from aeterna_code_search.integrations.codequery.configuration import (
    CODEQUERY_CONCURRENT,
    CODEQUERY_SECONDS,
    Configuration,
)
from aeterna_code_search.integrations.codequery.discovery import CODEQUERY_FILES
from aeterna_code_search.integrations.codequery.errors import Code, CodeQueryError
from indexer.limits import QUERY_CHARACTERS
from indexer.output.terminal import first_names

CODEQUERY_STORE_NAME_CHARACTERS: Final = 256
CODEQUERY_RESULTS: Final = 50  # max_num_results
CODEQUERY_LISTED: Final = 200  # of failures or skipped files, in a response
DEFAULT_MODEL: Final = "gpt-5-mini"
FIELDS: Final = (
    "query", "vector_store_id", "vector_store_name", "file_paths", "concurrent_limit",
    "timeout_ms", "model", "max_num_results", "include_results",
)  # fmt: skip
_TOLD: Final = (
    "vector_store_id", "vector_store_name", "indexed_count", "skipped_count", "deleted_count",
    "moved_count", "query",
)  # fmt: skip
_MODEL: Final = re.compile(r"gpt-5[\w.-]{0,100}", re.ASCII)
_ID: Final = re.compile(r"[\w-]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Request:
    """A request. `file_paths`: None to discover them; `timeout_ms` limits the whole call."""

    query: str
    concurrent_limit: int
    timeout_ms: int
    include_results: bool
    vector_store_id: str | None = None
    vector_store_name: str | None = None
    file_paths: tuple[str, ...] | None = None
    model: str = DEFAULT_MODEL
    max_num_results: int | None = None

    @classmethod
    def read(cls, request: object, configuration: Configuration) -> "Request":
        """Validate a mapping of fields; None means that a field is omitted.

        Raises CodeQueryError.
        """
        if not isinstance(request, Mapping):
            raise _invalid("the request must be an object of fields, such as {'query': '…'}")
        unknown = sorted(str(name) for name in request if name not in FIELDS)
        if unknown:
            names = first_names(unknown)
            raise _invalid(f"unknown field {names}; known fields: {', '.join(FIELDS)}")
        fields = {name: value for name, value in request.items() if value is not None}
        return cls(
            query=_query(fields),
            vector_store_id=_matched(fields, "vector_store_id", _ID, "an id, such as vs_abc123"),
            vector_store_name=_store_name(fields),
            file_paths=_paths(fields),
            concurrent_limit=_integer(fields, "concurrent_limit", 1, CODEQUERY_CONCURRENT)
            or configuration.default_concurrent_limit,
            timeout_ms=_integer(fields, "timeout_ms", 1, 1000 * CODEQUERY_SECONDS)
            or configuration.default_timeout_ms,
            model=_matched(fields, "model", _MODEL, "a model that starts with gpt-5")
            or DEFAULT_MODEL,
            max_num_results=_integer(fields, "max_num_results", 1, CODEQUERY_RESULTS),
            include_results=_boolean(fields, "include_results", configuration.include_results),
        )


@dataclass(slots=True)
class Response:
    """The response of a call; counts grow during the call, so an error includes them.

    `skipped_count`: files that were not uploaded because they are unchanged, or for a reason in
    `skipped`.
    """

    query: str
    vector_store_id: str | None = None
    vector_store_name: str | None = None
    indexed_count: int = 0
    skipped_count: int = 0
    deleted_count: int = 0
    moved_count: int = 0
    answer: str | None = None
    results: list[dict[str, Any]] | None = None
    skipped: list[dict[str, str]] = field(default_factory=list)
    failures: list[dict[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def document(self, error: CodeQueryError | None = None) -> dict[str, Any]:
        """Return the payload of FR-CQ-03, with `failures`, `skipped` and `warnings` if any."""
        payload: dict[str, Any] = {
            "status": "error" if error else "ok",
            **{name: getattr(self, name) for name in _TOLD},
            "answer": None if error else self.answer,
        }
        if error:
            payload["error"] = {"code": str(error.code), "message": error.message}
        elif self.results is not None:
            payload["results"] = list(self.results)
        for name, rows in (("failures", self.failures), ("skipped", self.skipped)):
            payload.update(listed(name, rows))
        if self.warnings:
            payload["warnings"] = list(self.warnings)
        return payload


def listed(name: str, rows: Sequence[Any]) -> dict[str, Any]:
    """Return the first rows under `name`, and the number of the others."""
    limited: dict[str, Any] = {name: list(rows[:CODEQUERY_LISTED])} if rows else {}
    if len(rows) > CODEQUERY_LISTED:
        limited[f"{name}_left_out"] = len(rows) - CODEQUERY_LISTED
    return limited


def requested_query(request: object) -> str:
    """Return the query of an unchecked request, for the response; "" if it is not a string."""
    query = request.get("query") if isinstance(request, Mapping) else None
    return _replace_surrogates(query[:QUERY_CHARACTERS]) if isinstance(query, str) else ""


def _query(fields: Mapping[str, Any]) -> str:
    query = fields.get("query")
    if query is None or (isinstance(query, str) and not query.strip()):
        raise _invalid("query is required: write what to search for")
    if not isinstance(query, str) or len(query) > QUERY_CHARACTERS:
        raise _invalid(f"query must be a string of at most {QUERY_CHARACTERS:,} characters")
    if query != _replace_surrogates(query):
        raise _invalid("query must be valid text: it contains a lone surrogate")
    return query


def _replace_surrogates(text: str) -> str:
    """Replace lone surrogates by question marks."""
    return text.encode(errors="replace").decode()


def _matched(fields: Mapping[str, Any], name: str, form: re.Pattern[str], what: str) -> str | None:
    value = fields.get(name)
    if value is not None and not (isinstance(value, str) and form.fullmatch(value)):
        raise _invalid(f"{name} must be {what}")
    return value


def _store_name(fields: Mapping[str, Any]) -> str | None:
    name = fields.get("vector_store_name")
    if name is not None and not is_store_name(name):
        raise _invalid(
            "vector_store_name must be a string of 1 to "
            f"{CODEQUERY_STORE_NAME_CHARACTERS} printable characters"
        )
    return name


def is_store_name(name: object) -> bool:
    """Whether the name is valid for a vector store."""
    return (
        isinstance(name, str)
        and bool(name.strip())
        and len(name) <= CODEQUERY_STORE_NAME_CHARACTERS
        and name.isprintable()
    )


def _paths(fields: Mapping[str, Any]) -> tuple[str, ...] | None:
    paths = fields.get("file_paths")
    if paths is None:
        return None
    if not isinstance(paths, list | tuple) or not all(isinstance(path, str) for path in paths):
        raise _invalid("file_paths must be a list of paths, such as ['src/app.py']")
    if not paths:
        raise CodeQueryError(
            Code.NO_FILES, "file_paths is empty: name files, or omit it to discover them"
        )
    if len(paths) > CODEQUERY_FILES:
        raise _invalid(f"file_paths must have at most {CODEQUERY_FILES:,} paths")
    return tuple(paths)


def _integer(fields: Mapping[str, Any], name: str, minimum: int, maximum: float) -> int | None:
    value = fields.get(name)
    if value is not None and not (type(value) is int and minimum <= value <= maximum):
        raise _invalid(f"{name} must be a whole number from {minimum} to {maximum:,.0f}")
    return value


def _boolean(fields: Mapping[str, Any], name: str, default: bool) -> bool:
    value = fields.get(name, default)
    if type(value) is not bool:
        raise _invalid(f"{name} must be true or false")
    return value


def _invalid(message: str) -> CodeQueryError:
    return CodeQueryError(Code.INVALID_REQUEST, message)
