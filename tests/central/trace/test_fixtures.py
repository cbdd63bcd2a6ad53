"""pytest's fixtures: whose a test's parameter is, and what its value is."""

from collections.abc import Mapping

import pytest

from aeterna_code_search.contract.trace import FilePosition
from central.repositories.models import Repository
from central.tenancy.credentials import Credential
from central.trace.position import definition_at
from indexer.records.fixtures import CONFTEST_LEVELS
from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import change_files, organization_of, pyproject, repository

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


def test_callers_of_a_fixture_are_what_takes_it(ask: Ask) -> None:
    service({"tests/conftest.py": CONFTEST, "tests/api/test_get.py": TEST})
    links = ask("callers", symbol="app", file="tests/conftest.py").json()["callers"]
    assert [(one["caller"]["name"], one["line"], one["kind"]) for one in links] == [
        ("test_get", 1, "value"),
        ("client", 11, "value"),
    ]
    assert links[0]["evidence"] == "fixture app of pytest (line 1) → tests/conftest.py"


def test_what_a_fixture_s_function_makes_has_its_class(callers: Callers) -> None:
    service(
        {
            "tests/conftest.py": f"{CONFTEST}\n"
            "@pytest.fixture\ndef make_client(app):\n"
            "    def make(name):\n        return app.test_client()\n\n"
            "    yield make\n\n"
            "class Maker:\n    def __call__(self) -> Flask: ...\n\n"
            "@pytest.fixture\ndef maker():\n    return Maker()\n",
            "tests/test_a.py": "def test_a(make_client, maker):\n"
            "    client = make_client('a')\n    client.get()\n"
            "    make_client('b').get()\n    maker().test_client()\n    make_client.get()\n",
        }
    )
    assert callers("FlaskClient.get") == [
        "app/tests/test_a.py:3 test_a high",
        "app/tests/test_a.py:4 test_a high",
    ]
    assert "app/tests/test_a.py:5 test_a high" in callers("Flask.test_client")


NEAREST = """\
import pytest

class Far:
    def far(self): ...

class Near:
    def near(self): ...

@pytest.fixture
def thing():
    return {value}()
"""


def test_the_nearest_fixture_wins(callers: Callers) -> None:
    test = "def test_it(thing):\n    thing.far()\n    thing.near()\n"
    service(
        {
            "conftest.py": NEAREST.format(value="Far"),
            "tests/a/conftest.py": NEAREST.format(value="Near"),
            "tests/a/b/test_near.py": test,
            "tests/test_far.py": test,
        }
    )
    assert callers("Far.far") == ["app/tests/test_far.py:2 test_it high"]
    assert callers("Near.near") == ["app/tests/a/b/test_near.py:3 test_it high"]


def test_a_fixture_that_takes_its_own_name_means_the_next_one_up(callers: Callers) -> None:
    own = (
        "import pytest\n\n@pytest.fixture\ndef client(client):\n"
        "    client.get()\n    return client\n"
    )
    service(
        {
            "conftest.py": CONFTEST,
            "tests/conftest.py": own,
            "tests/test_a.py": f"{own}\ndef test_it(client):\n    client.get()\n",
        }
    )
    assert callers("FlaskClient.get") == [
        "app/tests/conftest.py:5 client high",
        "app/tests/test_a.py:5 client high",
        "app/tests/test_a.py:9 test_it high",
    ]
    assert callers("client", file="conftest.py") == ["app/tests/conftest.py:4 client high"]
    assert callers("client", file="tests/conftest.py") == ["app/tests/test_a.py:4 client high"]


def test_a_fixture_of_another_name_has_the_callers_of_that_name(callers: Callers) -> None:
    head = "import pytest\n\n"
    fixture = '@pytest.fixture(name="client")\ndef make(): ...\n\n'
    method = '    @pytest.fixture(name="client")\n    def build(self): ...\n\n'
    test = "def test_it(client): ...\n"
    service(
        {
            "tests/conftest.py": head + fixture,
            "tests/test_a.py": test,
            "tests/test_b.py": head + fixture.replace("make", "make_own") + test,
            "tests/test_c.py": f"{head}class TestIt:\n{method}    def test_it(self, client): ...\n",
        }
    )
    assert callers("make") == ["app/tests/test_a.py:1 test_it high"]
    assert callers("make_own") == ["app/tests/test_b.py:6 test_it high"]
    assert callers("TestIt.build") == ["app/tests/test_c.py:7 TestIt.test_it high"]


