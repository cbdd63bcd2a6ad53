"""pytest's fixtures: whose a test's parameter is, and what its value is."""

from collections.abc import Callable, Mapping

import pytest

from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import change_files, pyproject, repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]

FLASK = {
    "pyproject.toml": pyproject("flask"),
    "flask/__init__.py": "from .app import Flask\n",
    "flask/app.py": """\
from .testing import FlaskClient

class Flask:
    def test_client(self) -> FlaskClient: ...
""",
    "flask/testing.py": """\
class FlaskClient:
    def get(self, path): ...
""",
}
CONFTEST = """\
import pytest
from flask import Flask

@pytest.fixture
def app():
    app = Flask(__name__)
    with app.app_context():
        yield app

@pytest.fixture
def client(app):
    return app.test_client()
"""
TEST = """\
def test_get(app, client):
    client.get("/")
    other = app.test_client()
    other.get("/")
"""


def service(files: Mapping[str, str]) -> None:
    repository("flask", FLASK)
    repository("app", {"pyproject.toml": pyproject("app", "flask"), **files})


def test_a_chain_of_fixtures_leads_to_the_members_of_their_values(callers: Callers) -> None:
    service({"tests/conftest.py": CONFTEST, "tests/api/test_get.py": TEST})
    assert callers("FlaskClient.get") == [
        "app/tests/api/test_get.py:2 test_get high",
        "app/tests/api/test_get.py:4 test_get high",
    ]
    assert callers("Flask.test_client") == [
        "app/tests/api/test_get.py:3 test_get high",
        "app/tests/conftest.py:12 client high",
    ]
