"""Searches on branches answer as a repository with the branch's files alone would."""

import pytest

from aeterna_code_search.contract.search import GroupBy, Mode, SearchRequest
from central.errors import InvalidError
from central.query.errors import QueryError
from central.repositories.models import Branch
from central.search.line_search import every_match
from central.search.reading import read_request
from central.search.service import search
from tests.central.branches import Service
from tests.central.search.branches.pushed import ask, service_of
from tests.central.search.conftest import AUTH
from tests.central.search.corpus import credential_for

TOKENS = "src/auth/tokens.py"
RELEASE = {
    **AUTH,
    TOKENS: AUTH[TOKENS].replace("issue_token", "mint_zephyr"),
    "src/legacy.py": 'def rotate_quokka(key):\n    """Rotate a quokka key."""\n    return key\n',
}
del RELEASE["src/authors.py"]
PASTED = [
    ("src/legacy.py:2", Mode.HYBRID),
    ('File "/srv/shop/src/auth/tokens.py", line 18, in mint_zephyr', Mode.HYBRID),
]
QUERIES = [
    ("rotate quokka key", Mode.HYBRID),
    ("validate a token", Mode.HYBRID),
    ("validate a token", Mode.SEMANTIC),
    ("quokka", Mode.LEXICAL),
    ("JWT token", Mode.LEXICAL),
    ("mint_zephyr", Mode.SYMBOL),
    ("list_authors", Mode.SYMBOL),
    ('"token"', Mode.HYBRID),
    ("/mint_\\w+/", Mode.HYBRID),
    ("lang:python def $NAME($$$): $$$", Mode.STRUCTURAL),
    ("type:file tokens", Mode.HYBRID),
    ("sym:mint", Mode.HYBRID),
    ('"JWT" sign a token', Mode.HYBRID),
    ('"list_authors"', Mode.HYBRID),
]


@pytest.fixture
def shop(db: None) -> Service:
    """The default branch, one that differs, and one that differs from that in a file."""
    service = service_of()
    service.push("main", dict(AUTH))
    service.push("release/1", RELEASE)
    service.push("release/2", {**RELEASE, "src/legacy.py": "KEY = 'wombat'\n"})
    return service


def test_a_branch_answers_as_a_repository_of_its_files(shop: Service) -> None:
    fresh = service_of("fresh")
    for branch in ("release/1", "main"):
        fresh.push("main", shop.heads[branch])
        for query, mode in (*QUERIES, *PASTED):
            found = ask(shop, query, mode=mode, ref=branch, include_projects=("shop",))
            wanted = ask(fresh, query, mode=mode, include_projects=("fresh",))
            places = [(row.file, row.ranges, row.content) for row in found.results]
            assert places == [(row.file, row.ranges, row.content) for row in wanted.results], query
            assert {tuple(row.branches) for row in found.results} <= {(branch,)}, query
            assert {row.commit for row in found.results} <= {found.receipt.projects[0].commit}
            assert found.total == wanted.total
            assert found.receipt.complete
            assert [project.ref for project in found.receipt.projects] == [branch]


@pytest.mark.parametrize("query", ["rev:main:release/* {}", "{} rev:**", "rev:HEAD:release/? {}"])
def test_what_is_the_same_on_several_branches_is_one_result(shop: Service, query: str) -> None:
    every = ["main", "release/1", "release/2"]
    for text, options in (
        ('"validate_token" file:tokens.py', {}),
        ("validate_token signature", {"mode": Mode.LEXICAL}),
        ("validate_token", {"mode": Mode.SYMBOL}),
        ("type:file middleware", {}),
    ):
        rows = ask(shop, query.format(text), **options).results
        assert len({(row.file, row.content) for row in rows}) == len(rows), text
        best = rows[0]
        assert best.branches == every
        assert best.commit == ask(shop, "x").receipt.projects[0].commit
    minted = ask(shop, query.format('"mint_zephyr"')).results
    assert [row.branches for row in minted] == [["release/1", "release/2"]]
    assert minted[0].commit == ask(shop, "x", ref="release/1").receipt.projects[0].commit
    for found in (ask(shop, query.format("src/auth/tokens.py:6")), ask(shop, "x", ref="**")):
        assert [row.ref for row in found.receipt.projects] == every
        assert found.receipt.complete


