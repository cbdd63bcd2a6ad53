"""Search over HTTP: the request's fields and the answer."""

from typing import Any, Final

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

from aeterna_code_search.contract.projects import AnsweringProject, MissingProject
from aeterna_code_search.contract.search import (
    EXPANDED_CONTENT,
    Mode,
    Result,
    SearchAnswer,
    SearchRequest,
    StreamEnd,
)
from central.http.parameters import to_json
from central.http.requests import request_serializer
from central.http.serializers import Made, serializer_of
from central.query.pasted.stack_trace import parse_trace
from central.repositories.views import AnsweringProjectSerializer, LackingSerializer
from central.search.line_search import every_match
from central.search.service import search
from central.tenancy.credentials import Credential
from central.tenancy.views import CredentialView, answers
from indexer.limits import QUERY_CHARACTERS


class SearchRequestSerializer(request_serializer(SearchRequest)):  # type: ignore[misc]
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
        attrs.setdefault("max_content", EXPANDED_CONTENT if attrs["expand"] else 500)
        queries = attrs.pop("queries", None) or [attrs.pop("query")]
        return {**attrs, "queries": queries}


class MissingProjectSerializer(LackingSerializer):
    """A project that the answer may lack something of."""

    reason = serializers.CharField(
        help_text="never_indexed, not_cloned, failed, behind, paused, embedder_unavailable, "
        "unknown_project, no_such_branch and branch_not_indexed (where branches are asked for), "
        "reindexed (meanwhile: send the request again), too_many_hits (the "
        "filters leave too little of the first 100,000 hits), or of exact searches: timeout, "
        "too_many_files, too_many_commits (only the newest were looked at), "
        "text_index_incomplete (it is being built), "
        "text_index_damaged (until the next reconcile), of queries with owner: owners_unread (who "
        "owns its files is not known; its page says why), and of streams: too_many_matches (of one "
        "file)"
    )


_MADE: Made = {
    AnsweringProject: AnsweringProjectSerializer,
    MissingProject: MissingProjectSerializer,
}
SearchAnswerSerializer = serializer_of(SearchAnswer, _MADE)


class SearchView(CredentialView):
    """Search every repository of the organisation that the credential sees."""

    @answers("search", SearchRequestSerializer, SearchAnswerSerializer, in_body=True)
    def post(self, credential: Credential, request: SearchRequest) -> SearchAnswer:
        """Search with a JSON body."""
        return search(credential=credential, request=request)

    @answers("search_by_address", SearchRequestSerializer, SearchAnswerSerializer)
    def get(self, credential: Credential, request: SearchRequest) -> SearchAnswer:
        """Search with query parameters; lists are given by repeating a parameter."""
        return search(credential=credential, request=request)


_LINES: Final = {(200, "application/x-ndjson"): OpenApiTypes.STR}


class SearchStreamView(CredentialView):
    """Stream every file that an exact search matches."""

    @answers("search_stream", SearchRequestSerializer, _LINES, in_body=True)
    def post(self, credential: Credential, request: SearchRequest) -> StreamingHttpResponse:
        """Search with a JSON body. A line is a result; the last line is `{"receipt": …}`.

        It has a `hint`, too, if there are no results. `limit` and `cursor` have no effect. Without
        the receipt, the stream was interrupted.
        """
        return _stream(credential, request)

    @answers("search_stream_by_address", SearchRequestSerializer, _LINES)
    def get(self, credential: Credential, request: SearchRequest) -> StreamingHttpResponse:
        """Search with query parameters, as `POST` does."""
        return _stream(credential, request)


def _stream(credential: Credential, request: SearchRequest) -> StreamingHttpResponse:
    encode = JSONRenderer().render
    found = every_match(credential=credential, request=request)
    lines = (b"" if line is None else encode(_line(line)) + b"\n" for line in found)
    return StreamingHttpResponse(lines, content_type="application/x-ndjson")


def _line(end: Result | StreamEnd) -> Any:
    line = to_json(end)
    if isinstance(end, StreamEnd) and end.hint is None:
        del line["hint"]
    return line
