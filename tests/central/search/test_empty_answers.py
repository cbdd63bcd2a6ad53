"""An exact search that finds nothing says why, and what to write."""

import pytest

from aeterna_code_search.contract.search import Mode, SearchRequest
from central.corpus.models import TrigramPosting
from central.repositories.models import Repository
from central.search import line_search
from central.search.hints import OF_CONFIDENCE, looks_like_pattern, query_advice
from central.search.reading import read_request
from central.search.service import search
from central.sentences import Sentence
from central.tenancy.models import Organization
from tests.central.search.conftest import Search
from tests.central.search.corpus import credential_for, index_repository, organization_of


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Questions of the hint take as long as a busy machine needs."""
    monkeypatch.setattr(line_search, "EXACT_HINT_SECONDS", float("inf"))


def code_of(hint: str | None) -> str:
    assert isinstance(hint, Sentence)
    return hint.parts[0][0]


@pytest.mark.parametrize(
    ("query", "mode", "code"),
    [
        ('"nosuchthing_zzz"', Mode.HYBRID, "exact_nothing"),
        ('repo:auht-service "token"', Mode.HYBRID, "no_such_repository"),
        ("repo:auht-service file:*.py", Mode.HYBRID, "no_such_repository"),
        ("repo:auht-service verify token", Mode.HYBRID, "no_such_repository"),
        (r"def \w+_token", Mode.LITERAL, "looks_like_pattern"),
        ("/validate/", Mode.LITERAL, "looks_like_pattern"),
        (r'"def \\w+_token"', Mode.HYBRID, "looks_like_pattern"),
        ('"validate_token"', Mode.LITERAL, "quotes_are_text"),
        ('"VALIDATE_token"', Mode.HYBRID, "case_differs"),
        ("/Def Validate/", Mode.HYBRID, "case_differs"),
        ("case:yes sym:VALIDATE", Mode.HYBRID, "case_differs"),
        ("file:TOKENS.py", Mode.HYBRID, "case_differs"),
        ('"VALIDATE_zzz"', Mode.HYBRID, "exact_nothing"),
        ('lang:go "validate_token"', Mode.HYBRID, "filters_exclude"),
        ('type:class "validate_token"', Mode.HYBRID, "filters_exclude"),
        ('file:zzz "validate_token"', Mode.HYBRID, "filters_exclude"),
        ('sym:zzz "validate_token"', Mode.HYBRID, "filters_exclude"),
        ("sym:nosuchthing", Mode.HYBRID, "no_definition"),
        ("file:nosuchthing", Mode.HYBRID, "no_file"),
        ("lang:python zzz($A)", Mode.STRUCTURAL, "exact_nothing"),
        ("lang:go jwt.decode($$$)", Mode.STRUCTURAL, "exact_nothing"),
        ("lang:go except:", Mode.STRUCTURAL, "pattern_does_not_parse"),
        ("lang:python finally:", Mode.STRUCTURAL, "pattern_does_not_parse"),
        ("lang:java zzz($$$)", Mode.STRUCTURAL, "no_such_language"),
        ("lang:java class $ZZZ { $$$BODY }", Mode.STRUCTURAL, "no_such_language"),
    ],
)
def test_an_empty_answer_says_why(find: Search, query: str, mode: Mode, code: str) -> None:
    answer = find(query, mode=mode)
    assert answer.count == 0
    assert code_of(answer.hint) == code


def test_fields_of_the_request_are_filters_that_exclude(find: Search) -> None:
    assert code_of(find('"validate_token"', path="internal/").hint) == "filters_exclude"
    assert code_of(find('"validate_token"', language="go").hint) == "filters_exclude"
    assert code_of(find('"validate_token"', chunk_type="class").hint) == "filters_exclude"


@pytest.mark.parametrize(
    "written", ["acme/auth-service", "https://github.com/acme/auth-service", "/^github.acme.auth/"]
)
def test_a_name_with_the_owner_of_another_place_has_near_names(find: Search, written: str) -> None:
    hint = str(find(f'repo:{written} "x"').hint)
    assert hint.endswith("Near names: auth-service.") == (not written.startswith("/"))


def test_near_names_are_those_of_the_repositories_that_the_token_sees(acme: Organization) -> None:
    index_repository(organization_of("rival"), "auth-serviced", {"a.py": "token = 1\n"})
    index_repository(acme, "team/auth-servicex", {"a.py": "token = 1\n"})
    credential = credential_for(acme, {"auth-service", "payments-api"})
    hint = search(
        credential=credential, request=SearchRequest(queries=('repo:auth-servize "x"',))
    ).hint
    assert str(hint) == (
        "No repository in the search's scope is called auth-servize. Near names: auth-service."
    )
    named = SearchRequest(queries=('"x"',), include_projects=("auth-servize",))
    assert search(credential=credential, request=named).hint == hint
    everything = search(
        credential=credential_for(acme), request=SearchRequest(queries=('repo:auth-servicey "x"',))
    )
    assert set(str(everything.hint).rpartition(": ")[2].rstrip(".").split(", ")) == {
        "auth-service",
        "team/auth-servicex",
    }


def test_a_text_index_that_is_not_complete_is_named(acme: Organization, find: Search) -> None:
    Repository.objects.filter(organization=acme, name="payments-api").update(text_generation=0)
    hint = find('"nosuchthing_zzz"').hint
    assert code_of(hint) == "text_index_incomplete"
    assert "payments-api" in str(hint)


def test_a_text_index_that_is_damaged_is_named(acme: Organization, find: Search) -> None:
    damaged = TrigramPosting.objects.filter(segment__repository__name="payments-api")
    damaged.update(data=b"")
    hint = find('"token nosuchthing"').hint
    assert code_of(hint) == "text_index_damaged"
    assert "payments-api" in str(hint)


def test_what_cannot_be_looked_up_at_once_is_not_claimed(
    find: Search, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_search, "EXACT_HINT_SECONDS", -1.0)
    assert code_of(find('"VALIDATE_token"').hint) == "exact_nothing"
    monkeypatch.setattr(line_search, "EXACT_HINT_SECONDS", float("inf"))
    monkeypatch.setattr(line_search, "EXACT_HINT_FILES", 0)
    assert code_of(find('"VALIDATE_token"').hint) == "exact_nothing"


def test_a_question_that_is_a_pattern_gets_the_advice(find: Search) -> None:
    answer = find(r"zzzq\w+xyzzy qqqz.*plugh")
    assert answer.confidence == "none"
    assert "write it between slashes" in str(answer.hint)
    assert "slashes" not in str(find("zzzqq xyzzy plugh").hint)


def test_the_advice_is_given_beside_good_matches_too(find: Search) -> None:
    answer = find("validate.*token")
    assert answer.confidence != "none"
    assert code_of(answer.hint) == "looks_like_pattern"
    plain = find("/validate.*token/ how is a token validated")
    assert plain.hint == OF_CONFIDENCE[plain.confidence]  # no advice


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        ("acme_auth/tokens.py", "To find a file by its path, write type:file acme_auth/tokens.py."),
        ("acme_auth/tokens", None),
        ("tokens.py", None),
        ("where is acme_auth/tokens.py read", None),
        ("http://localhost/tokens.py", None),
        ("and/or", None),
        ("file:auth/tokens.py token", None),
    ],
)
def test_a_path_gets_the_advice_to_look_for_a_file(query: str, advice: str | None) -> None:
    read = read_request(SearchRequest(queries=(query,)))
    assert query_advice(read.request.queries) == advice


@pytest.mark.parametrize(
    "text",
    ["foo.bar(baz)", "a || b", "x[0]", "C:\\dir", "$HOME", "a*b", "*ptr", "f(x)?", "/usr/bin"],
)
def test_code_is_no_pattern(text: str) -> None:
    assert not looks_like_pattern(text)


def test_of_many_unknown_repositories_few_are_named_and_compared(find: Search) -> None:
    named = " ".join(f"repo:auth-servise-{number:03}" for number in range(90))
    unknown = "auth-servise-000, auth-servise-001, auth-servise-002 and others."
    said = f"No repository in the search's scope is called {unknown} Near names: auth-service."
    assert find(f'{named} "token"').hint == said
    projects = tuple(f"auth-servise-{number:03}" for number in range(1_000))
    assert find("token", include_projects=projects).hint == said


def test_a_language_of_which_nothing_is_indexed_is_named(find: Search) -> None:
    said = "No file of the language starlark is indexed in the search's scope."
    assert str(find("lang:starlark token").hint).startswith(said)
    assert not str(find("lang:python nowhere-to-be-found").hint).startswith("No file of the")
