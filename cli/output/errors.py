"""Errors as the user of the command line sees them."""

from collections.abc import Mapping
from typing import Any, Final

from indexer.errors import CentralRefusedError, IndexerError
from indexer.output.terminal import escape_lines

# These speak of what was asked for, so who is asked and with what credential is not the matter.
_OF_THE_QUESTION: Final = {
    "symbol_not_found": "",
    "file_not_found": "",
    "repository_not_found": "`codesearch status` lists those that there are.",
    "invalid": "",
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
    "version_conflict": "Type the command again to change what is there now.",
    "body_too_large": "",
    "properties_too_large": "",
}
_WORDS: Final = {
    "/api/v1/index/status": "`codesearch status`",
    "GET /api/v1/graph/nodes lists nodes.": "`codesearch graph list` lists documents.",
    " Read it again, and send its new entity tag in If-Match.": "",
}


def format_error(error: IndexerError) -> str:
    """The message and what to do; nothing in it commands the terminal."""
    message = str(error)
    if isinstance(error, CentralRefusedError) and error.code in _OF_THE_QUESTION:
        message = _of_the_question(error.problem, _OF_THE_QUESTION[error.code]) or message
    return "\n".join(escape_lines(f"error: {message}"))


def _of_the_question(problem: Mapping[str, Any], advice: str) -> str:
    detail, near = problem.get("detail"), problem.get("near")
    if not isinstance(detail, str):
        return ""
    if near and isinstance(near, list):
        detail = detail.removesuffix(" Check its spelling; near lists names that are alike.")
        advice = f"These are alike: {', '.join(map(str, near))}"
    for theirs, ours in _WORDS.items():
        detail = detail.replace(theirs, ours)
    return " ".join(filter(None, (detail, advice)))
