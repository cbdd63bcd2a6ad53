import json
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from central.corpus.backends import vector_store
from central.repositories.models import Repository
from central.tenancy.models import Organization
from central.tenancy.services.tokens import create_token
from indexer.errors import StoreUnavailableError

ADDRESS = "/api/v1/search"


@pytest.fixture
def client(acme: Organization) -> Client:
    """Speaks with a token that may search."""
    token = create_token(organization_slug="acme", scopes=["search"], actor="test")
    return Client(headers={"authorization": f"Bearer {token}"})


def post(client: Client, **body: Any) -> Any:
    return client.post(ADDRESS, {"org_id": "acme", **body}, content_type="application/json")


def test_answer_has_the_shape_of_the_contract(client: Client) -> None:
    answer = post(client, query="validate_token", limit=2).json()
    assert answer["query"] == "validate_token"
    assert answer["count"] == len(answer["results"]) == 2
    assert answer["results"][0].keys() >= {
        "project", "commit", "file", "start_line", "end_line", "language", "chunk_type", "name",
        "score", "similarity", "content", "truncated", "matched", "url",
    }  # fmt: skip
    assert answer["receipt"].keys() == {
        *("complete", "took_ms", "projects", "missing", "missing_more")
    }
    assert answer["receipt"]["projects"][0]["indexed_at"].endswith("Z")
    assert answer["next_cursor"]


def test_query_parameters_give_the_same_answer(client: Client) -> None:
    body = post(client, query="JWT", limit=3, include_projects=["auth-service"]).json()
    parameters = {"org_id": "org-acme", "query": "JWT", "limit": 3}
    address = client.get(ADDRESS, {**parameters, "include_projects": ["auth-service"]}).json()
    assert address["results"] == body["results"]


def test_files_are_results_if_that_is_asked(client: Client) -> None:
    body = {"query": "validate a token of a request", "group_by": "file", "limit": 50}
    grouped = post(client, **body).json()
    assert client.get(ADDRESS, {"org_id": "acme", **body}).json()["results"] == grouped["results"]
    files = [(one["project"], one["file"]) for one in grouped["results"]]
    assert len(set(files)) == len(files)
    spans = [span for one in grouped["results"] for span in one["spans"]]
    assert spans
    assert all(
        span.keys() == {"start_line", "end_line", "name", "container", "chunk_type", "score"}
        for span in spans
    )
    single = post(client, **{**body, "group_by": "none"}).json()
    assert single["results"] == post(client, query=body["query"], limit=50).json()["results"]
    assert {(one["project"], one["file"]) for one in single["results"]} == set(files)
    assert single["count"] > grouped["count"]
    assert not any(one["spans"] for one in single["results"])


def test_counts_are_in_the_answer_if_they_are_asked_for(client: Client) -> None:
    body = {"query": '"validate_token"'}
    assert post(client, **body).json()["facets"] is None
    facets = post(client, **body, facets=True).json()["facets"]
    kinds = {"repository", "language", "directory", "owner"}
    assert facets.keys() == {"files", "at_least", "branches", *kinds}
    assert facets["files"] == sum(one["files"] for one in facets["repository"])
    address = client.get(ADDRESS, {"org_id": "acme", **body, "facets": "true"}).json()
    assert address["facets"] == facets


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("query", {}),
        ("query", {"query": ""}),
        ("query", {"query": "  "}),
        ("query", {"query": "a\0b"}),
        ("query", {"query": "a" * 4_001}),
        ("query", {"query": 5}),
        ("query", {"query": "a", "queries": ["b"]}),
        ("queries", {"queries": []}),
        ("queries", {"queries": ["a"] * 11}),
        ("queries", {"queries": "a|b"}),
        ("limit", {"query": "a", "limit": 0}),
        ("limit", {"query": "a", "limit": 51}),
        ("limit", {"query": "a", "limit": "5"}),
        ("limit", {"query": "a", "limit": True}),
        ("mode", {"query": "a", "mode": "magic"}),
        ("chunk_type", {"query": "a", "chunk_type": "struct"}),
        ("path", {"query": "a", "path": "a\0"}),
        ("expand", {"query": "a", "expand": 101}),
        ("max_content", {"query": "a", "max_content": -1}),
        ("min_similarity", {"query": "a", "min_similarity": 1.5}),
        ("include_projects", {"query": "a", "include_projects": [1]}),
        ("cursor", {"query": "a", "cursor": "nonsense"}),
        ("group_by", {"query": "a", "group_by": "project"}),
        ("language", {"query": "a", "language": "pyhton"}),
        ("language", {"query": '"a"', "language": "pyhton"}),
    ],
)
def test_bad_input_is_refused_by_name(client: Client, field: str, body: dict[str, Any]) -> None:
    response = post(client, **body)
    assert response.status_code == 400
    problem = response.json()
    assert problem["code"] == "invalid"
    assert field in problem["detail"]


