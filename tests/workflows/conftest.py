"""What the tests of the workflows share with others."""

from tests.action.conftest import evaluator
from tests.e2e.conftest import make_repository, service

__all__ = ["evaluator", "make_repository", "service"]