@pytest.mark.parametrize(
    "conftest",
    [
        "from .plugin import *\n",
        "from tests.plugin import client, app\n",
        'pytest_plugins = ["tests.plugin"]\n',
        'import pytest\nfrom flask import Flask\n\n@pytest.fixture(name="client")\n'
        "def make_client():\n    return Flask().test_client()\n",
        "import pytest\nfrom flask import Flask as client\nfrom .plugin import app\n\n"
        '@pytest.fixture(name="client")\ndef make_client(app):\n    yield app.test_client()\n',
    ],
    ids=["star", "import", "plugins", "name", "name that the file imports"],
)
def test_a_fixture_may_come_from_elsewhere(conftest: str, callers: Callers) -> None:
    service(
        {
            "tests/__init__.py": "",
            "tests/plugin.py": CONFTEST,
            "tests/conftest.py": conftest,
            "tests/unit/test_get.py": "def test_it(client):\n    client.get('/')\n",
        }
    )
    assert callers("FlaskClient.get") == ["app/tests/unit/test_get.py:2 test_it high"]


def test_a_test_file_s_own_imports_come_before_conftest(callers: Callers) -> None:
    plugin = NEAREST.format(value="Near")
    test = "def test_it(thing):\n    thing.near()\n"
    service(
        {
            "tests/conftest.py": NEAREST.format(value="Far"),
            "tests/plugin.py": plugin,
            "tests/test_star.py": f"from .plugin import *\n\n{test}",
            "tests/test_named.py": f"from .plugin import thing\n\n{test}",
        }
    )
    assert callers("Near.near") == [
        "app/tests/test_named.py:4 test_it high",
        "app/tests/test_star.py:4 test_it high",
    ]


def test_what_else_has_the_name_of_a_fixture_is_none(callers: Callers) -> None:
    service(
        {
            "flask_app.py": "from flask import Flask\n\nclient = Flask()\n\ndef helper(): ...\n",
            "tests/conftest.py": f"{CONFTEST}\nfrom flask_app import helper\nother = Flask('a')\n",
            "tests/test_a.py": "import client\nfrom flask_app import client as app\n\n"
            "def test_a(app, client, other):\n"
            "    client.get()\n    app.test_client()\n    other.test_client()\n\n"
            "def test_b():\n    app.test_client()\n",
        }
    )
    assert callers("FlaskClient.get") == ["app/tests/test_a.py:5 test_a high"]
    assert callers("Flask.test_client") == [
        "app/tests/conftest.py:12 client high",
        "app/tests/test_a.py:6 test_a high",
        "app/tests/test_a.py:10 test_b high",
    ]


def test_a_changed_conftest_changes_what_tests_mean_without_them(callers: Callers) -> None:
    service(
        {
            "tests/conftest.py": NEAREST.format(value="Far"),
            "tests/test_a.py": ("def test_it(thing):\n    thing.far()\n    thing.near()\n"),
        }
    )
    assert callers("Near.near") == []
    app = Repository.objects.get(name="app")
    change_files(app, {"tests/conftest.py": NEAREST.format(value="Near")})
    assert callers("Near.near") == ["app/tests/test_a.py:3 test_it high"]


def test_a_fixture_is_looked_up_in_no_more_than_the_nearest_directories(callers: Callers) -> None:
    def below(levels: int) -> str:
        return "/".join(["d"] * levels)

    test = "def test_it(thing):\n    thing.far()\n"
    service(
        {
            "conftest.py": NEAREST.format(value="Far"),
            f"{below(CONFTEST_LEVELS - 1)}/test_near.py": test,
            f"{below(CONFTEST_LEVELS)}/test_far.py": test,
        }
    )
    assert callers("Far.far") == [f"app/{below(CONFTEST_LEVELS - 1)}/test_near.py:2 test_it high"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (
            1,
            "“nowhere” is a fixture of pytest that neither this file nor a conftest.py defines; a"
            " plugin may.",
        ),
        (2, "“get” is a member of the fixture “nowhere”, whose value is of no known class."),
    ],
)
def test_a_reference_to_a_fixture_says_why_it_leads_nowhere(line: int, reason: str) -> None:
    service({"tests/test_a.py": "def test_it(nowhere):\n    nowhere.get()\n"})
    credential = Credential(organization_of(), frozenset({"search"}), None, None)
    position = FilePosition("app", "tests/test_a.py", line, column=12)
    assert definition_at(credential=credential, position=position).hint == reason


def test_a_member_of_a_fixture_of_unknown_value_is_unresolved(ask: Ask) -> None:
    odd = "\n@pytest.fixture\ndef odd():\n    return [1][0]\n"
    test = (
        "def test_a(nowhere, odd, client):\n    nowhere.get()\n    odd.get()\n    odd().get()\n"
        "    client.get()\n    nowhere.x.get()\n"
    )
    service({"tests/conftest.py": CONFTEST + odd, "tests/test_a.py": test})
    answer = ask("callers", symbol="FlaskClient.get").json()
    assert [one["line"] for one in answer["callers"]] == [5]
    assert answer["receipt"]["unresolved"]["count"] == 4
    low = ask("callers", symbol="FlaskClient.get", min_confidence="low").json()["callers"]
    assert [one["line"] for one in low if one["rule"] == "name_only"] == [2, 3, 4, 6]