@pytest.mark.parametrize(
    "parameters",
    [{"limit": "ten"}, {"limit": "5.0"}, {"min_similarity": "nan"}, {"expand": "9" * 5_000}],
)
def test_parameter_that_is_no_number_is_refused(client: Client, parameters: dict[str, str]) -> None:
    response = client.get(ADDRESS, {"org_id": "acme", "query": "a", **parameters})
    assert response.status_code == 400
    assert response.json()["code"] == "invalid"


@pytest.mark.parametrize("body", ["[]", "3", '"query"', "{"])
def test_body_that_is_no_object_is_refused(client: Client, body: str) -> None:
    response = client.post(ADDRESS, body, content_type="application/json")
    assert response.status_code == 400


def test_other_organisation_is_not_found_before_the_rest_is_looked_at(client: Client) -> None:
    response = post(client, org_id="rival", limit=-5)
    assert response.status_code == 404
    assert response.json()["code"] == "organization_not_found"


def test_token_without_the_scope_is_refused(acme: Organization) -> None:
    token = create_token(organization_slug="acme", scopes=["index"], actor="test")
    response = post(Client(headers={"authorization": f"Bearer {token}"}), query="a")
    assert response.status_code == 403
    assert post(Client(), query="a").status_code == 401


def test_store_that_is_away_is_said_to_be(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_: object) -> None:
        raise StoreUnavailableError("away")

    monkeypatch.setattr(vector_store(), "search", away)
    response = post(client, query="a token")
    assert response.status_code == 503
    assert response.json()["code"] == "vector_store_unavailable"


def test_schema_describes_the_route_without_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    from drf_spectacular.generators import SchemaGenerator

    from central.search.views import SearchView  # noqa: F401

    schema = SchemaGenerator().get_schema(request=None, public=True)
    assert {"get", "post"} <= schema["paths"][ADDRESS].keys()
    assert "warning" not in capsys.readouterr().err.lower()


def test_search_costs_few_database_queries(
    client: Client, django_assert_max_num_queries: Any
) -> None:
    post(client, query="validate_token")
    with django_assert_max_num_queries(8):
        post(client, query="validate_token")


@pytest.mark.parametrize("query", ["word " * 790, "a" * 4_000, "aB" * 1_900])
def test_long_query_for_a_symbol_finds_nothing(client: Client, query: str) -> None:
    response = post(client, query=query, mode="symbol")
    assert (response.status_code, response.json()["count"]) == (200, 0)


def test_a_hit_of_an_unknown_forge_is_shown_by_this_service(
    client: Client, settings: Settings
) -> None:
    Repository.objects.update(web_url="")
    assert post(client, query="readToken").json()["results"][0]["url"] is None
    settings.PUBLIC_URL = "https://code.example"
    first = post(client, query="readToken").json()["results"][0]
    assert first["url"] == (
        "https://code.example/o/acme/r/payments-api/file/src/token.ts"
        f"#L{first['start_line']}-L{first['end_line']}"
    )


def test_a_result_says_why_it_is_there_if_that_is_asked(client: Client) -> None:
    assert post(client, query="validate_token").json()["results"][0]["why"] is None
    body = post(client, query="validate_token", explain=True).json()["results"]
    parameters = {"org_id": "acme", "query": "validate_token", "explain": "true"}
    assert client.get(ADDRESS, parameters).json()["results"] == body
    why = body[0]["why"]
    assert why["lexical_rank"] == 1
    assert {"rule": "definition", "adds": 2.0, "times": 1.0} in why["rules"]


