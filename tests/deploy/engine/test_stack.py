"""The containers as the documents start them: what they answer, and what they are."""

from tests.deploy.engine.stack import Stack


def test_all_services_become_healthy_and_qdrant_is_none_of_them(stack: Stack) -> None:
    states = {name: each["Health"] or each["State"] for name, each in stack.containers().items()}
    assert states == {
        "migrate": "exited",
        "web": "healthy",
        "worker": "healthy",
        "beat": "healthy",
        "postgres": "healthy",
        "redis": "healthy",
    }
