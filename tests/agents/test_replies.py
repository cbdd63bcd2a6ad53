"""Replies within their budget, whatever of them is long."""

import pytest
from mcp.types import TextContent

from aeterna_code_search.agents.lean import lean
from aeterna_code_search.agents.results import Reply, result_of
from aeterna_code_search.agents.text import search_text
from aeterna_code_search.agents.tokens import estimate_tokens
from aeterna_code_search.agents.truncation import MIN_TOKENS, Structure, truncate_search
from tests.agents.recorded import recorded


@pytest.mark.parametrize("structure", [None, lean])
@pytest.mark.parametrize("query", ["漢" * 4_000, "a b " * 1_000])
def test_a_query_that_is_longer_than_the_answer_is_cut(
    query: str, structure: Structure | None
) -> None:
    answer = {**recorded("search"), "query": query, "queries": [query]}
    result = result_of(Reply(answer, search_text, truncate_search, MIN_TOKENS), structure)
    [block] = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is None
    assert block.text.endswith("… (cut: max_tokens)")
    assert 400 < estimate_tokens(block.text) <= MIN_TOKENS


def test_without_a_budget_nothing_is_cut() -> None:
    answer = recorded("search")
    result = result_of(Reply(answer, search_text, truncate_search, None, dict), None)
    assert result.structured_content == answer
