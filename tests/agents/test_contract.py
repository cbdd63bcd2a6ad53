"""The tools' shapes and limits are those of the API, so that the two cannot drift apart."""

from dataclasses import is_dataclass
from typing import Any, get_args, get_type_hints

import pytest
from rest_framework import serializers

from aeterna_code_search.agents.backend import INVALID
from aeterna_code_search.contract import notes, projects, search, status, trace
from central.codemap.views import ConsumersSerializer, MapSerializer, UnusedSerializer
from central.files import answers
from central.files.views import FileContentSerializer, FileListSerializer, HistorySerializer
from central.knowledge.views import (
    ContextAnswerSerializer,
    EdgeSerializer,
    RelatedAnswerSerializer,
    TraverseAnswerSerializer,
    UnmigratedAnswerSerializer,
    ViolationsAnswerSerializer,
)
from central.repositories.views import IndexStatusSerializer
from central.search.views import SearchAnswerSerializer
from central.trace.views import (
    CalleesSerializer,
    CallersSerializer,
    GraphSerializer,
    MeaningSerializer,
)
from tests.agents.calling import call, code_server, sidecar_server, text_of
from tests.agents.expanding import expanded, reduced
from tests.agents.recorded import RecordedBackend, recorded
from tests.agents.test_tools import RECORDINGS, TOOLS

RECORDS = [
    record
    for module in (answers, projects, search, status, trace)
    for record in vars(module).values()
    if is_dataclass(record)
]
YOUNGER = {  # than the recordings
    name
    for record in RECORDS
    for name, hint in get_type_hints(record, include_extras=True).items()
    if notes.YOUNGER in get_args(hint)
} | {"elsewhere", "not_run", "unparsed", "encoding", "byte_order_mark"}
FOR_PAGES = {"facets"}  # what only a person clicks on

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
    "history": HistorySerializer,
    "map": MapSerializer,
    "consumers": ConsumersSerializer,
    "unused": UnusedSerializer,
}


def of_serializer(serializer: serializers.BaseSerializer[Any]) -> dict[str, Any] | None:
    """The members of a serializer, each with those of the object it holds."""
    if isinstance(serializer, serializers.ListSerializer):
        return of_serializer(serializer.child)
    if not isinstance(serializer, serializers.Serializer):
        return None
    return {name: of_serializer(field) for name, field in serializer.fields.items()}


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
