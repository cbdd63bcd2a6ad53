"""The tools' shapes and limits are those of the API, so that the two cannot drift apart."""

import asyncio
import types
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel
from rest_framework import serializers

from aeterna_code_search.agents import parameters
from aeterna_code_search.agents.backend import INVALID
from aeterna_code_search.agents.sidecar import answers, trace_answers
from aeterna_code_search.agents.sidecar.mapping import sidecar_arguments
from central.codemap.requests import (
    ConsumersRequestSerializer,
    MapRequestSerializer,
    UnusedRequestSerializer,
)
from central.codemap.views import ConsumersSerializer, MapSerializer, UnusedSerializer
from central.files.requests import ContentRequestSerializer, ListRequestSerializer
from central.files.views import FileContentSerializer, FileListSerializer
from central.knowledge.serializers import (
    DOCUMENT_KINDS,
    ContextSerializer,
    LinkSerializer,
    ProjectQuestionSerializer,
    RelatedSerializer,
    TraverseSerializer,
    UnmigratedSerializer,
)
from central.knowledge.shapes import (
    ContextAnswerSerializer,
    EdgeSerializer,
    RelatedAnswerSerializer,
    TraverseAnswerSerializer,
    UnmigratedAnswerSerializer,
    ViolationsAnswerSerializer,
)
from central.knowledge.traversal import Direction
from central.repositories.views import IndexStatusSerializer
from central.search.query import GroupBy, Mode
from central.search.views import QueryField, SearchAnswerSerializer, SearchRequestSerializer
from central.trace.requests import (
    KINDS,
    CalleesRequestSerializer,
    CallersRequestSerializer,
    GraphRequestSerializer,
    ReferencesRequestSerializer,
)
from central.trace.views import (
    CalleesSerializer,
    CallersSerializer,
    GraphSerializer,
    MeaningSerializer,
)
from indexer.records.files import ChunkType
from tests.agents.calling import call, code_server, sidecar_server, text_of, tools_of
from tests.agents.expanding import expanded, reduced
from tests.agents.recorded import RecordedBackend, recorded
from tests.agents.test_tools import RECORDINGS, TOOLS

OURS = {"left_out"}  # what only the tools add
YOUNGER = {  # than the recordings
    *("why", "reindex_requested_at", "lacking_since", "indexed_by", "ranges", "confidence"),
    "match",
    *("lines", "matches", "total", "spans", "context", "languages_without_symbols", "elsewhere"),
    *("generated", "skipped_reasons", "not_run", "policies_not_run", "vectors"),
    *("partly_parsed", "unparsed", "unread_manifests", "older_extractor", "edges_behind"),
    *("resolved_by", "disk_bytes"),
    *("encoding", "byte_order_mark"),
    *("since", "missing_more"),
    *("note", "reading", "instead"),
    "owners",
}
FOR_PAGES = {"facets"}  # what only a person clicks on
TAKE_NO_TRACE = {("code_grep", "query")}

