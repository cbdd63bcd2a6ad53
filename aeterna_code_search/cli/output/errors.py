"""Error messages of the command line."""

from collections.abc import Mapping
from typing import Any, Final

from indexer.errors import CentralRefusedError, IndexerError
from indexer.output.terminal import escape_lines

# Errors of the request itself: the message leaves out the server and the credential.
_REQUEST_ERRORS: Final = {
    "symbol_not_found": "",
    "file_not_found": "",
    "reference_not_found": "",
    "repository_not_found": "`codesearch status` lists the repositories.",
    "invalid": "",
    "invalid_query": "",
    "invalid_node_id": "",
    "invalid_edge_type": "",
    "invalid_rule": "",
    "self_link": "",
    "node_ambiguous": "",
    "node_is_code": "",
    "node_from_file": "",
    "node_exists": "",
    "node_not_found": "",
    "edge_not_found": "",
    "version_conflict": "Run the command again to change the new version.",
    "body_too_large": "",
    "properties_too_large": "",
}
_WORDS: Final = {
    "/api/v1/index/status": "`codesearch status`",
    "GET /api/v1/graph/nodes lists nodes.": "`codesearch graph list` lists documents.",
    "; check project.": ".",
    "The field limit says how many results a page has, and /api/v1/search/stream has all;": (
        "--limit says how many results are shown, and `codesearch grep -m query` prints all;"
    ),
    "The stream is of exact searches: put": "`codesearch grep` finds exactly: put",
    "or set mode to literal, regex or structural.": "or choose another --mode.",
    "or give the mode regex,": "or give --mode regex,",
    "start_line is behind the last.": "--lines begins behind the last.",
    " Read it again, and send its new entity tag in If-Match.": "",
}


def format_error(error: IndexerError) -> str:
    """Format the message with its fix; the text cannot control the terminal."""
    message = str(error)
    if isinstance(error, CentralRefusedError) and error.code in _REQUEST_ERRORS:
        message = _request_error(error.problem, _REQUEST_ERRORS[error.code]) or message
    return "\n".join(escape_lines(f"error: {message}"))


def _request_error(problem: Mapping[str, Any], advice: str) -> str:
    detail, near = problem.get("detail"), problem.get("near")
    if not isinstance(detail, str):
        return ""
    if near and isinstance(near, list):
        detail = detail.removesuffix(" Check its spelling; near lists names that are alike.")
        advice = f"Similar names: {', '.join(map(str, near))}"
    for theirs, ours in _WORDS.items():
        detail = detail.replace(theirs, ours)
    return " ".join(filter(None, (detail, advice)))
