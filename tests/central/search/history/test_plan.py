"""What is looked at first never rules out what matches."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec import json

from aeterna_code_search.contract.search import SearchRequest
from central.query.escapes import quote
from central.query.syntax import Literal, Regex
from central.search.history.documents import changed_lines, text_matches
from central.search.history.plan import commit_plan
from central.search.reading import read_request
from tests.property_settings import examples

LINES = st.lists(
    st.text(alphabet='aBkK\u017fé"\\/\t {}<', min_size=1, max_size=12), min_size=1, max_size=4
)
PATTERNS = st.sampled_from(("a+B", "[aé]k", '\\"\\\\', "k$", "^a", "aB|ka", "(?i)kA", "a\\s+a"))


def hunks_of(removed: list[str], added: list[str]) -> str:
    rows = [*(f"-{line}" for line in removed), *(f"+{line}" for line in added)]
    return "\n".join([f"@@ -1,{len(removed)} +1,{len(added)} @@", *rows, ""])


@examples(200)
@given(
    removed=LINES,
    added=LINES,
    literal=st.text(alphabet='aAbBkKé"\\ \n', min_size=1, max_size=4) | st.none(),
    pattern=PATTERNS,
    case=st.sampled_from(("", "case:yes ", "case:no ")),
)
def test_a_text_with_matches_may_match_in_json_and_as_it_is(
    removed: list[str], added: list[str], literal: str | None, pattern: str, case: str
) -> None:
    term = f"content:/{pattern}/" if literal is None else quote(literal)
    plan = commit_plan(read_request(SearchRequest(queries=(f"type:diff {case}{term}",))))
    hunks = hunks_of(removed, added)
    document = changed_lines("a.py", hunks)
    found = text_matches(document, plan.exact.patterns, plan.exact.shown).found
    assert all(isinstance(known, Literal | Regex) for known in found)
    if any(found.values()):
        assert plan.may_match(hunks.encode())
        assert plan.may_match_json(json.encode([("a.py", hunks)]))


def test_lines_have_the_numbers_of_their_side() -> None:
    document = changed_lines("a.py", "@@ -3,2 +7,1 @@\n-x\n-y\n+z\n")
    assert [(line.side.value, line.number, line.text) for line in document.lines] == [
        ("removed", 3, "x"),
        ("removed", 4, "y"),
        ("added", 7, "z"),
    ]
    merged = changed_lines("a.py", "@@@ -1,2 -0,0 +1,2 @@@\n- a\n +b\n++c\n")
    assert [(line.side.value, line.number, line.text) for line in merged.lines] == [
        ("added", 2, "c")
    ]