SHAPES = [  # of another server's answers
    (answers.SearchAnswer, SearchAnswerSerializer),
    (trace_answers.CallersAnswer, CallersSerializer),
    (trace_answers.CalleesAnswer, CalleesSerializer),
    (trace_answers.GraphAnswer, GraphSerializer),
    (answers.StatusAnswer, IndexStatusSerializer),
]
STRUCTURES = {
    "search": SearchAnswerSerializer,
    "callers": CallersSerializer,
    "callees": CalleesSerializer,
    "graph": GraphSerializer,
    "definition": MeaningSerializer,
    "status": IndexStatusSerializer,
    "link": EdgeSerializer,
    "traverse": TraverseAnswerSerializer,
    "violations": ViolationsAnswerSerializer,
    "unmigrated": UnmigratedAnswerSerializer,
    "related": RelatedAnswerSerializer,
    "context": ContextAnswerSerializer,
    "grep": SearchAnswerSerializer,
    "files": FileListSerializer,
    "content": FileContentSerializer,
    "map": MapSerializer,
    "consumers": ConsumersSerializer,
    "unused": UnusedSerializer,
}
REQUESTS = {
    "code_search": SearchRequestSerializer,
    "code_grep": SearchRequestSerializer,
    "code_read_file": ContentRequestSerializer,
    "code_list_files": ListRequestSerializer,
    "code_trace_callers": CallersRequestSerializer,
    "code_trace_callees": CalleesRequestSerializer,
    "code_graph": GraphRequestSerializer,
    "code_definition": ReferencesRequestSerializer,
    "code_map": MapRequestSerializer,
    "code_consumers": ConsumersRequestSerializer,
    "code_unused": UnusedRequestSerializer,
    "graph_link": LinkSerializer,
    "graph_traverse": TraverseSerializer,
    "graph_violations": ProjectQuestionSerializer,
    "graph_unmigrated": UnmigratedSerializer,
    "graph_related": RelatedSerializer,
    "graph_context": ContextSerializer,
    "codesearch_search": SearchRequestSerializer,
    "codesearch_trace_callers": CallersRequestSerializer,
    "codesearch_trace_callees": CalleesRequestSerializer,
    "codesearch_trace_graph": GraphRequestSerializer,
}
ALIASES = {"workspace": "org_id", "projects": "include_projects"}
TOOLS_OWN = {"max_tokens", "structured", "compact", "references"}
NOT_FOR_AGENTS = {"explain", "facets"}  # a person tunes the ranking, and clicks on counts
# By the kind of field: what JSON Schema calls the limits, and what the serializers do.
NUMBER = {"minimum": "min_value", "maximum": "max_value"}
LIST = {"minItems": "min_length", "maxItems": "max_length"}
TEXT = {"maxLength": "max_length"}


def of_model(model: type[BaseModel]) -> dict[str, Any]:
    """The members of a model, each with those of the object it holds."""
    return {
        name: nested(field.annotation)
        for name, field in model.model_fields.items()
        if name not in OURS
    }


def nested(annotation: Any) -> Any:
    """The members of the model in `X`, `list[X]` and `X | None`; else None."""
    if get_origin(annotation) in {list, Union, types.UnionType}:
        return next(filter(None, map(nested, get_args(annotation))), None)
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return of_model(annotation) if is_model else None


def of_serializer(serializer: serializers.BaseSerializer[Any]) -> dict[str, Any] | None:
    """The same of a serializer."""
    if isinstance(serializer, serializers.ListSerializer):
        return of_serializer(serializer.child)
    if not isinstance(serializer, serializers.Serializer):
        return None
    return {name: of_serializer(field) for name, field in serializer.fields.items()}


@pytest.mark.parametrize(
    ("model", "serializer"), SHAPES, ids=[model.__name__ for model, _ in SHAPES]
)
def test_the_members_of_an_answer_are_those_of_the_api(
    model: type[BaseModel], serializer: type[serializers.Serializer[Any]]
) -> None:
    members = of_serializer(serializer()) or {}
    assert of_model(model) == {name: members[name] for name in members if name not in FOR_PAGES}


def test_what_may_be_null_in_the_api_may_be_null_here() -> None:
    for model, serializer in SHAPES:
        for name, field in serializer().fields.items():
            if name in FOR_PAGES:
                continue
            takes_none = type(None) in get_args(model.model_fields[name].annotation)
            assert takes_none or not field.allow_null, f"{model.__name__}.{name}"


@pytest.mark.parametrize(("tool", "recording"), RECORDINGS.items())
def test_structured_content_has_the_members_of_the_apis_answer(tool: str, recording: str) -> None:
    result = call(code_server(RecordedBackend()), tool, structured=True, **TOOLS[tool])
    assert expanded(result.structured_content) == reduced(recorded(recording))
    assert_members(recorded(recording), of_serializer(STRUCTURES[recording]()))


