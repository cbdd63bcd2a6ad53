"""The request as it is checked, and the response as it is answered."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from indexer.limits import (
    CODEQUERY_CONCURRENT,
    CODEQUERY_FILES,
    CODEQUERY_LISTED,
    CODEQUERY_RESULTS,
    CODEQUERY_SECONDS,
    CODEQUERY_STORE_NAME_CHARACTERS,
    QUERY_CHARACTERS,
)
from integrations.codequery.configuration import Configuration
from integrations.codequery.errors import Code, CodeQueryError

DEFAULT_MODEL: Final = "gpt-5-mini"
FIELDS: Final = (
    "query", "vector_store_id", "vector_store_name", "file_paths", "concurrent_limit",
    "timeout_ms", "model", "max_num_results", "include_results",
)  # fmt: skip
_MODEL: Final = re.compile(r"gpt-5[\w.-]{0,100}", re.ASCII)
_ID: Final = re.compile(r"[\w-]{1,128}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Request:
    """A call's request. `file_paths`: None to discover them; `timeout_ms` is of the whole call."""

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
    def read(cls, given: object, configuration: Configuration) -> "Request":
        """The request in a mapping of its fields; None stands for one that is left out.

        Raises CodeQueryError.
        """
        if not isinstance(given, Mapping):
            raise _invalid("the request must be an object of fields, such as {'query': '…'}")
        unknown = sorted(str(name)[:100] for name in given if name not in FIELDS)
        if unknown:
            raise _invalid(f"there is no field {', '.join(unknown)}; there are {', '.join(FIELDS)}")
        told = {name: value for name, value in given.items() if value is not None}
        return cls(
            query=_query(told),
            vector_store_id=_matched(told, "vector_store_id", _ID, "an id, such as vs_abc123"),
            vector_store_name=_store_name(told),
            file_paths=_paths(told),
            concurrent_limit=_integer(told, "concurrent_limit", 1, CODEQUERY_CONCURRENT)
            or configuration.default_concurrent_limit,
            timeout_ms=_integer(told, "timeout_ms", 1, 1000 * CODEQUERY_SECONDS)
            or configuration.default_timeout_ms,
            model=_matched(told, "model", _MODEL, "a model that starts with gpt-5")
            or DEFAULT_MODEL,
            max_num_results=_integer(told, "max_num_results", 1, CODEQUERY_RESULTS),
            include_results=_boolean(told, "include_results", configuration.include_results),
        )


@dataclass(slots=True)
class Response:
    """What a call answers; counts grow while it works, so that an error has them too.

    `skipped_count`: files that were not uploaded, as they are unchanged or for a reason that
    `skipped` says.
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
        """The payload of FR-CQ-03, and `failures`, `skipped` and `warnings` if there are any."""
        told: dict[str, Any] = {
            "status": "error" if error else "ok",
            "vector_store_id": self.vector_store_id,
            "vector_store_name": self.vector_store_name,
            "indexed_count": self.indexed_count,
            "skipped_count": self.skipped_count,
            "deleted_count": self.deleted_count,
            "moved_count": self.moved_count,
            "query": self.query,
            "answer": None if error else self.answer,
        }
        if error:
            told["error"] = {"code": str(error.code), "message": error.message}
        elif self.results is not None:
            told["results"] = list(self.results)
        for name, rows in (("failures", self.failures), ("skipped", self.skipped)):
            told.update(listed(name, rows))
        if self.warnings:
            told["warnings"] = list(self.warnings)
        return told


def listed(name: str, rows: Sequence[Any]) -> dict[str, Any]:
    """The first rows under `name`, and how many more there are."""
    told: dict[str, Any] = {name: list(rows[:CODEQUERY_LISTED])} if rows else {}
    if len(rows) > CODEQUERY_LISTED:
        told[f"{name}_left_out"] = len(rows) - CODEQUERY_LISTED
    return told


def query_of(given: object) -> str:
    """What a request asks for, as far as it is a text: a refusal repeats it."""
    query = given.get("query") if isinstance(given, Mapping) else None
    return _written(query[:QUERY_CHARACTERS]) if isinstance(query, str) else ""


def _query(told: Mapping[str, Any]) -> str:
    query = told.get("query")
    if query is None or (isinstance(query, str) and not query.strip()):
        raise _invalid("query is required: write what to look for")
    if not isinstance(query, str) or len(query) > QUERY_CHARACTERS:
        raise _invalid(f"query must be a text of at most {QUERY_CHARACTERS:,} characters")
    if query != _written(query):
        raise _invalid("query must be a text: it has half a character (a lone surrogate)")
    return query


def _written(text: str) -> str:
    """The text as it can be written: half a character is a question mark."""
    return text.encode(errors="replace").decode()


def _matched(told: Mapping[str, Any], name: str, form: re.Pattern[str], what: str) -> str | None:
    value = told.get(name)
    if value is not None and not (isinstance(value, str) and form.fullmatch(value)):
        raise _invalid(f"{name} must be {what}")
    return value


def _store_name(told: Mapping[str, Any]) -> str | None:
    name = told.get("vector_store_name")
    if name is not None and not is_store_name(name):
        raise _invalid(
            "vector_store_name must be a text of 1 to "
            f"{CODEQUERY_STORE_NAME_CHARACTERS} printable characters"
        )
    return name


def is_store_name(name: object) -> bool:
    """Whether a vector store may be called so."""
    return (
        isinstance(name, str)
        and bool(name.strip())
        and len(name) <= CODEQUERY_STORE_NAME_CHARACTERS
        and name.isprintable()
    )


def _paths(told: Mapping[str, Any]) -> tuple[str, ...] | None:
    paths = told.get("file_paths")
    if paths is None:
        return None
    if not isinstance(paths, list | tuple) or not all(isinstance(path, str) for path in paths):
        raise _invalid("file_paths must be a list of paths, such as ['src/app.py']")
    if not paths:
        raise CodeQueryError(
            Code.NO_FILES, "file_paths is empty: name files, or leave it out to discover them"
        )
    if len(paths) > CODEQUERY_FILES:
        raise _invalid(f"file_paths must have at most {CODEQUERY_FILES:,} paths")
    return tuple(paths)


def _integer(told: Mapping[str, Any], name: str, least: int, most: float) -> int | None:
    value = told.get(name)
    if value is not None and not (type(value) is int and least <= value <= most):
        raise _invalid(f"{name} must be a whole number from {least} to {most:,.0f}")
    return value


def _boolean(told: Mapping[str, Any], name: str, default: bool) -> bool:
    value = told.get(name, default)
    if type(value) is not bool:
        raise _invalid(f"{name} must be true or false")
    return value


def _invalid(message: str) -> CodeQueryError:
    return CodeQueryError(Code.INVALID_REQUEST, message)
