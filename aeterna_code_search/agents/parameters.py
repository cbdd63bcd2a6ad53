"""Parameters that several tools share, with the limits of the API."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field

from aeterna_code_search.agents.backend import INVALID, ToolError
from aeterna_code_search.agents.truncation import MAX_TOKENS, MIN_TOKENS
from indexer.limits import QUERY_CHARACTERS

NOT_BLANK = r"\S"

Query = Annotated[
    str,
    Field(
        min_length=1,
        max_length=QUERY_CHARACTERS,
        pattern=NOT_BLANK,
        description="What the code does, or an identifier",
    ),
]
Workspace = Annotated[str | None, Field(max_length=100, description="Rarely needed")]
MaxTokens = Annotated[int, Field(ge=MIN_TOKENS, le=MAX_TOKENS, description="Answer size")]
SearchCursor = Annotated[str | None, Field(max_length=500, description="next_cursor of a page")]
Projects = list[Annotated[str, Field(max_length=200)]]


def is_structured(text: str, name: str) -> bool:
    """Parse the setting `name`, whether calls get structured content. Raises ToolError."""
    if text.lower() not in {"true", "false", ""}:
        message = f"{name} must be true or false; it is {text[:40]!r}."
        raise ToolError(message, code=INVALID, status=400)
    return text.lower() == "true"


def require_one_query(request: Mapping[str, Any]) -> None:
    """Raise ToolError unless exactly one of `query` and `queries` is given."""
    if ("query" in request) == ("queries" in request):
        raise ToolError("Pass either query or queries, not both.", code=INVALID, status=400)