@pytest.mark.parametrize("mode", ["semantic", "lexical", "symbol"])
def test_each_mode_explains_itself_by_what_it_goes_by(client: Client, mode: str) -> None:
    why = post(client, query="validate_token", mode=mode, explain=True).json()["results"][0]["why"]
    assert (why["semantic_rank"] == 1) == (mode == "semantic")
    assert (why["lexical_rank"] == 1) == (mode == "lexical")
    assert bool(why["rules"]) == (mode == "symbol")


def test_several_queries_are_explained_by_the_one_that_placed_a_result(client: Client) -> None:
    results = post(client, queries=["validate_token", "readToken"], explain=True).json()["results"]
    defined = [
        result["name"]
        for result in results
        if any(effect["rule"] == "definition" for effect in result["why"]["rules"])
    ]
    assert {"validate_token", "readToken"} <= {name for one in defined for name in one.split(", ")}


def streamed(client: Client, **body: Any) -> list[Any]:
    body = {"org_id": "acme", **body}
    response = client.post(f"{ADDRESS}/stream", body, content_type="application/json")
    assert response["Content-Type"] == "application/x-ndjson"
    return [json.loads(line) for line in b"".join(response.streaming_content).splitlines()]  # type: ignore[attr-defined]


def test_a_stream_has_every_match_and_the_receipt_last(client: Client) -> None:
    *results, last = streamed(client, query='"token"')
    pages = post(client, query='"token"', limit=50).json()
    assert [one["file"] for one in results] == [one["file"] for one in pages["results"]]
    assert last["receipt"]["complete"]
    assert list(last) == ["receipt"]


def test_a_stream_without_results_says_why(client: Client) -> None:
    (last,) = streamed(client, query='repo:auht-service "token"')
    assert last["hint"] == post(client, query='repo:auht-service "token"').json()["hint"]
    assert "Near names: auth-service." in last["hint"]


def test_pages_and_streams_have_the_same_context(client: Client) -> None:
    *results, _ = streamed(client, query='"jwt.encode"', expand=1)
    asked = {"org_id": "acme", "query": '"jwt.encode"', "expand": "1"}
    pages = [post(client, **asked | {"expand": 1}).json(), client.get(ADDRESS, asked).json()]
    for result in [results[0], *(page["results"][0] for page in pages)]:
        assert [line["line"] for line in result["lines"]] == [17]
        assert [(line["line"], line["truncated"]) for line in result["context"]] == [(16, False)]


@pytest.mark.parametrize("query", ["token", '"open', "/(/"])
def test_a_stream_that_cannot_be_is_refused_before_it_begins(client: Client, query: str) -> None:
    body = {"org_id": "acme", "query": query}
    refused = client.post(f"{ADDRESS}/stream", body, content_type="application/json")
    assert refused.status_code == 400
    assert refused["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("body", "near"),
    [({"querry": "a"}, "query"), ({"query": "a", "languages": "go"}, "language")],
)
def test_a_field_that_does_not_exist_is_refused_with_the_near_one(
    client: Client, body: dict[str, str], near: str
) -> None:
    refused = post(client, **body)
    assert refused.status_code == 400
    assert f"Did you mean {near}?" in refused.json()["detail"]


def test_of_many_fields_that_do_not_exist_the_first_few_are_named(client: Client) -> None:
    refused = post(client, **{f"x{number}-{'x' * 900}": "a" for number in range(2_000)})
    detail = refused.json()["detail"]
    assert detail.count("There is no such field.") == 5
    assert detail.endswith("1,995 further fields do not exist either.")
    assert len(detail) < 1_000


def test_of_many_values_that_are_wrong_the_first_few_are_named(client: Client) -> None:
    refused = post(client, query="retry", include_projects=[1] * 90)
    assert refused.status_code == 400
    assert refused.json()["detail"].endswith("And 80 more.")


def test_a_language_that_does_not_exist_is_an_error_of_its_field(client: Client) -> None:
    refused = post(client, query="retry", language="Pyhton").json()
    assert list(refused["errors"]) == ["language"]
    assert refused["detail"] == 'There is no language "Pyhton". Near names: python.'
    assert post(client, query="retry", language="PY").json()["receipt"]["complete"]


def test_an_error_of_the_query_language_names_the_column(client: Client) -> None:
    refused = post(client, query="retry lang:pyhton").json()
    assert (refused["code"], refused["column"]) == ("invalid_query", 7)
    assert "python" in refused["detail"]
