"""Counts of what a search finds, by repository, language and directory."""

import re
from collections import Counter
from posixpath import commonpath

from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import FacetCount, Mode, SearchRequest
from central.search.facets import FACET_VALUES, facets_of
from central.search.service import search
from central.tenancy.models import Organization
from tests.central.search.conftest import Search
from tests.central.search.corpus import credential_for, index_repository, organization_of


def counts(found: list[FacetCount]) -> dict[str, int]:
    return {one.value: one.files for one in found}


def many(organization: Organization, name: str, files: int) -> None:
    texts = {f"src/{name}/f{n}.py": f"def needle_{n}():\n    pass\n" for n in range(files)}
    index_repository(organization, name, texts | {"top.go": "package needle\n"})


def test_directories_are_those_below_the_deepest_that_holds_all_files() -> None:
    files = [("a", path, "go") for path in ("src/x/1", "src/x/y/2", "src/z/3", "src/4")]
    assert counts(facets_of(files, [], at_least=False).directory) == {"src/x/": 2, "src/z/": 1}
    files.append(("b", "srcs/5", ""))
    assert counts(facets_of(files, [], at_least=False).directory) == {"src/": 4, "srcs/": 1}


@given(st.lists(st.text("ab-/", max_size=6), min_size=1, max_size=6))
def test_every_file_counts_for_the_directory_that_holds_it(names: list[str]) -> None:
    paths = [f"{re.sub('/+', '/', name).strip('/')}/f".lstrip("/") for name in names]
    above = commonpath([path.rpartition("/")[0] for path in paths])
    above = f"{above}/" if above else ""
    expected = Counter(
        f"{above}{name}/"
        for name, slash, _ in (path.removeprefix(above).partition("/") for path in paths)
        if slash
    )
    found = facets_of((("a", path, "") for path in paths), [], at_least=False)
    assert counts(found.directory) == expected


def test_most_come_first_and_the_others_are_left_out() -> None:
    names = [f"p{number:02}" for number in range(2 * FACET_VALUES)]
    files = [(name, f"{n}", "go") for name in names for n in range(len(name) - 2)]
    files.append(("p09", "again", "c"))
    found = facets_of(files, [], at_least=True)
    assert found.repository[0] == FacetCount("p09", 2)
    assert len(found.repository) == FACET_VALUES
    assert (found.files, found.at_least) == (len(names) + 1, True)
    assert found.directory == []
    assert facets_of([], [], at_least=False).files == 0


def test_of_an_exact_search_all_files_are_counted_on_the_first_page(find: Search) -> None:
    many(organization_of("acme"), "one", 4)
    many(organization_of("acme"), "two", 3)
    answer = find('"needle"', limit=2, facets=True)
    assert answer.facets
    assert counts(answer.facets.repository) == {"one": 5, "two": 4}
    assert counts(answer.facets.language) == {"python": 7, "go": 2}
    assert counts(answer.facets.directory) == {"src/": 7}
    assert (answer.facets.files, answer.facets.at_least) == (9, False)
    following = find('"needle"', limit=2, facets=True, cursor=answer.next_cursor)
    assert following.facets is find('"needle"').facets is None


def test_files_are_counted_by_owner_too(find: Search) -> None:
    acme = organization_of("acme")
    index_repository(
        acme,
        "owned",
        {
            "CODEOWNERS": "/src/ @acme/web\n",
            "src/a.py": "def needle(): pass\n",
            "src/b.py": "def needle(): pass\n",
            "c.py": "def needle(): pass\n",
        },
    )
    many(acme, "free", 1)
    facets = find('"needle"', limit=1, facets=True).facets
    assert facets
    assert counts(facets.owner) == {"@acme/web": 2, "none": 3}
    facets = find('"needle" repo:free', facets=True).facets
    assert facets
    assert facets.owner == []


def test_of_filters_alone_all_files_are_counted(find: Search) -> None:
    many(organization_of("acme"), "one", 4)
    answer = find("lang:python file:src/one/", limit=1, facets=True)
    assert answer.facets
    assert counts(answer.facets.repository) == {"one": 4}
    assert not answer.facets.at_least


def test_of_a_ranked_search_the_candidates_are_counted(find: Search) -> None:
    many(organization_of("acme"), "one", 120)
    answer = find("needle", mode=Mode.LEXICAL, limit=2, facets=True)
    assert answer.facets
    assert answer.facets.at_least
    assert 2 < answer.facets.files < 120
    few = find("needle", mode=Mode.LEXICAL, limit=2, language="go", facets=True)
    assert few.facets
    assert (few.facets.files, few.facets.at_least) == (1, False)


def test_a_hidden_repository_is_in_no_count(find: Search) -> None:
    acme = organization_of("acme")
    many(acme, "one", 2)
    many(acme, "hidden", 2)
    for query in ('"needle"', "lang:python", "needle"):
        answer = search(
            credential=credential_for(acme, {"one"}),
            request=SearchRequest(queries=(query,), facets=True),
        )
        assert answer.facets
        assert counts(answer.facets.repository).keys() == {"one"}
        assert "src/hidden/" not in counts(answer.facets.directory)
