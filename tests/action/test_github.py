"""GitHub's evaluator, as the other tests use it."""

import pytest

from tests.action.github import EvaluationError, Evaluator

pytestmark = pytest.mark.system("node", "npm")
CONTEXTS = {"github": {"event": {"forced": True}, "ref": "refs/heads/main"}, "inputs": {"x": "yes"}}


def test_every_expression_of_a_text_is_replaced(evaluator: Evaluator) -> None:
    texts = [
        "${{ github.ref }} and ${{ format('{0}}}', inputs.x) }}",
        "plain",
        "${{ github.none }}",
    ]

    assert evaluator.fill(texts, CONTEXTS) == ["refs/heads/main and yes}", "plain", ""]


@pytest.mark.parametrize(
    "condition", ["inputs.x == 'YES'", "${{ github.event.forced }}", "", "!failure()"]
)
def test_a_condition_holds(evaluator: Evaluator, condition: str) -> None:
    assert evaluator.holds(condition, CONTEXTS)


@pytest.mark.parametrize("condition", ["inputs.x", "success()", ""])
def test_a_condition_without_a_status_function_is_false_after_a_failure(
    evaluator: Evaluator, condition: str
) -> None:
    assert not evaluator.holds(condition, CONTEXTS, status="failure")
    assert evaluator.holds("always()", CONTEXTS, status="failure")


def test_text_around_a_condition_is_refused(evaluator: Evaluator) -> None:
    with pytest.raises(EvaluationError, match="true whatever"):
        evaluator.holds("${{ inputs.x }} == 'no'", CONTEXTS)


def test_an_unknown_context_is_refused(evaluator: Evaluator) -> None:
    with pytest.raises(EvaluationError):
        evaluator.fill(["${{ secrets.TOKEN }}"], CONTEXTS)
