"""Scenarios of the specifications, by name, and what an answer promises beyond them."""

from collections.abc import Callable

import pytest
import structlog.testing

from aeterna_code_search.contract.search import Mode, SearchAnswer, SearchRequest
from central.corpus.backends import vector_store
from central.repositories.models import Repository
from central.search import query_preparation, retrieval
from central.search.service import TRIES, search
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from indexer.embedding.base import Embedder
from indexer.records.vectors import EmbedderSpec
from tests.central.search.conftest import AUTH
from tests.central.search.corpus import (
    COMMIT,
    apply_files,
    credential_for,
    index_repository,
    organization_of,
)

Search = Callable[..., SearchAnswer]
MODES = [Mode.HYBRID, Mode.SEMANTIC, Mode.LEXICAL, Mode.SYMBOL]


def test_search_with_limit(find: Search) -> None:
    answer = find("error handling", limit=5)
    assert answer.count == len(answer.results) <= 5
    scores = [result.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)


def test_a_search_is_logged_with_query_project_and_number_of_results(find: Search) -> None:
    with structlog.testing.capture_logs() as lines:
        answer = find("JWT token", include_projects=("auth-service",))
    (line,) = (line for line in lines if line["event"] == "code.search")
    assert line["span"] == "code.search"
    assert (line["query"], line["project"]) == ("JWT token", "auth-service")
    assert line["resultCount"] == answer.count > 0
    assert line["took_ms"] > 0


def test_cross_repository_search(find: Search) -> None:
    answer = find("JWT token")
    assert {result.project for result in answer.results} == {"auth-service", "payments-api"}
    assert [item.project for item in answer.receipt.projects] == ["auth-service", "payments-api"]
    assert answer.receipt.complete


def test_project_filtered_search(find: Search) -> None:
    answer = find("JWT token", include_projects=("auth-service",))
    assert answer.results
    assert {result.project for result in answer.results} == {"auth-service"}
    assert [item.project for item in answer.receipt.projects] == ["auth-service"]


def test_excluded_project_is_not_searched(find: Search) -> None:
    answer = find("JWT token", exclude_projects=("auth-service", "no-such"))
    assert {result.project for result in answer.results} == {"payments-api"}
    assert answer.receipt.complete


@pytest.mark.parametrize("mode", MODES)
def test_search_respects_tenant_isolation(acme: Organization, mode: Mode) -> None:
    rival = organization_of("rival")
    index_repository(rival, "auth-service", {"src/secret.py": AUTH["src/auth/tokens.py"]})
    for organization, files in ((rival, {"src/secret.py"}), (acme, set(AUTH))):
        request = SearchRequest(
            queries=("validate_token",), mode=mode, include_projects=("auth-service",)
        )
        answer = search(credential=credential_for(organization), request=request)
        assert answer.results
        assert {result.file for result in answer.results} <= files


@pytest.mark.parametrize("mode", MODES)
def test_token_for_one_repository_sees_that_one(acme: Organization, mode: Mode) -> None:
    restricted = credential_for(acme, {"payments-api"})
    request = SearchRequest(
        queries=("validate_token",), mode=mode, include_projects=("auth-service", "payments-api")
    )
    answer = search(credential=restricted, request=request)
    assert "auth-service" not in {result.project for result in answer.results}
    reasons = {(item.project, item.reason) for item in answer.receipt.missing}
    assert reasons == {("auth-service", "unknown_project")}


@pytest.mark.parametrize("query", ["token", '"token"'])
def test_a_project_that_does_not_exist_is_named_with_those_like_it(
    find: Search, query: str
) -> None:
    answer = find(query, include_projects=("auth-servce",))
    assert answer.hint is not None
    assert " is called auth-servce. Near names: auth-service." in answer.hint


@pytest.mark.parametrize("mode", MODES)
def test_language_filter(find: Search, mode: Mode) -> None:
    answer = find("token", language="python", mode=mode)
    assert answer.results
    assert {result.language for result in answer.results} == {"python"}


@pytest.mark.parametrize("mode", MODES)
def test_chunk_type_filter(find: Search, mode: Mode) -> None:
    answer = find("validate_token", chunk_type="function", mode=mode)
    assert answer.results
    assert {result.chunk_type for result in answer.results} == {"function"}


@pytest.mark.parametrize("mode", MODES)
def test_path_exclusion(find: Search, mode: Mode) -> None:
    assert any("test" in result.file for result in find("token", mode=mode, limit=50).results)
    answer = find("token", exclude="TEST|mock|fixture", mode=mode, limit=50)
    assert answer.results
    assert not [result.file for result in answer.results if "test" in result.file.lower()]


