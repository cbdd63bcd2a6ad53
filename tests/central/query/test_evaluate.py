"""The predicate of repositories and files: true, false, or unknown so far."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.query.errors import QueryError
from central.query.evaluate import Evaluator
from central.query.filters import CASE, COMMIT_FILTERS, CONTENT, FILTERS, FilterName
from central.query.parser import parse
from central.query.syntax import And, Filter, Literal, Node, Not, Or, Query
from tests.central.query.trees import FileOwners


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("any words", True),
        ("repo:flask", True),
        ("repo:FLASK", True),
        ("repo:pallets/fl*", True),
        ("repo:fl*", True),
        ("repo:lask*", False),
        ("repo:/^pallets\\/(flask|click)$/", True),
        ("repo:django", False),
        ("-repo:flask", False),
        ("repo:flask lang:go", None),
        ("repo:django lang:go", False),
        ("repo:flask OR lang:go", True),
        ("repo:django OR lang:go", None),
        ("-(repo:flask lang:go)", None),
        ('-(repo:django "x")', True),
        ('"x"', None),
    ],
)
def test_a_repository_matches_or_not_or_it_depends(text: str, expected: bool | None) -> None:
    assert Evaluator(parse(text)).repository("pallets/flask") is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("file:helpers", True),
        ("file:HELPERS", False),
        ("case:no file:HELPERS", True),
        ("file:*.py", True),
        ("file:*.pyi", False),
        ("file:flask/*.py", True),
        ("file:src/*.py", False),
        ("file:src/**/*.py", True),
        ("file:/src/flask/*", True),
        ("file:/flask/*", False),
        ("file:lask/*.py", False),
        ("file:**", True),
        ("file:helper?.p[xyz]", True),
        ("file:helper[!a-z].py", False),
        (r"file:/\.py$/", True),
        ("lang:py", True),
        ("lang:go", False),
        ("repo:flask -file:test lang:python", True),
    ],
)
def test_a_file_is_decided_by_its_names(text: str, expected: bool) -> None:
    evaluator = Evaluator(parse(text))
    found = evaluator.file(
        repository="pallets/flask", path="src/flask/helpers.py", language="python"
    )
    assert found is expected


@pytest.mark.parametrize(
    "name",
    sorted(set(FilterName) - {FilterName.SYM, FilterName.TYPE, FilterName.REV} - COMMIT_FILTERS),
)
def test_a_filter_but_those_of_definitions_is_decided_without_the_content(name: FilterName) -> None:
    [term] = (
        term
        for term in parse(FILTERS[name].example).terms
        if isinstance(term, Filter) and term.name is name
    )
    found = Evaluator(Query(term)).file(
        repository="pallets/flask",
        path="src/flask/helpers.py",
        language="python",
        values=dict.fromkeys(FilterName, FileOwners(["@acme/platform"], None)),
    )
    assert found is not None


# Ordinary words that look like the name of a filter, or like another name of it.
ORDINARY = {
    FilterName.REPO: "report repro",
    FilterName.FILE: "filed patch xpath",
    FilterName.LANG: "clang flang slang",
    FilterName.SYM: "sim",
    FilterName.TYPE: "typed typo",
    FilterName.REV: "prev ref dev",
    FilterName.OWNER: "loner lower power toner tower",
    FilterName.AUTHOR: "authors auth",
    FilterName.BEFORE: "befor therefore",
    FilterName.AFTER: "afters rafter",
    CASE: "cause phase",
    CONTENT: "context",
}


@pytest.mark.parametrize("name", FILTERS)
def test_ordinary_words_like_a_filter_s_name_are_words(name: str) -> None:
    """If a name is new: which words differ from it in a letter, and are written before a colon?"""
    for word in ORDINARY[name].split():
        assert parse(f"{word}:x").words == f"{word}:x"


def test_what_is_found_in_the_content_decides_the_rest() -> None:
    query = parse('file:*.py ("url_for" OR sym:redirect) -legacy')
    evaluator = Evaluator(query)

    def answer(path: str, **found: bool) -> bool | None:
        truths = {term: found[text] for term in query.terms for text in found if text in str(term)}
        return evaluator.file(repository="r", path=path, language="python", found=truths)

    assert answer("a.go") is False
    assert answer("a.py") is None
    assert answer("a.py", legacy=True) is False
    assert answer("a.py", url_for=True) is None
    assert answer("a.py", url_for=True, legacy=False) is True
    assert answer("a.py", url_for=False, redirect=True, legacy=False) is True
    assert answer("a.py", url_for=False, redirect=False, legacy=False) is False
    assert Literal("legacy") in query.content_terms


def test_a_long_value_that_ignores_case_is_compared_too() -> None:
    evaluator = Evaluator(parse(f"repo:{'a-' * 500}"))
    assert evaluator.repository("A-" * 500) is True


@pytest.mark.parametrize("path", ["Kelvin/a", "\u212aelvin/a", "kelvin/A", "KELVIN/é"])
def test_letters_that_fold_alike_are_alike_in_paths(path: str) -> None:
    evaluator = Evaluator(parse("file:kelvin"))
    assert evaluator.file(repository="r", path=path, language="") is True


_FILTERS = ("repo:r", "repo:x", "file:a", "file:b", "lang:go", "lang:py", '"x"', '"y"', "sym:z")


@given(
    st.recursive(
        st.sampled_from(_FILTERS),
        lambda inner: st.one_of(
            inner.map(lambda one: f"-({one})"),
            st.lists(inner, min_size=2, max_size=3).map(lambda some: f"({' '.join(some)})"),
            st.lists(inner, min_size=2, max_size=3).map(lambda some: f"({' OR '.join(some)})"),
        ),
        max_leaves=12,
    ),
    st.fixed_dictionaries({text: st.booleans() for text in ('"x"', '"y"', "sym:z")}),
)
def test_the_compiled_predicate_is_the_tree(text: str, truths: dict[str, bool]) -> None:
    query = parse(text)
    known = {"repo:r": True, "repo:x": False, "file:a": True, "file:b": False} | truths
    known |= {"lang:go": False, "lang:python": True}

    def holds(node: Node) -> bool:
        match node:
            case Not(term=term):
                return not holds(term)
            case And(terms=terms):
                return all(map(holds, terms))
            case Or(terms=terms):
                return any(map(holds, terms))
        return known[str(node)]

    found = {term: known[str(term)] for term in query.terms if str(term) in truths}
    answer = Evaluator(query).file(repository="r", path="a", language="python", found=found)
    assert query.predicate
    assert answer is holds(query.predicate)


def test_a_filter_is_matched_in_linear_time() -> None:
    with pytest.raises(QueryError, match="RE2 does not accept"):
        Evaluator(parse(r"file:/(a)\1/"))


@pytest.mark.parametrize(
    ("text", "own", "of_file", "of_repository"),
    [
        ("owner:@acme/web", ["@acme/web"], True, None),
        ("owner:web", ["@ann", "@acme/Web"], True, None),
        ("owner:web", ["@acme/web-ui"], False, None),
        ("owner:sub/team", ["@group/sub/team"], True, None),
        ("owner:ops", ["@acme/web"], False, False),
        ("-owner:ops", ["@acme/web"], True, True),
        ("-owner:web", [], True, None),
        ("owner:none", [], True, None),
        ("owner:none", ["@acme/web"], False, None),
        ("owner:web", None, None, None),
        ("-owner:none", None, None, None),
        ("owner:ops OR repo:shop", ["@acme/web"], True, True),
    ],
)
def test_owners_decide_files_and_repositories_that_no_rule_gives_to_an_owner(
    text: str, own: list[str] | None, of_file: bool | None, of_repository: bool | None
) -> None:
    evaluator = Evaluator(parse(text))
    names = ["@ann", "@acme/web", "@acme/web-ui", "@group/sub/team"]
    values = {FilterName.OWNER: FileOwners(own, names if own is not None else None)}
    assert evaluator.reads_values == {FilterName.OWNER}
    found = evaluator.file(repository="shop", path="a.py", language="python", values=values)
    assert found is of_file
    assert evaluator.repository("shop", values) is of_repository
    empty = FileOwners([], [])
    assert Evaluator(parse("owner:none")).repository("shop", {FilterName.OWNER: empty}) is True
