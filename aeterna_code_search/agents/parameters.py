"""Parameters that several tools share, with the limits of the API."""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from aeterna_code_search.agents.backend import INVALID, ToolError
from aeterna_code_search.agents.truncation import MAX_TOKENS, MIN_TOKENS
from indexer.limits import (
    EDGE_TYPE_CHARACTERS,
    NODE_ID_CHARACTERS,
    PASTED_CHARACTERS,
    PROJECTS_NAMED,
    QUERIES,
    QUERY_CHARACTERS,
)

NOT_BLANK = r"\S"

_QUERY: Final[Any] = Field(
    min_length=1,
    max_length=QUERY_CHARACTERS,
    pattern=NOT_BLANK,
    description="What the code does, or an identifier",
)
Query = Annotated[str, _QUERY]
OptionalQuery = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=PASTED_CHARACTERS,
        pattern=NOT_BLANK,
        description="Question, name, stack trace or path:line",
    ),
]
Queries = Annotated[
    list[Query] | None,
    Field(
        min_length=1,
        max_length=QUERIES,
        description="In place of query: several wordings",
    ),
]
Similarity = Annotated[
    float | None,
    Field(ge=0.0, le=1.0, description="Leave out hits below it"),
]
Symbol = Annotated[
    str,
    Field(
        min_length=1,
        max_length=1_500,
        pattern=NOT_BLANK,
        description="verify, Auth.verify or module:name",
    ),
]
Workspace = Annotated[
    str | None,
    Field(
        max_length=100,
        description="Rarely needed",
    ),
]
MaxTokens = Annotated[
    int,
    Field(
        ge=MIN_TOKENS,
        le=MAX_TOKENS,
        description="Answer size",
    ),
]
_NEXT: Final = "next_cursor of a page"
Cursor = Annotated[str | None, Field(max_length=10_000, description=_NEXT)]
SearchCursor = Annotated[str | None, Field(max_length=500, description=_NEXT)]
Confidence = Annotated[
    Literal["high", "medium", "low"],
    Field(description="low: also by name alone"),
]
Kind = Literal["call", "new", "decorate", "inherit", "element", "value", "type", "import"]
Kinds = Annotated[
    list[Kind] | None,
    Field(max_length=8, description="Default: all but type, import"),
]
Project = Annotated[str | None, Field(max_length=200, description="Of the definition")]
File = Annotated[str | None, Field(max_length=1_024, description="Of the definition")]
Line = Annotated[int | None, Field(ge=1, le=10_000_000, description="Of the definition")]
ChunkType = Literal["function", "method", "class", "comment", "module", "text"]
Mode = Literal["hybrid", "semantic", "lexical", "symbol", "literal", "regex", "structural"]
GroupBy = Literal["none", "file"]
ProjectName = Annotated[str, Field(max_length=200)]
Projects = Annotated[list[ProjectName], Field(max_length=PROJECTS_NAMED)] | None
NodeId = Annotated[
    str,
    Field(
        min_length=1,
        max_length=NODE_ID_CHARACTERS,
        pattern=NOT_BLANK,
        description="ADR-042, mem-123 or code:PROJECT/PATH#NAME",
    ),
]
EdgeType = Annotated[str, Field(max_length=EDGE_TYPE_CHARACTERS)]
Direction = Literal["out", "in", "both"]
Target = Literal["code", "knowledge", "policy", "memory"]
OfProject = Annotated[
    str, Field(min_length=1, max_length=200, pattern=NOT_BLANK, description="The repository")
]
GraphCursor = Annotated[str | None, Field(max_length=3_000, description=_NEXT)]


def provided(**parameters: Any) -> dict[str, Any]:
    """Return the parameters that are not None, by the names of the API."""
    values = {name: value for name, value in parameters.items() if value is not None}
    return {"org_id" if name == "workspace" else name: value for name, value in values.items()}


def is_structured(text: str, name: str) -> bool:
    """Parse the setting `name`, whether calls get structured content. Raises ToolError."""
    if text.lower() not in {"true", "false", ""}:
        message = f"{name} must be true or false; it is {text[:40]!r}."
        raise ToolError(message, code=INVALID, status=400)
    return text.lower() == "true"


def require_one_query(query: str | None, queries: list[str] | None) -> None:
    """Raise ToolError unless exactly one of them is given."""
    if (query is None) == (queries is None):
        raise ToolError("Pass either query or queries, not both.", code=INVALID, status=400)
