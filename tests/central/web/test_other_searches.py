"""Searches that an empty answer offers, and the search of one file."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import Mode
from central.query.modes import TEXT_MODES, parse_as
from central.query.parser import parse
from central.query.patterns import QUERY_PATTERN_CHARACTERS, text_matcher
from central.query.syntax import Filter, leaves
from central.web.other_searches import of_one_file, other_searches

MEANING = "By meaning, without quotes and patterns"
CASE = "Upper and lower case alike, with case:no"


def offered(text: str, mode: str = "hybrid") -> dict[str, tuple[str, str]]:
    return {one.label: (one.text, one.mode) for one in other_searches(text, mode)}


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("retry with backoff", {}),
        ('"open', {}),
        ('"x"', {MEANING: "x"}),
        ('lang:go -file:test "x"', {
            "Without lang:go": '-file:test "x"',
            "Without -file:test": 'lang:go "x"',
            "Without any filter": '"x"',
            MEANING: "lang:go -file:test x",
        }),
        ('case:yes "x"', {CASE: 'case:no "x"', MEANING: "case:yes x"}),
        ('"New.*("', {CASE: 'case:no "New.*("', MEANING: "New.*\\("}),
        ('"a|b"', {"As a regular expression": "/a|b/", MEANING: "a|b"}),
        ("/f(x)/", {"The text as it is written": '"f(x)"', MEANING: "f x"}),
        ("lang:go", {}),
    ],
)  # fmt: skip
def test_what_a_query_offers(text: str, others: dict[str, str]) -> None:
    assert {label: text for label, (text, _) in offered(text).items()} == others


def test_what_a_mode_of_plain_text_offers() -> None:
    assert offered("file:a.py f(x|Y)", "literal") == {
        "Without file:a.py": ("f(x|Y)", "literal"),
        CASE: ("case:no file:a.py f(x|Y)", "literal"),
        "As a regular expression": ("file:a.py f(x|Y)", "regex"),
        MEANING: ("file:a.py f(x|Y)", "hybrid"),
    }
    assert offered("f.x", "regex")["The text as it is written"] == ("f.x", "literal")
    assert offered("lang:go f($$$)", "structural") == {
        "Without lang:go": ("f($$$)", "structural"),
    }


@pytest.mark.parametrize("mode", ["hybrid", *TEXT_MODES])
@example(path="a\u3000b\u2028\x1c.py")
@given(path=st.text(alphabet="ab/. \n\t\\[(é\"'-*\x85\u3000", min_size=1, max_size=30))
def test_the_search_of_one_file_finds_it_alone(mode: str, path: str) -> None:
    text = of_one_file('"x" OR "y"', mode, path)
    query = parse(text) if mode == "hybrid" else parse_as(text, Mode(mode))
    [one] = [term for term in leaves(query.root) if isinstance(term, Filter)]
    matches = text_matcher(one.value, one.match, ignore_case=False, column=1)
    assert matches(path)
    assert not matches(f"{path}i")
    assert not matches(f"x{path}")
    assert text.endswith(('"x" OR "y"', '("x" OR "y")'))


def test_there_is_no_search_of_a_file_whose_path_is_too_long() -> None:
    assert of_one_file('"x"', "hybrid", "a" * QUERY_PATTERN_CHARACTERS) == ""
