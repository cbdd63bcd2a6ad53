"""The fit of costs of pieces to a count of tokens."""

import json
from collections.abc import Sequence

import pytest

from aeterna_code_search.agents import tokens
from benchmarks.agents.corpus import numbered
from benchmarks.agents.fitting import Sample, fit, write

TEXT = numbered("def verify(token):\n    return decode(token, key) == expected\n\n" * 20)


def count_words(texts: Sequence[str]) -> list[int]:
    """Short pieces are one token, longer ones two."""
    return [1 if len(text) < 7 else 2 for text in texts]


def test_an_estimate_follows_the_count_that_it_was_fitted_to(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    costs = tmp_path_factory.mktemp("costs") / "costs.json"
    table = fit([Sample("python", TEXT), Sample("other", TEXT[::-1])], count_words)
    costs.write_text(write(table), encoding="ascii")
    assert json.loads(costs.read_text(encoding="ascii")) == table

    monkeypatch.setattr(tokens, "COSTS", costs)
    tokens.reload_costs()
    try:
        pieces = tokens.pieces(TEXT)
        true = sum(count * count_words([piece])[0] for piece, count in pieces.items())
        assert true <= tokens.estimate_tokens(TEXT) <= 1.15 * true
    finally:
        monkeypatch.undo()
        tokens.reload_costs()
