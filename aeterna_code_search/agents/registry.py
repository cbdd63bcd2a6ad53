"""A registry of MCP tools whose errors have a code, including errors of arguments."""

import functools
import inspect
import re
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

from mcp.server import MCPServer
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata, func_metadata
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from aeterna_code_search.agents.backend import INVALID, ToolError
from aeterna_code_search.agents.lean import lean
from aeterna_code_search.agents.requests import request_of, with_request
from aeterna_code_search.agents.results import Reply, failure, result_of
from indexer.output.terminal import SHOWN_NAME_CHARACTERS, first_names, first_sentences

Tool = Callable[..., Awaitable[Reply | CallToolResult]]
WantsStructure = Callable[[ServerRequestContext[Any, Any]], bool]

# All tools are idempotent.
READS: Final = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
ADDS: Final = ToolAnnotations(  # it never overwrites
    read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)
SYNCHRONIZES_A_SERVICE: Final = ToolAnnotations(  # changes an external service, and deletes from it
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=True
)

_SENTENCES: Final = {
    "missing": "is required",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must not be blank",
}
_SHOULD: Final = re.compile(r"^\w+ should ")  # the beginning of pydantic's messages
_NULL: Final = {"type": "null"}
_NOT_LISTED: Final = frozenset({"title", "pattern"})
_LENGTHS: Final = frozenset({"minLength", "maxLength", "minItems", "maxItems"})
_OBVIOUS_MINIMA: Final = (0, 1)
_NO_MAXIMUM: Final = 1_000_000
_STRUCTURED: Final = "structured"
_OBVIOUS: Final = frozenset({"minimum", "maximum", "default"})
# A token has one organisation; a sidecar must be told. Branches are few.
_OWN: Final = frozenset({"workspace", "ref"})
_LISTS_OWN: Final = frozenset(  # the others only take them
    {"code_search", "code_read_file", "code_list_files", "code_trace_callers"}
)
_BUDGET: Final = "max_tokens"  # an agent keeps the default, or learns the limits from the refusal

OfStructure = Annotated[bool, Field(description="Data too")]


def text_alone(_: ServerRequestContext[Any, Any]) -> bool:
    """Want no structured content."""
    return False


class ToolRegistry:
    """A registry of the tools of `server`.

    `words` maps terms of the API's messages to names of this server. `wants_structure` says whether
    a call without the argument `structured` gets structured content.

    The SDK reports invalid arguments in pydantic's words and ignores unknown ones. Here both are
    rejected before the tool runs, with a code and the known names.
    """

    def __init__(
        self,
        server: MCPServer[Any],
        *,
        words: Mapping[str, str],
        wants_structure: WantsStructure = text_alone,
        is_sidecar: bool = False,
    ) -> None:
        self._server = server
        self._is_sidecar = is_sidecar
        self._words = words
        self._wants_structure = wants_structure
        self._tools: dict[str, Callable[..., Any]] = {}
        self._arguments: dict[str, FuncMetadata] = {}  # of tools that were called
        self._aliases: dict[str, str] = {}
        self._in_full: set[str] = set()
        server.middleware.append(self._check)

    def add(  # noqa: PLR0913 (what there is to say of a tool)
        self,
        tool: Tool,
        *,
        title: str,
        request: type | None = None,
        without: Collection[str] = (),
        name: str | None = None,
        aliases: Collection[str] = (),
        effects: ToolAnnotations = READS,
        is_listed_in_full: bool = False,
        is_always_structured: bool = False,
    ) -> None:
        """Register a tool; its docstring is the description.

        The tool gets what is given of the record `request`, but for the fields `without`, as
        `**request` in the API's names.
        `name` defaults to the function's name. The `aliases` call the same tool and are not listed.
        `effects` are the annotations for clients. `is_listed_in_full`: also the limits of its
        arguments that an agent does not need. `is_always_structured`: the tool has no argument
        `structured`, and its replies say what is sent.
        """
        tool_name = name or tool.__name__
        if is_listed_in_full:
            self._in_full.add(tool_name)
        self._aliases.update(dict.fromkeys(aliases, tool_name))
        signature = inspect.signature(tool)
        own = signature.parameters
        if request is not None:
            signature = with_request(
                signature, request, without=without, is_sidecar=self._is_sidecar
            )

        @functools.wraps(tool)
        async def answer(**arguments: Any) -> CallToolResult:
            structure = lean if arguments.pop(_STRUCTURED, False) else None
            provided = {name: arguments.pop(name) for name in own if name in arguments}
            try:
                reply = await tool(**provided, **request_of(arguments))
            except ToolError as error:
                return failure(self._translated(error))
            return reply if isinstance(reply, CallToolResult) else result_of(reply, structure)

        if not is_always_structured:
            signature = _with_structured(signature)
        vars(answer)["__signature__"] = signature
        self._tools[tool_name] = answer
        self._server.add_tool(
            answer,
            name=tool_name,
            title=title,
            description=inspect.cleandoc(tool.__doc__ or ""),
            annotations=effects,
            structured_output=False,  # an output schema costs agents tokens
        )

    def _shortened(self, answer: HandlerResult) -> HandlerResult:
        """Remove from schemas what costs agents tokens; calls are checked against all of it."""
        if not isinstance(answer, dict) or "tools" not in answer:
            return answer
        tools = [
            _short_tool(
                tool,
                has_limits=tool["name"] in self._in_full,
                unlisted=frozenset() if self._is_sidecar or tool["name"] in _LISTS_OWN else _OWN,
            )
            for tool in answer["tools"]
        ]
        return {**answer, "tools": tools}

    def _metadata(self, name: str) -> FuncMetadata:
        """Return the arguments of a tool; they are built at its first call."""
        if name not in self._arguments:
            self._arguments[name] = func_metadata(self._tools[name], structured_output=False)
        return self._arguments[name]

    def _translated(self, error: ToolError) -> ToolError:
        message = error.message
        for theirs, ours in self._words.items():
            message = message.replace(theirs, ours)
        return ToolError(message, code=error.code, status=error.status, near=error.near)

    async def _check(
        self, ctx: ServerRequestContext[Any, Any], call_next: CallNext
    ) -> HandlerResult:
        if ctx.method == "tools/list":
            return self._shortened(await call_next(ctx))
        if ctx.method != "tools/call" or not ctx.params:
            return await call_next(ctx)
        name, arguments = ctx.params.get("name"), ctx.params.get("arguments") or {}
        if not isinstance(name, str) or not isinstance(arguments, Mapping):
            return await call_next(ctx)  # the SDK rejects it
        name = self._aliases.get(name, name)
        if name not in self._tools:
            message = f"Unknown tool {_cut(name)}. Known tools: {', '.join(self._tools)}."
            return failure(ToolError(message, code="unknown_tool", status=404))
        metadata = self._metadata(name)
        provided = _provided(metadata, arguments)
        if _STRUCTURED in metadata.arg_model.model_fields and _STRUCTURED not in provided:
            try:
                provided[_STRUCTURED] = self._wants_structure(ctx)
            except ToolError as error:
                return failure(error)
        problem = _argument_error(metadata, provided)
        if problem:
            return failure(ToolError(problem, code=INVALID, status=400))
        return await call_next(
            replace(ctx, params={**ctx.params, "name": name, "arguments": provided})
        )


