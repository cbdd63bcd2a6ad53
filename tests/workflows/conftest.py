"""What the tests of the workflows share with others."""

from tests.action.conftest import evaluator
from tests.e2e.conftest import acme, make_repository, service

__all__ = ["acme", "evaluator", "make_repository", "service"]
