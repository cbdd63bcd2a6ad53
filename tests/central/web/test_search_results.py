"""An answer's results, in words."""

from central.search.ranking.rules import BASE, DENSE, DENSE_SYMBOLIC, WEIGHTS
from central.web.search_results import RULE_WORDS


def test_every_rule_of_the_ranking_is_said_in_words() -> None:
    """The weights of the two parts of the base are no rules of their own."""
    assert set(RULE_WORDS) == {BASE, *WEIGHTS} - {DENSE, DENSE_SYMBOLIC}
