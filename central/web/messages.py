"""Sentences of services in the words of pages: by their code, or else by replacement."""

from typing import Final

from central.http.problems import ProblemDetails

_ERRORS: Final = {
    "repository_not_found": (
        "There is no such repository for you; the list of repositories has all that you see."
    ),
    "run_not_found": "There is no such run that you may see.",
}
_ON_PAGES: Final = {
    ": see receipt.missing, and run": ", as said above: run",
    ": see receipt.missing": ", as said above",
    "see /api/v1/index/status for what is indexed": "look at Repositories for what is indexed",
    "what this credential sees": "what you may see",
    "that this token sees": "that you may see",
    "mode=hybrid": "words and similarity together",
    "min_confidence=low lists them": "confidence “low” lists them",
    "try min_confidence=medium": "try confidence “medium”",
    "lower depth, raise limit, or give project and file": (
        "choose fewer levels, or narrow it down to a project and file"
    ),
    "; near lists names that are alike": "",
    "GET /api/v1/graph/nodes lists nodes": "Knowledge lists all that you may see",
    "graph_link links nodes": "An agent or codesearch graph link links it",
    "`": "",
}


def for_people(text: str) -> str:
    """Return the text without parameters, fields and addresses that only programs use."""
    for name, words in _ON_PAGES.items():
        text = text.replace(name, words)
    return text


def error_sentence(problem: ProblemDetails) -> str:
    """Return what a page says of an error."""
    return _ERRORS.get(problem.code) or for_people(problem.detail)
