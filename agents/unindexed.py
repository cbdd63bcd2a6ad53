"""Answers of a service in which nothing is indexed that the caller may see."""

from collections.abc import Mapping
from typing import Any

from agents.errors import INDEX_NOT_FOUND, Advice, RefusedError
from agents.sidecar_plain import COMMITS_UNKNOWN


def is_unindexed(answer: Mapping[str, Any]) -> bool:
    """Whether a search found nothing because nothing was there to be searched."""
    receipt = answer["receipt"]
    reasons = {row["reason"] for row in receipt["missing"]}
    return not (answer["results"] or receipt["projects"] or COMMITS_UNKNOWN in reasons)


def explained(answer: dict[str, Any], advice: Advice) -> dict[str, Any]:
    """A search's answer; where nothing was searched, its hint says what to do about it."""
    if not is_unindexed(answer):
        return answer
    reasons = {row["reason"] for row in answer["receipt"]["missing"]}
    what = "code_index_status lists the projects that there are."
    if "unknown_project" not in reasons:
        what = advice.build_index
    return {**answer, "hint": f"{answer['hint'] or ''} {what}".strip()}


def index_not_found(advice: Advice) -> RefusedError:
    """The refusal of a call that needs an index."""
    message = f"Nothing is indexed here. {advice.build_index}"
    return RefusedError(message, code=INDEX_NOT_FOUND, status=404)