def _with_structured(signature: inspect.Signature) -> inspect.Signature:
    """Return a tool's signature with the argument that asks for structured content."""
    structured = inspect.Parameter(
        _STRUCTURED, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=OfStructure | None
    )
    return signature.replace(parameters=[*signature.parameters.values(), structured])


def _short_tool(
    tool: Mapping[str, Any], *, has_limits: bool, unlisted: Collection[str]
) -> dict[str, Any]:
    schema = {name: value for name, value in tool["inputSchema"].items() if name != "title"}
    arguments = schema["properties"].items()
    schema["properties"] = {
        name: _short_schema(argument if has_limits else _without_far_limits(name, argument))
        for name, argument in arguments
        if name not in unlisted
    }
    return {**tool, "inputSchema": schema}


def _without_far_limits(name: str, argument: Mapping[str, Any]) -> Any:
    if name == _BUDGET:
        return {key: value for key, value in argument.items() if key not in _OBVIOUS}
    return _without_limits(argument)


def _without_limits(value: Any) -> Any:
    """Remove limits that calls rarely meet: lengths, minima of 0 and 1, and maxima of a million."""
    if isinstance(value, list):
        return [_without_limits(member) for member in value]
    if not isinstance(value, Mapping):
        return value
    return {
        name: _without_limits(member) for name, member in value.items() if not _is_far(name, member)
    }


def _is_far(name: str, limit: Any) -> bool:
    if name == "minimum":
        return limit in _OBVIOUS_MINIMA
    return name in _LENGTHS or (name == "maximum" and limit >= _NO_MAXIMUM)


def _short_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    short = {name: value for name, value in schema.items() if name not in _NOT_LISTED}
    if short.get("default", ...) is None:
        del short["default"]
    kinds = [_short_schema(kind) for kind in short.pop("anyOf", ()) if kind != _NULL]
    if len(kinds) > 1:
        return {**short, "anyOf": kinds}
    if "items" in short:
        items = _short_schema(short["items"])
        short["items"] = {name: value for name, value in items.items() if name != "description"}
    return {**kinds[0], **short} if kinds else short


def _names(metadata: FuncMetadata) -> dict[str, str]:
    """Map fields of the model to arguments."""
    fields = metadata.arg_model.model_fields
    return {name: field.alias or name for name, field in fields.items()}


def _provided(metadata: FuncMetadata, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Drop values that agents send for omitted optional arguments: null and ""."""
    fields = metadata.arg_model.model_fields
    optional = {
        argument for name, argument in _names(metadata).items() if not fields[name].is_required()
    }
    return {
        name: value
        for name, value in arguments.items()
        if name not in optional or value not in ("", None)
    }


def _argument_error(metadata: FuncMetadata, provided: dict[str, Any]) -> str:
    known = _names(metadata).values()
    unknown = sorted(set(provided).difference(known))
    if unknown:
        names = first_names([_cut(name) for name in unknown])
        return f"Unknown argument {names}. Known arguments: {', '.join(known)}."
    try:
        metadata.validate_arguments(provided)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        sentences = dict.fromkeys(_sentence(known, detail) for detail in details)
        return first_sentences(sentences)
    return ""


def _sentence(known: Collection[str], detail: ErrorDetails) -> str:
    # After the argument's name pydantic adds indices and members of unions.
    name, *inner = detail["loc"]
    indices = "".join(f"[{part}]" for part in inner if isinstance(part, int))
    subject = f"{name}{indices}" if name in known else str(name)
    if detail["type"] in _SENTENCES:
        return f"{subject} {_SENTENCES[detail['type']]}."
    what = _SHOULD.sub("must ", detail["msg"]).replace(" after validation", "")
    return f"{subject} {what}." if what.startswith("must ") else f"{subject} is wrong: {what}."


def _cut(name: str) -> str:
    return repr(name[: SHOWN_NAME_CHARACTERS - 2])
