"""Which parameters are fixtures of pytest, in cases that the golden files leave out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.pipeline.worker import extract_file
from indexer.records.files import NAME_CHARACTERS, FileRecord
from indexer.records.fixtures import conftest_above, fixture_path, split_fixture
from indexer.records.references import Access, ReferenceKind
from indexer.resolution.fixtures import FILE_FIXTURES

TEST = "def test_it(client):\n    client.get()\n"


def record_of(path: str, text: str) -> FileRecord:
    return extract_file(path=path, mode="100644", blob="0" * 40, content=text.encode())


def paths(path: str, text: str) -> list[str]:
    """The paths of the imports that no statement writes."""
    return [one.path for one in record_of(path, text).imports if one.module == "conftest"]


def types(text: str) -> list[str]:
    """The types of fixtures: `client Client`."""
    found = record_of("tests/conftest.py", text).references
    return [
        f"{one.caller} {'.'.join(filter(None, (one.root, one.chain)))}"
        for one in found
        if one.kind is ReferenceKind.TYPE
    ]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("test_a.py", ["/conftest^.client"]),
        ("tests/test_a.py", ["/tests.conftest^.client"]),
        ("tests/api/a_test.py", ["/tests.api.conftest^.client"]),
        ("tests/api/a_tests.py", ["/tests.api.conftest^.client"]),
        ("shop/tests.py", ["/shop.conftest^.client"]),
        ("shop/contests.py", []),
        ("tests/conftest.py", []),
        ("tests/a.py", []),
        ("tests/test_a.pyi", []),
        ("tests/latest.py", []),
    ],
)
def test_only_files_that_pytest_collects_have_tests(path: str, expected: list[str]) -> None:
    assert paths(path, TEST) == expected


@pytest.mark.parametrize(
    "text",
    [
        "def helper(client): ...\n",
        "def test_it(client=None): ...\n",
        "def test_it(client: int = 1): ...\n",
        "def test_it(*client, **clients): ...\n",
        "def test_it(tmp_path, request, monkeypatch): ...\n",
        "def outer():\n    def test_it(client): ...\n",
        "def outer():\n    class TestIt:\n        def test_it(self, client): ...\n",
        "class TestIt:\n    def test_it(self): ...\n    def client(self, thing): ...\n",
        "import pytest\n@pytest.mark.parametrize('client', [1])\ndef test_it(client): ...\n",
        "import pytest\n@pytest.mark.parametrize('client', [1])\nclass TestIt:\n"
        "    def test_it(self, client): ...\n",
        "from unittest.mock import patch\n@patch('a.b')\ndef test_it(client): ...\n",
        "test_it = lambda client: client\n",
        "import pytest as p\n@p.mark.parametrize(('client',), [1])  #(\ndef test_it(client): ...\n",
        "import pytest\n@pytest.mark.parametrize(argvalues=[1], argnames='client')\n"
        "def test_it(client): ...\n",
        "import pytest\n@pytest.mark.parametrize(\n    # of all\n    ('a, '\n     'client'), [1])\n"
        "def test_it(client): ...\n",
        "from unittest.mock import patch\n@patch.object(a, 'b')\ndef test_it(client): ...\n",
        "x = 'request.getfixturevalue(\"client\")'\n# @pytest.mark.usefixtures('client')\n",
        "def test_it(client  # the\n  = 1): ...\n",
    ],
)
def test_other_parameters_are_no_fixtures(text: str) -> None:
    assert paths("tests/test_a.py", text) == []


@pytest.mark.parametrize(
    "text",
    [
        "async def test_it(client): ...\n",
        "def test_it(*, client): ...\n",
        "def test_it(client: 'Client'): ...\n",
        "class Mixin:\n    def test_it(self, client): ...\n",
        "class TestA:\n    class TestB:\n        def test_it(self, client): ...\n",
        "import pytest\n@pytest.mark.parametrize('client', [1], indirect=True)\n"
        "def test_it(client): ...\n",
        "from unittest.mock import patch\n@patch('a.b', new=1)\ndef test_it(client): ...\n",
        "import pytest\n@pytest.mark.usefixtures('client')\ndef test_it(): ...\n",
        "def test_it(request):\n    request.getfixturevalue('client')\n",
        "import pytest\n@pytest.fixture  # of all\n# and more\ndef thing(client): ...\n",
        "import pytest\n@pytest.mark.parametrize('client', [1], True)\ndef test_it(client): ...\n",
        "import pytest\n@pytest.mark.parametrize('client', [1], indirect=['client'])\n"
        "def test_it(client): ...\n",
        "import pytest\n@pytest.mark.parametrize('x', [('client', 'indirect=True', ')')])\n"
        "def test_it(client, x): ...\n",
        "from unittest.mock import patch\n@patch('a.b', ')')\ndef test_it(client): ...\n",
        "import pytest\n@pytest.mark.usefixtures(\n# all\n'client',\n)\nclass TestIt: ...\n",
        "import pytest\nclass TestIt:\n    pytestmark = [pytest.mark.usefixtures('client')]\n",
        "import pytest\npytestmark = pytest.mark.usefixtures('client')\n",
    ],
)
def test_parameters_of_tests_and_fixtures_are_fixtures(text: str) -> None:
    assert paths("tests/test_a.py", text) == ["/tests.conftest^.client"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("yield Client()", ["client Client"]),
        ("yield await Client.make()", ["client Client.make"]),
        ("made = Client()\n    return made", ["client Client"]),
        ("with Client() as made:\n        yield made", ["client Client.__enter__"]),
        ("made = Client()\n    yield made.session", ["client Client.session"]),
        ("yield from Client()", []),
        ("made = Client()\n    yield from made", []),
        ("yield Client, 1", []),
        ("yield", []),
        (
            "def make(): return Client()\n    return make",
            ["client.make Client", "client.() client.make"],
        ),
        ("if a:\n        return Client()\n    return Other()", ["client Client", "client Other"]),
    ],
)
def test_a_fixture_is_what_it_returns_or_yields(body: str, expected: list[str]) -> None:
    head = "import pytest\nfrom m import Client, Other\n\n@pytest.fixture\ndef client():\n    "
    assert types(f"{head}{body}\n") == expected


_NAMES = st.lists(st.sampled_from(["client", "shop", "x"]), min_size=1, unique=True)


@given(
    given_=_NAMES,
    indirect=_NAMES,
    is_all=st.booleans(),
    form=st.sampled_from(["'{}'", "{}", "[{}]", "argnames=({},)", "  # )\n    ({}, )"]),
    values=st.sampled_from(["[1]", "[(1, ')')]", "['indirect=True']", "[pytest.param(1)]"]),
)
def test_parametrize_is_read_in_any_form(
    given_: list[str], indirect: list[str], is_all: bool, form: str, values: str
) -> None:
    quoted = ", ".join(given_) if form == "'{}'" else ", ".join(f'"{one}"' for one in given_)
    form = "[{}]" if form == "{}" and len(given_) > 1 else form
    names = form.format(quoted)
    values = f"argvalues={values}" if "argnames" in form else values
    text = (
        f"import pytest\n@pytest.mark.parametrize({names}, {values},"
        f" indirect={True if is_all else indirect})\ndef test_it(client, shop, x): ...\n"
    )
    filled = set() if is_all else set(given_) - set(indirect)
    expected = [one for one in ("client", "shop", "x") if one not in filled]
    assert paths("tests/test_a.py", text) == [f"/tests.conftest^.{one}" for one in expected]


def test_what_other_functions_yield_is_not_their_type() -> None:
    assert types("import pytest\nfrom m import Client\n\ndef f():\n    yield Client()\n") == []


def test_a_name_of_several_strings_is_a_fixture() -> None:
    mark = "import pytest\n@pytest.mark.usefixtures('cli' 'ent')\ndef test_it(): ...\n"
    assert paths("tests/test_a.py", mark) == ["/tests.conftest^.client"]
    call = "def test_it(request):\n    request.getfixturevalue('cli' 'ent')\n"
    assert paths("tests/test_a.py", call) == ["/tests.conftest^.client"]


def test_of_too_many_fixtures_the_rest_has_unknown_values() -> None:
    tests = [f"def test_{n}(f{n}): f{n}.go()\n" for n in range(FILE_FIXTURES + 5)]
    record = record_of("test_a.py", "".join(tests))
    assert len(record.imports) == FILE_FIXTURES
    called = [one for one in record.references if one.kind is ReferenceKind.CALL]
    assert [one.access for one in called[FILE_FIXTURES - 1 :]] == [
        Access.RESULT,
        *[Access.PATH] * 5,
    ]


@pytest.mark.parametrize("length", [NAME_CHARACTERS - 2, NAME_CHARACTERS - 1, NAME_CHARACTERS + 1])
def test_long_names_are_left_out(length: int) -> None:
    name = "n" * length
    text = (
        f"import pytest\nimport {name}\n\n@pytest.fixture(name='{name}')\ndef made(): ...\n\n"
        f"@pytest.mark.usefixtures('{name}')\ndef test_it({name}): {name}.go()\n\n"
        f"class TestIt:\n    @pytest.fixture\n    def {name}(self, {name}): return {name}\n"
    )
    for path in ("test_a.py", "conftest.py"):
        record = record_of(path, text)
        names = [one.local for one in record.imports] + [one.name for one in record.exports]
        for one in record.references:
            names += [one.name, one.root, one.chain, one.caller]
        assert max(map(len, names)) <= NAME_CHARACTERS


def test_many_fixtures_and_decorators_are_read_in_a_moment() -> None:
    head = "import pytest\nfrom m import f\n"
    marks = "@pytest.mark.parametrize('a,b', [(1, 2)], ids=['x'])\n" * 20
    text = head + "".join(f"{marks}def test_{n}(f, a, b): f.go()\n" for n in range(1_000))
    assert len(record_of("test_a.py", text).references) >= 2_000
    nested = f"import pytest\n@pytest.fixture(params={'[' * 900}{']' * 900})\ndef f(): ...\n"
    assert record_of("test_a.py", nested).degraded is None


@pytest.mark.parametrize(
    "text",
    [
        # Marks of a class, each of which every test has.
        "import pytest\n"
        + "".join(f"@pytest.mark.parametrize('p{n}', [1])\n" for n in range(4_000))
        + "class TestIt:\n"
        + "".join(f"    def test_{n}(self, p{n}, f): f.go()\n" for n in range(4_000)),
        # Imported fixtures, each of which may be read elsewhere.
        f"from m import {', '.join(f'f{n}' for n in range(8_000))}\n"
        + "".join(f"def test_{n}(f{n}): f{n}.go()\n" for n in range(8_000)),
        # Each class inherits from all before it.
        "".join(
            f"class Test{n}(Test{n - 1}):\n    def test_it(self, f): f.go()\n" for n in range(8_000)
        ),
        # A list of names, which are looked for in the source.
        "import pytest\n@pytest.mark.usefixtures(["
        + "".join(f"'x{n}', " for n in range(50_000))
        + "])\n"
        + "class TestIt:\n"
        + "    def test_it(self, x): ...\n" * 4_000,
    ],
    ids=["marks", "imports", "bases", "names"],
)
def test_hostile_tests_are_read_in_a_moment(text: str) -> None:
    assert len(record_of("test_a.py", text).references) >= 4_000


@pytest.mark.parametrize(
    ("module", "modules"),
    [
        ("/conftest", ["/conftest"]),
        ("/test_a", ["/test_a", "/conftest"]),
        ("/a.b.test_c", ["/a.b.test_c", "/a.b.conftest", "/a.conftest", "/conftest"]),
        ("/a.conftest", ["/a.conftest", "/conftest"]),
    ],
)
def test_a_fixture_is_looked_up_in_its_module_then_upwards(module: str, modules: list[str]) -> None:
    assert split_fixture(fixture_path(module, "x") + ".y.z") == (modules, "x", ("y", "z"))


def test_other_paths_are_no_fixtures() -> None:
    assert split_fixture("/a.conftest.client") is None
    assert conftest_above("/conftest") is None
