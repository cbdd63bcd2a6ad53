"""Search over HTTP: the request's fields and the answer."""

from collections.abc import Mapping
from typing import Any, Final

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from central.http.parameters import (
    DECIMAL,
    FLAG,
    INTEGER,
    OrganizationSerializer,
    StrictBooleanField,
    StrictCharField,
    StrictChoiceField,
    StrictFloatField,
    StrictIntegerField,
    body_object,
    query_object,
    to_json,
)
from central.http.serializers import Made, serializer_of
from central.query.pasted.stack_trace import parse_trace
from central.repositories.views import AnsweringProjectSerializer, LackingSerializer
from central.repositories.visibility import AnsweringProject, MissingProject
from central.search.answers import Answer, Receipt, Result, StreamEnd
from central.search.line_search import every_match
from central.search.query import EXPANDED_CONTENT, GroupBy, Mode, SearchRequest
from central.search.service import search
from central.tenancy.authentication import credential_for
from central.tenancy.models import Scope
from indexer.limits import PASTED_CHARACTERS, PROJECTS_NAMED, QUERIES, QUERY_CHARACTERS, RESULTS
from indexer.records.files import ChunkType


class QueryField(StrictCharField):
    """A query's text, without the blanks around it."""

    def __init__(self, *, max_length: int = QUERY_CHARACTERS, **options: Any) -> None:
        super().__init__(max_length=max_length, trim_whitespace=True, **options)


class ProjectsField(serializers.ListField):
    """Names of projects."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            child=StrictCharField(max_length=200),
            max_length=PROJECTS_NAMED,
            required=False,
            **options,
        )


class SearchRequestSerializer(OrganizationSerializer):
    """`POST /api/v1/search`: exactly one of `query` and `queries`."""

    query = QueryField(
        required=False,
        max_length=PASTED_CHARACTERS,
        help_text=f"At most {QUERY_CHARACTERS:,} characters, unless it is a stack trace",
    )
    queries = serializers.ListField(
        child=QueryField(), min_length=1, max_length=QUERIES, required=False
    )
    limit = StrictIntegerField(min_value=1, max_value=RESULTS, default=10)
    mode = StrictChoiceField(choices=[str(mode) for mode in Mode], default=str(Mode.HYBRID))
    include_projects = ProjectsField(help_text="Search these only")
    exclude_projects = ProjectsField(help_text="Leave these out")
    language = StrictCharField(max_length=40, required=False, help_text="Such as python")
    chunk_type = StrictChoiceField(choices=[str(kind) for kind in ChunkType], required=False)
    path = StrictCharField(
        max_length=1_024, required=False, help_text="What a file's path begins with"
    )
    exclude = StrictCharField(
        max_length=1_000,
        required=False,
        allow_blank=True,
        help_text="Parts of paths to leave out, separated by |, in any case: test|mock",
    )
    expand = StrictIntegerField(
        min_value=0,
        max_value=100,
        default=0,
        help_text="Lines to show before and after a hit; of an exact search in `context`",
    )
    max_content = StrictIntegerField(
        min_value=0,
        max_value=100_000,
        required=False,
        help_text=f"Characters of content: 500, or {EXPANDED_CONTENT} with expand",
    )
    min_similarity = StrictFloatField(min_value=0.0, max_value=1.0, required=False)
    explain = StrictBooleanField(default=False, help_text="Say why each result is where it is")
    group_by = StrictChoiceField(
        choices=[str(grouping) for grouping in GroupBy],
        default=str(GroupBy.NONE),
        help_text="file: one result for each file, its best hit, with further ones as spans. "
        "Symbol searches list definitions and exact searches list files in any case",
    )
    facets = StrictBooleanField(
        default=False,
        help_text="Count the files found by repository, language and directory; not with cursor",
    )
    cursor = StrictCharField(max_length=500, required=False, help_text="next_cursor of a page")

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require exactly one of `query` and `queries`."""
        if ("query" in attrs) == ("queries" in attrs):
            sentence = "Give either query or queries, and only one of them."
            raise serializers.ValidationError({"query": [sentence]})
        text = attrs.get("query", "")
        if len(text) > QUERY_CHARACTERS and not (
            attrs["mode"] == Mode.HYBRID and parse_trace(text)
        ):
            sentence = f"Ensure this field has no more than {QUERY_CHARACTERS} characters."
            raise serializers.ValidationError({"query": [sentence]})
        return attrs

    def search_request(self, body: Mapping[str, Any]) -> SearchRequest:
        """Return a request's body as a record. One instance serves all: a copy costs 1 ms."""
        data = self.checked(body)
        queries = data.pop("queries", None) or [data.pop("query")]
        data.setdefault("max_content", EXPANDED_CONTENT if data["expand"] else 500)
        for name in ("include_projects", "exclude_projects"):
            data[name] = tuple(dict.fromkeys(data.get(name, ())))
        return SearchRequest(
            **{
                **data,
                "queries": tuple(dict.fromkeys(queries)),
                "mode": Mode(data["mode"]),
                "group_by": GroupBy(data["group_by"]),
            }
        )


