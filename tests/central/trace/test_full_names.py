"""Names with their whole namespace need no import."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository


def test_java_names_a_class_with_its_package(callers: Callers) -> None:
    repository(
        "risk",
        {
            "pom.xml": "<project><groupId>a</groupId><artifactId>risk</artifactId></project>",
            "src/main/java/com/acme/audit/Trail.java": """
                package com.acme.audit;
                public class Trail { public static void record() {} }
            """,
            "src/main/java/com/acme/risk/Engine.java": """
                package com.acme.risk;
                class Engine {
                    void score() { com.acme.audit.Trail.record(); }
                }
            """,
        },
    )
    expected = ["risk/src/main/java/com/acme/risk/Engine.java:4 Engine.score high"]
    assert callers("Trail.record") == expected


def test_php_names_a_class_from_the_root(callers: Callers) -> None:
    repository(
        "shop",
        {
            "composer.json": '{"name": "acme/shop", "autoload": {"psr-4": {"Acme\\\\": "src/"}}}',
            "src/Audit/Trail.php": """<?php
                namespace Acme\\Audit;
                class Trail { public static function record() {} }
            """,
            "src/Orders.php": """<?php
                namespace Acme\\Shop;
                use Acme\\Other\\Acme;
                function place() { \\Acme\\Audit\\Trail::record(); }
            """,
        },
    )
    assert callers("Trail.record") == ["shop/src/Orders.php:4 place high"]


def test_a_php_name_from_the_root_is_none_of_its_own_namespace(callers: Callers) -> None:
    repository(
        "shop",
        {
            "composer.json": '{"name": "acme/shop", "autoload": {"psr-4": {"Acme\\\\": "src/"}}}',
            "src/Redis.php": """<?php
                namespace Acme\\Shop;
                class Redis extends \\Redis {
                    public static function open() { \\Redis::open(); }
                }
                function fetch_all() { return \\fetch_all(); }
                function start() { Redis::open(); fetch_all(); new Redis(); new \\Redis(); }
            """,
        },
    )
    expected = ["shop/src/Redis.php:7 start high"]
    assert callers("Redis") == callers("Redis.open") == callers("fetch_all") == expected