@pytest.mark.parametrize(
    ("prefix", "authors"), [("src/auth", True), ("src/auth/", False), ("src/autho", True)]
)
def test_path_prefix_may_end_inside_a_component(find: Search, prefix: str, authors: bool) -> None:
    files = {result.file for result in find("names of authors", path=prefix).results}
    assert files
    assert all(file.startswith(prefix) for file in files)
    assert ("src/authors.py" in files) is authors


def test_context_expansion(find: Search) -> None:
    plain = find("issue_token", limit=1).results[0]
    wide = find("issue_token", limit=1, expand=3, max_content=20_000).results[0]
    lines = AUTH[plain.file].splitlines()
    first = max(1, plain.start_line - 3)
    assert (wide.start_line, wide.end_line) == (plain.start_line, plain.end_line)
    assert wide.content_start_line == first
    assert wide.content == "\n".join(lines[first - 1 : plain.end_line + 3])


def test_long_content_is_cut_and_says_so(find: Search) -> None:
    result = find("validate_token", max_content=10).results[0]
    assert len(result.content) == 10
    assert result.truncated
    assert not find("validate_token", max_content=20_000).results[0].truncated


def test_multiple_queries(find: Search) -> None:
    queries = ("validate JWT token", "double entry ledger")
    answer = find(queries)
    files = {result.file for result in answer.results[:3]}
    assert "internal/ledger/ledger.go" in files
    assert files & {"src/auth/tokens.py", "src/auth/middleware.py"}
    scores = [result.score for result in answer.results]
    assert scores == sorted(scores, reverse=True)
    assert all(set(result.matched) <= set(queries) for result in answer.results)


def test_batch_embedding_efficiency(find: Search, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    opened = query_preparation.embedder

    class Counting:
        def __init__(self, inner: Embedder) -> None:
            self.inner = inner

        def embed_queries(self, texts: tuple[str, ...]) -> object:
            calls.append(len(texts))
            return self.inner.embed_queries(texts)

    monkeypatch.setattr(query_preparation, "embedder", lambda spec: Counting(opened(spec)))
    find(("auth logic", "token validation", "session handling"))
    assert calls == [3]


def test_result_deduplication(find: Search) -> None:
    one, other = "validate token", "verify signature of a token"
    answer = find((one, other), limit=50)
    places = [(item.project, item.file, item.start_line) for item in answer.results]
    assert len(places) == len(set(places))
    alone = [item for query in (one, other) for item in find(query, limit=50).results]
    for item in answer.results:
        place = (item.project, item.file, item.start_line)
        scores = [hit.score for hit in alone if (hit.project, hit.file, hit.start_line) == place]
        assert item.score == max(scores)


def test_batch_with_exclusion(find: Search) -> None:
    answer = find(("expired token", "JWT validation"), exclude="test|mock")
    assert answer.results
    assert not [result.file for result in answer.results if "test" in result.file]


@pytest.mark.parametrize(
    "name", ["AuthMiddleware", "authmiddleware", "AuthMid", "middleware", "auth_middleware"]
)
def test_symbol_is_found_by_its_name_and_parts_of_it(find: Search, name: str) -> None:
    first = find(name, mode=Mode.SYMBOL).results[0]
    assert first.file == "src/auth/middleware.py"
    assert first.similarity is not None


def test_symbol_search_ignores_what_only_mentions_the_name(find: Search) -> None:
    names = {result.name for result in find("validate_token", mode=Mode.SYMBOL).results}
    assert names == {"validate_token"}


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.SYMBOL])
def test_definition_comes_before_its_uses(find: Search, mode: Mode) -> None:
    first = find("validate_token", mode=mode).results[0]
    assert (first.file, first.name) == ("src/auth/tokens.py", "validate_token")


@pytest.mark.parametrize("mode", MODES)
def test_every_result_has_a_similarity(find: Search, mode: Mode) -> None:
    answer = find("validate_token", mode=mode, limit=50)
    assert answer.results
    for result in answer.results:
        assert result.similarity is not None
        assert 0.0 <= result.similarity <= 1.0


def test_similarity_does_not_depend_on_the_mode(find: Search) -> None:
    seen = {
        mode: {item.start_line: item.similarity for item in find("JWT token", mode=mode).results}
        for mode in (Mode.SEMANTIC, Mode.LEXICAL)
    }
    shared = seen[Mode.SEMANTIC].keys() & seen[Mode.LEXICAL].keys()
    assert shared


