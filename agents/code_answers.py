"""What `search_code` answers, made of the API's answer; its members are its specification's."""

from collections.abc import Mapping
from typing import Any


def code_answer(found: Mapping[str, Any], milliseconds: float) -> dict[str, Any]:
    """The results, best first, in a search that took so long."""
    results = [_result(row) for row in found["results"]]
    return {
        "results": results,
        "totalResults": len(results),
        "searchTimeMs": milliseconds,
        "complete": found["receipt"]["complete"],
        "hint": found["hint"],
    }


def _result(row: Mapping[str, Any]) -> dict[str, Any]:
    told = {
        "path": row["file"],
        "text": row["content"],
        "score": row["score"],
        "startLine": row["start_line"],
        "endLine": row["end_line"],
        "truncated": row["truncated"],
        "project": row["project"],
        "commit": row["commit"],
    }
    return {**told, "local": True} if row.get("local") else told