class MissingProjectSerializer(LackingSerializer):
    """A project that the answer may lack something of."""

    reason = serializers.CharField(
        help_text="never_indexed, not_cloned, failed, behind, paused, embedder_unavailable, "
        "unknown_project, reindexed (meanwhile: send the request again), too_many_hits (the "
        "filters leave too little of the first 100,000 hits), or of exact searches: timeout, "
        "too_many_files, "
        "text_index_incomplete (it is being built), "
        "text_index_damaged (until the next reconcile), of queries with owner: owners_unread (who "
        "owns its files is not known; its page says why), and of streams: too_many_matches (of one "
        "file)"
    )


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: MissingProjectSerializer,
}
serializer_of(Receipt, _MADE, name="SearchReceipt")
SearchAnswerSerializer = serializer_of(Answer, _MADE, name="SearchAnswer")
_REQUESTS = SearchRequestSerializer()
_LISTS: Final = frozenset({"queries", "include_projects", "exclude_projects"})
_NUMBERS: Final = {
    "explain": FLAG,
    "facets": FLAG,
    **dict.fromkeys(("limit", "expand", "max_content"), INTEGER),
    "min_similarity": DECIMAL,
}


class SearchView(APIView):
    """Search every repository of the organisation that the credential sees."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="search",
        request=SearchRequestSerializer,
        responses=SearchAnswerSerializer,
        tags=["search"],
    )
    def post(self, request: Request) -> Response:
        """Search with a JSON body."""
        return _respond(request, body_object(request))

    @extend_schema(
        operation_id="search_by_address",
        parameters=[SearchRequestSerializer],
        responses=SearchAnswerSerializer,
        tags=["search"],
    )
    def get(self, request: Request) -> Response:
        """Search with query parameters; lists are given by repeating a parameter."""
        return _respond(request, query_object(request.query_params, lists=_LISTS, numbers=_NUMBERS))


class SearchStreamView(APIView):
    """Stream every file that an exact search matches."""

    required_scope = Scope.SEARCH

    @extend_schema(
        operation_id="search_stream",
        request=SearchRequestSerializer,
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
        tags=["search"],
    )
    def post(self, request: Request) -> StreamingHttpResponse:
        """Search with a JSON body. A line is a result; the last line is `{"receipt": …}`.

        It has a `hint`, too, if there are no results. `limit` and `cursor` have no effect. Without
        the receipt, the stream was interrupted.
        """
        return _stream(request, body_object(request))

    @extend_schema(
        operation_id="search_stream_by_address",
        parameters=[SearchRequestSerializer],
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR},
        tags=["search"],
    )
    def get(self, request: Request) -> StreamingHttpResponse:
        """Search with query parameters, as `POST` does."""
        return _stream(request, query_object(request.query_params, lists=_LISTS, numbers=_NUMBERS))


def _stream(request: Request, data: Mapping[str, Any]) -> StreamingHttpResponse:
    credential = credential_for(request, data.get("org_id"))
    encode = JSONRenderer().render
    found = every_match(credential=credential, request=_REQUESTS.search_request(data))
    lines = (b"" if line is None else encode(_line(line)) + b"\n" for line in found)
    return StreamingHttpResponse(lines, content_type="application/x-ndjson")


def _line(end: Result | StreamEnd) -> Any:
    line = to_json(end)
    if isinstance(end, StreamEnd) and end.hint is None:
        del line["hint"]
    return line


def _respond(request: Request, data: Mapping[str, Any]) -> Response:
    credential = credential_for(request, data.get("org_id"))
    answer = search(credential=credential, request=_REQUESTS.search_request(data))
    return Response(to_json(answer))