def assert_members(value: Any, members: dict[str, Any] | None) -> None:
    """Assert that each object has these members, and the objects in it theirs."""
    if isinstance(value, list):
        for item in value:
            assert_members(item, members)
    elif members is not None and value is not None:
        assert value.keys() <= members.keys()
        assert members.keys() - value.keys() <= YOUNGER | FOR_PAGES
        for name in value:
            assert_members(value[name], members[name])


@pytest.fixture(scope="module")
def tools() -> dict[str, Any]:
    """All tools, with the limits that calls are checked against and lists leave out."""
    backend = RecordedBackend()
    servers = (code_server(backend), sidecar_server(backend))
    listed = [tool for server in servers for tool in asyncio.run(server.list_tools())]
    return {tool.name: tool for tool in listed}


@pytest.mark.parametrize("tool", REQUESTS)
def test_the_limits_of_an_argument_are_those_of_the_api(tool: str, tools: dict[str, Any]) -> None:
    fields = REQUESTS[tool]().fields
    for name, schema in tools[tool].input_schema["properties"].items():
        if name in TOOLS_OWN:
            continue
        field = fields[ALIASES.get(name, name)]
        if (tool, name) in TAKE_NO_TRACE:
            field = QueryField()
        names = names_of_limits(field)
        kinds = [schema, *schema.get("anyOf", ())]
        told = {key: kind[key] for kind in kinds for key in names if key in kind}
        limits = {key: getattr(field, attribute, None) for key, attribute in names.items()}
        assert told == {key: limit for key, limit in limits.items() if limit is not None}, name


def names_of_limits(field: serializers.Field[Any, Any, Any, Any]) -> dict[str, str]:
    if isinstance(field, serializers.ListField):
        return LIST
    return TEXT if isinstance(field, serializers.CharField) else NUMBER


def test_lists_of_choices_are_those_of_the_api() -> None:
    assert list(get_args(parameters.GroupBy)) == [str(one) for one in GroupBy]
    assert list(get_args(parameters.ChunkType)) == [str(kind) for kind in ChunkType]
    assert list(get_args(parameters.Kind)) == KINDS
    assert list(get_args(parameters.Mode)) == [str(mode) for mode in Mode]
    assert list(get_args(parameters.Direction)) == [str(direction) for direction in Direction]
    assert list(get_args(parameters.Target)) == ["code", *DOCUMENT_KINDS]


def test_defaults_are_those_of_the_api_but_for_pages_that_fit_the_default_budget(
    tools: dict[str, Any],
) -> None:
    differing = {
        (tool, name)
        for tool, serializer in REQUESTS.items()
        for name, schema in tools[tool].input_schema["properties"].items()
        if name not in TOOLS_OWN and schema.get("default") is not None
        if schema["default"] != serializer().fields[name].default
    }
    pages = ("code_trace_callers", "code_trace_callees", "code_graph", "code_definition")
    pages += ("code_map", "code_consumers", "graph_violations", "graph_unmigrated", "code_grep")
    assert differing == {(tool, "limit") for tool in pages}


@pytest.mark.parametrize("tool", ["code_search", "codesearch_search"])
def test_an_argument_that_does_not_exist_is_refused_by_name(tool: str) -> None:
    backend = RecordedBackend()
    server = code_server(backend) if tool == "code_search" else sidecar_server(backend)
    result = call(server, tool, query="x", porject="auth-service")
    assert result.is_error
    assert text_of(result).startswith(
        f"{INVALID} (400): Unknown argument 'porject'. Known arguments: "
    )
    assert backend.asked == []


def test_the_arguments_of_a_sidecar_exist() -> None:
    for tool, serializer in REQUESTS.items():
        if tool.startswith("codesearch_"):
            told = tools_of(sidecar_server(RecordedBackend()))[tool].input_schema["properties"]
            known = set(sidecar_arguments(dict.fromkeys(serializer().fields, "")))
            assert known - NOT_FOR_AGENTS == set(told) - TOOLS_OWN
