"""Functions without a name of their own that a variable holds are definitions by its name."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository


def test_a_lambda_has_the_name_that_it_is_assigned_to(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/__init__.py": """
                def one(x): ...
                double = lambda x: one(x)
                class Shop:
                    key = lambda self: self.other()
                    def other(self): ...
            """,
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-lib"),
            "app/main.py": """
                from acme_lib import Shop, double, one
                def run(xs):
                    local = lambda x: double(x)
                    xs.sort(key=lambda x: one(x))
                    Shop().key()
                    return local(xs)
                def other(local):
                    local(1)
            """,
        },
    )
    assert callers("double") == ["app/app/main.py:4 run.local high"]
    assert callers("one") == [
        "app/app/main.py:5 run high",
        "lib/acme_lib/__init__.py:3 double high",
    ]
    assert callers("Shop.key") == ["app/app/main.py:6 run high"]
    assert callers("Shop.other") == ["lib/acme_lib/__init__.py:5 Shop.key high"]
    assert callers("run.local") == ["app/app/main.py:7 run high"]


def test_a_closure_of_php_is_called_by_the_variable(callers: Callers) -> None:
    """It is no function of that name, and no other file's or function's variable."""
    repository(
        "shop",
        {
            "composer.json": '{"name": "acme/shop", "autoload": {"psr-4": {"Acme\\\\": "src/"}}}',
            "src/a.php": """
                <?php
                namespace Acme;
                function total($x) { return $x; }
                $total = function ($x) { return total($x); };
                $total(1);
                function run() {
                    $half = fn($x) => total($x);
                    return $half(2);
                }
            """,
            "src/b.php": """
                <?php
                namespace Acme;
                $total(3);
                function other($half) { total(4); return $half(5); }
            """,
        },
    )
    assert callers("$total") == ["shop/src/a.php:6 <module> high"]
    assert callers("run.$half") == ["shop/src/a.php:9 run high"]
    assert callers("total") == [
        "shop/src/a.php:5 $total high",
        "shop/src/a.php:8 run.$half high",
        "shop/src/b.php:5 other high",
    ]
