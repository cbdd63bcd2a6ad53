"""Ten tasks of an agent, as calls of this service's tools, of semble's and of Serena's."""

from dataclasses import dataclass, field
from typing import Any, Final

OWN_PROJECT: Final = "code-search"  # this repository, indexed beside the examples


@dataclass(frozen=True, slots=True)
class Call:
    """A tool with its arguments."""

    tool: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent wants; None where a peer has no tool for it."""

    wanted: str
    ours: Call
    semble: str | None = None  # a query
    serena: Call | None = None


TASKS: Final = (
    Task(
        "find where a JWT is verified",
        Call("code_search", {"query": "verify a JWT"}),
        "verify a JWT",
        Call("search_for_pattern", {"substring_pattern": "(?i)jwt"}),
    ),
    Task(
        "find how calls are retried",
        Call("code_search", {"query": "retry with back-off"}),
        "retry with back-off",
        Call("search_for_pattern", {"substring_pattern": "(?i)retry|back.?off"}),
    ),
    Task(
        "every line with `raise ValueError(`",
        Call("code_grep", {"query": "raise ValueError("}),
        None,
        Call("search_for_pattern", {"substring_pattern": r"raise ValueError\("}),
    ),
    Task(
        "read a file",
        Call("code_read_file", {"project": "auth-service", "path": "acme_auth/tokens.py"}),
        None,
        Call("read_file", {"relative_path": "auth-service/acme_auth/tokens.py"}),
    ),
    Task(
        "list a directory",
        Call("code_list_files", {"project": "auth-service", "path": "acme_auth"}),
        None,
        Call("list_dir", {"relative_path": "auth-service/acme_auth", "recursive": False}),
    ),
    Task(
        "who uses a class",
        Call("code_trace_callers", {"symbol": "AuthMiddleware", "project": "auth-service"}),
        None,
        Call(
            "find_referencing_symbols",
            {
                "name_path": "AuthMiddleware",
                "relative_path": "auth-service/acme_auth/middleware.py",
            },
        ),
    ),
    Task(
        "who calls a popular function",
        Call(
            "code_trace_callers",
            {"symbol": "clean_environment", "project": OWN_PROJECT, "limit": 200},
        ),
        None,
        Call(
            "find_referencing_symbols",
            {
                "name_path": "clean_environment",
                "relative_path": f"{OWN_PROJECT}/scripts/local_service.py",
            },
        ),
    ),
    Task(
        "what a function uses",
        Call("code_trace_callees", {"symbol": "ProcessPayment", "project": "payments-api"}),
        None,
        Call("find_symbol", {"name_path_pattern": "ProcessPayment", "include_body": True}),
    ),
    Task(
        "the call graph of a class",
        Call("code_graph", {"symbol": "AuthMiddleware", "project": "auth-service"}),
    ),
    Task("which projects use which", Call("code_map")),
)