@pytest.mark.parametrize("mode", MODES)
def test_min_similarity_leaves_out_what_is_less_similar(find: Search, mode: Mode) -> None:
    everything = find("validate_token", mode=mode, limit=50).results
    values = sorted(item.similarity or 0.0 for item in everything)
    least = values[len(values) // 2]
    kept = find("validate_token", mode=mode, limit=50, min_similarity=least - 1e-4).results
    assert len(kept) == sum(value >= least - 1e-4 for value in values)


def test_result_links_to_the_lines_at_the_commit(find: Search) -> None:
    result = find("validate_token").results[0]
    assert result.commit == COMMIT
    assert result.url == (
        f"https://forge.example/acme/auth-service/blob/{COMMIT}/{result.file}"
        f"#L{result.start_line}-L{result.end_line}"
    )


def test_matched_words_of_one_query_are_those_in_the_chunk(find: Search) -> None:
    result = find("validate_token zebra").results[0]
    assert result.matched == ["validate_token"]


@pytest.mark.parametrize(
    ("trouble", "reason"), [("failed", "failed"), ("behind", "behind"), ("", "")]
)
def test_repository_in_trouble_is_searched_and_named(
    find: Search, trouble: str, reason: str
) -> None:
    Repository.objects.filter(name="auth-service").update(trouble=trouble)
    answer = find("validate_token")
    assert answer.results[0].project == "auth-service"
    assert [item.reason for item in answer.receipt.missing] == ([reason] if reason else [])
    assert answer.receipt.complete is not bool(reason)


def test_repository_that_was_never_indexed_is_missing(acme: Organization, find: Search) -> None:
    Repository.objects.create(organization=acme, name="new", tracked_ref="refs/heads/main")
    receipt = find("token").receipt
    assert not receipt.complete
    assert [(item.project, item.reason) for item in receipt.missing] == [("new", "never_indexed")]
    assert "new" not in [item.project for item in receipt.projects]


def searches_with_applies(monkeypatch: pytest.MonkeyPatch, *, applies: int) -> list[int]:
    """Have auth-service indexed again amid each of the first searches; return a list of these."""
    repository = Repository.objects.get(name="auth-service")
    store = vector_store()
    found, searches = store.search, []

    def search_then_apply(*arguments: object) -> object:
        hits = found(*arguments)  # type: ignore[arg-type]
        searches.append(1)
        if len(searches) <= applies:
            apply_files(
                repository,
                {f"src/zebra{len(searches)}.py": "def zebra_crossing():\n    pass\n"},
                commit=f"{len(searches):040x}",
            )
        return hits

    monkeypatch.setattr(store, "search", search_then_apply)
    return searches


def test_index_that_moves_meanwhile_is_searched_again(
    credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = searches_with_applies(monkeypatch, applies=1)
    answer = search(credential=credential, request=SearchRequest(queries=("zebra_crossing",)))
    assert len(searches) == 2
    assert answer.results[0].file == "src/zebra1.py"
    assert answer.results[0].commit == f"{1:040x}"
    assert f"{1:040x}" in {item.commit for item in answer.receipt.projects}
    assert answer.receipt.complete


def test_index_that_moves_each_time_is_named_by_the_receipt(
    credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = searches_with_applies(monkeypatch, applies=9)
    receipt = search(
        credential=credential, request=SearchRequest(queries=("zebra_crossing",))
    ).receipt
    assert len(searches) == TRIES
    assert not receipt.complete
    missing = [(item.project, item.reason) for item in receipt.missing]
    assert missing == [("auth-service", "reindexed")]


def test_search_that_gives_up_before_the_store_has_told_all_says_so(
    find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retrieval, "FIRST_SIZE", 1)
    monkeypatch.setattr(retrieval, "LAST_SIZE", 1)
    receipt = find("validate_token", exclude="src").receipt
    assert not receipt.complete
    assert {item.reason for item in receipt.missing} == {"too_many_hits"}
    monkeypatch.undo()
    assert find("validate_token", exclude="src").receipt.complete


def test_repository_with_an_unknown_embedder_is_searched_by_words(find: Search) -> None:
    spec = EmbedderSpec("nobody", "knows", 8)
    Repository.objects.filter(name="payments-api").update(embedder=str(spec))
    answer = find("validate_token")
    assert answer.results[0].file == "src/auth/tokens.py"
    missing = [(item.project, item.reason) for item in answer.receipt.missing]
    assert missing == [("payments-api", "embedder_unavailable")]


def test_empty_answers_say_what_to_try(acme: Organization, find: Search) -> None:
    nothing = find("xyzzyplugh", mode=Mode.LEXICAL)
    assert nothing.count == 0
    assert "hybrid" in (nothing.hint or "")
    narrowed = find("validate_token", language="rust")
    assert "filters" in (narrowed.hint or "")
    nobody = search(
        credential=credential_for(acme, set()), request=SearchRequest(queries=("validate_token",))
    )
    assert "no" in (nobody.hint or "").lower()
    assert find("validate_token").hint is None