def test_all_branches_together_have_the_results_of_each(shop: Service) -> None:
    for query, mode in QUERIES:
        each = [
            (row.file, row.content, branch)
            for branch in shop.heads
            for row in ask(shop, query, mode=mode, ref=branch, limit=50).results
        ]
        together = ask(shop, query, mode=mode, ref="**", limit=50).results
        found = [(row.file, row.content, branch) for row in together for branch in row.branches]
        assert sorted(found) == sorted(each), query


def test_what_repeats_in_a_file_repeats_in_the_answer(shop: Service) -> None:
    body = "".join(f"    step_{number}(account, amount, currency)\n" for number in range(15))
    twice = f"def pay_okapi(account):\n{body}\n\n" * 2
    for number, branch in enumerate(shop.heads):
        shop.push(branch, {"pay.py": f"{twice}NUMBER = {number}\n"})
    for options in ({"ref": "HEAD"}, {"ref": "**"}):
        rows = ask(shop, "pay_okapi", mode=Mode.SYMBOL, **options).results
        assert [row.name for row in rows] == ["pay_okapi"] * 2
        assert (
            len(rows[0].branches) == len(rows[1].branches) == (3 if options["ref"] == "**" else 1)
        )


def test_a_file_may_have_a_result_for_each_version(shop: Service) -> None:
    rows = ask(shop, 'rev:** ("def issue" or "def mint" or "wombat" or "Rotate")').results
    found = {(row.file, *row.branches) for row in rows}
    assert found == {
        (TOKENS, "main"),
        (TOKENS, "release/1", "release/2"),
        ("src/legacy.py", "release/1"),
        ("src/legacy.py", "release/2"),
    }
    grouped = ask(shop, "JWT token of a user", ref="**", group_by=GroupBy.FILE).results
    assert len({(row.file, row.content) for row in grouped}) == len(grouped)
    assert {name for row in grouped for name in row.branches} == {"main", "release/1", "release/2"}


def test_pages_on_branches_are_of_one_answer(shop: Service) -> None:
    for query in ('rev:** "token"', "rev:** token of a user"):
        answer = ask(shop, query, limit=50)
        whole = [(row.file, row.content, row.branches) for row in answer.results]
        cursor, paged = "", []
        while len(paged) <= len(whole):
            page = ask(shop, query, limit=1, cursor=cursor)
            paged += [(row.file, row.content, row.branches) for row in page.results]
            cursor = page.next_cursor or ""
            if not cursor:
                break
        assert paged == whole
    first = ask(shop, '"token"', limit=1, ref="release/1")
    assert first.next_cursor
    with pytest.raises(InvalidError):
        ask(shop, '"token"', limit=1, ref="release/2", cursor=first.next_cursor)


def test_files_are_counted_by_branch(shop: Service) -> None:
    for text, options in (
        ('"zephyr" or "def issue"', {}),
        ("type:file tokens", {}),
        ("validate a token", {}),
        ("validate a token", {"group_by": GroupBy.FILE}),
        ("validate_token", {"mode": Mode.SYMBOL}),
    ):
        rows = ask(shop, text, ref="**", facets=True, limit=50, **options)
        assert rows.facets
        each = {
            branch: len(
                {row.file for row in ask(shop, text, ref=branch, limit=50, **options).results}
            )
            for branch in shop.heads
        }
        assert {row.value: row.files for row in rows.facets.branches} == each, text
    facets = ask(shop, '"token"', facets=True).facets
    assert facets
    assert facets.branches == []


