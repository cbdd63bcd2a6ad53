"""What the tests of the workflows share."""

from tests.action.conftest import evaluator

__all__ = ["evaluator"]
