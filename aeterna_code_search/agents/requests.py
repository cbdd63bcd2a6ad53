"""Arguments of tools: those that several share, and those made from records of the contract."""

from collections.abc import Collection, Mapping
from inspect import Parameter, Signature
from keyword import iskeyword
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from aeterna_code_search.agents.backend import INVALID, ToolError
from aeterna_code_search.agents.truncation import MAX_TOKENS, MIN_TOKENS
from aeterna_code_search.contract.notes import AS_TOOL, Argument, Member, members_of
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
Workspace = Annotated[str | None, Field(max_length=100, description="Organisation")]
MaxTokens = Annotated[int, Field(ge=MIN_TOKENS, le=MAX_TOKENS, description="Answer size")]
SearchCursor = Annotated[str | None, Field(max_length=500, description="next_cursor")]
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


_WORKSPACE: Final = "workspace"
_ORGANIZATION: Final = "org_id"


def with_request(
    signature: Signature, record: type, *, without: Collection[str] = (), is_sidecar: bool = False
) -> Signature:
    """Return a tool's signature with the fields of a request in place of its `**request`.

    The tool's own parameters go before fields of the same name. `workspace` may be among `without`.
    """
    own = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not Parameter.VAR_KEYWORD
    ]
    left_out = {*without, *(parameter.name for parameter in own)}
    fields = [
        Parameter(
            _parameter(member.name),
            Parameter.KEYWORD_ONLY,
            default=_default(member, is_sidecar=is_sidecar),
            annotation=_annotation(member, text, is_sidecar=is_sidecar),
        )
        for member in members_of(record)
        if member.name not in left_out and (text := _text(member.argument, is_sidecar)) is not None
    ]
    if _WORKSPACE not in left_out:
        fields.append(
            Parameter(_WORKSPACE, Parameter.KEYWORD_ONLY, default=None, annotation=Workspace)
        )
    keyword_only = (parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own)
    return signature.replace(parameters=[*fields, *keyword_only])


def request_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that are given as the API's request."""
    given = {name: value for name, value in arguments.items() if value is not None}
    if _WORKSPACE in given:
        given[_ORGANIZATION] = given.pop(_WORKSPACE)
    return given


def _parameter(name: str) -> str:
    return f"{name}_" if iskeyword(name) else name


def _text(argument: Argument, is_sidecar: bool) -> str | None:
    return argument.sidecar if is_sidecar and argument.sidecar != AS_TOOL else argument.tool


def _default(member: Member, *, is_sidecar: bool) -> Any:
    if member.is_required:
        return Parameter.empty
    own = None if is_sidecar else member.argument.tool_default
    return member.told_default if own is None else own


def _annotation(member: Member, text: str, *, is_sidecar: bool) -> Any:
    kind, argument = _value(member), member.argument
    limits: dict[str, Any] = {"description": text} if text else {}
    if iskeyword(member.name):
        limits["alias"] = member.name
    if member.is_list:
        kind = list[kind]  # type: ignore[valid-type]
        limits |= {
            "min_length": argument.fewest,
            "max_length": argument.most or len(member.choices),
        }
    if not member.is_required and _default(member, is_sidecar=is_sidecar) is None:
        kind = kind | None
    limits = {name: limit for name, limit in limits.items() if limit is not None}
    return Annotated[kind, Field(**limits)]


def _value(member: Member) -> Any:
    argument = member.argument
    if member.choices:
        return Literal[tuple(member.choices)]
    if member.kind in {int, float}:
        return Annotated[member.kind, Field(ge=argument.low, le=argument.high)]
    if member.kind is bool:
        return bool
    limits: dict[str, Any] = {"max_length": argument.chars}
    if argument.is_trimmed or member.is_required:
        limits["min_length"] = 1
        if argument.is_trimmed or member.name == "project":  # a file may be called " "
            limits["pattern"] = NOT_BLANK
    return Annotated[str, Field(**limits)]