def test_who_does_not_see_a_repository_learns_nothing_of_its_branches(shop: Service) -> None:
    service_of("open").push("main", dict(AUTH))
    credential = credential_for(shop.api.organization, {"open"})
    for query in ("rev:release/1 quokka", 'rev:release/* "quokka"', "repo:shop@release/1 quokka"):
        answer = search(credential=credential, request=SearchRequest(queries=(query,)))
        assert answer.results == []
        assert [(row.project, row.reason) for row in answer.receipt.missing] == (
            [] if "repo:" in query else [("open", "no_such_branch")]
        )
        assert "shop" not in str(answer.receipt)
        assert "release/2" not in str(answer.hint)


def test_an_empty_answer_says_which_branches_are_indexed(shop: Service) -> None:
    for query in ("rev:release/9 token", 'rev:release/9 "token"', "rev:nightly"):
        answer = ask(shop, query)
        assert answer.results == []
        assert answer.hint
        assert "main, release/1, release/2" in answer.hint
        assert [row.reason for row in answer.receipt.missing] == ["no_such_branch"]
    Branch.objects.filter(ref="refs/heads/release/1").update(default_generation=0)
    found = ask(shop, "token", ref="release/1")
    assert [row.reason for row in found.receipt.missing] == ["branch_not_indexed"]
    assert found.results == []


def test_a_repository_without_the_branch_is_named_only_if_it_is_asked_for(shop: Service) -> None:
    service_of("other").push("main", dict(AUTH))
    found = ask(shop, "rev:release/1 token")
    assert found.receipt.complete
    assert {row.project for row in found.results} == {"shop"}
    named = ask(shop, "token", ref="release/1", include_projects=("shop", "other"))
    assert [(row.project, row.reason) for row in named.receipt.missing] == [
        ("other", "no_such_branch")
    ]


def test_what_knows_default_branches_only_refuses_others(shop: Service) -> None:
    for query in ("type:commit rev:release/1 fix", 'type:diff rev:main "x"'):
        with pytest.raises(InvalidError) as refused:
            ask(shop, query)
        assert refused.value.code == "branch_not_supported"
    request = SearchRequest(queries=('"token"',), ref="release/1")
    with pytest.raises(InvalidError) as refused:
        every_match(credential=credential_for(shop.api.organization), request=request)
    assert refused.value.code == "branch_not_supported"


@pytest.mark.parametrize(
    ("query", "ref", "said"),
    [
        ("-rev:main x", "", "not negated"),
        ("-repo:a@main x", "", "not negated"),
        ('rev:main OR "x"', "", "not in an OR"),
        ("rev:main rev:release/1 x", "", "rev:main:release/1"),
        ("rev:main x", "release/1", "once"),
        (f"rev:{':'.join(map(str, range(17)))} x", "", "at most 16"),
        (f"rev:{'*' * 65} x", "", "wildcards"),
        ("rev:^main x", "", "leave branches out"),
        ("x", ":", "names of branches"),
        ("x", "a" * 1_001, "1,000 characters"),
    ],
)
def test_a_revision_that_cannot_be_used_is_refused(query: str, ref: str, said: str) -> None:
    request = SearchRequest(queries=(query,), ref=ref)
    with pytest.raises((QueryError, InvalidError), match=said):
        read_request(request)


def test_the_api_takes_a_branch_and_refuses_what_it_cannot_do(shop: Service) -> None:
    asked = {"org_id": shop.api.organization.slug, "query": '"mint_zephyr"', "ref": "release/1"}
    found = shop.api.request("POST", "/api/v1/search", asked).json()
    assert [(row["file"], row["branches"]) for row in found["results"]] == [(TOKENS, ["release/1"])]
    address = "/api/v1/search?org_id={org_id}&query={query}&ref={ref}".format(**asked)
    assert shop.api.request("GET", address).json()["results"] == found["results"]
    refused = shop.api.request("POST", "/api/v1/search/stream", asked)
    assert (refused.status_code, refused.json()["code"]) == (400, "branch_not_supported")
    assert shop.api.request("POST", "/api/v1/search", {**asked, "ref": ":"}).status_code == 400
