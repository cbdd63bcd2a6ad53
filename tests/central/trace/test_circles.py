"""Names that lead through themselves end where they began, and soon."""

from typing import Any

from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import pyproject, repository

STATEMENTS = 40


def test_a_package_that_imports_its_compiled_module_whole_is_searched_once(
    ask_live: Ask, django_assert_max_num_queries: Any
) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("lib"),
            "lib/__init__.py": "from lib.compiled import *\nfrom .plain import there\n",
            "lib/plain.py": "def there(): ...\n",
            "lib/use.py": "import lib\n\ndef use():\n    lib.gone()\n    lib.there()\n",
        },
    )
    with django_assert_max_num_queries(STATEMENTS):
        answer = ask_live("callees", symbol="use").json()
    assert [link["callee"]["name"] for link in answer["callees"]] == ["there"]


def test_a_name_that_a_package_imports_from_itself_is_searched_once(
    ask_live: Ask, django_assert_max_num_queries: Any
) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("lib"),
            "lib/__init__.py": "from lib.core import core\n",
            "lib/use.py": "import lib\n\ndef use():\n    lib.core.run()\n",
        },
    )
    with django_assert_max_num_queries(STATEMENTS):
        assert ask_live("callees", symbol="use").json()["callees"] == []


def test_a_name_may_pass_through_one_wildcard_twice(ask: Ask) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("lib"),
            "lib/__init__.py": "from lib.inner import *\n",
            "lib/inner.py": "from lib import there as again\n\ndef there(): ...\n",
            "lib/use.py": "import lib\n\ndef use():\n    lib.again()\n",
        },
    )
    answer = ask("callees", symbol="use").json()
    assert [link["callee"]["name"] for link in answer["callees"]] == ["there"]
