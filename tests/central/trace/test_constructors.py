"""Constructors asked for by their own name: making an instance of a class calls them."""

import pytest

from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import pyproject, repository


def _python(app: str) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/orders.py": """
                class Order:
                    def __init__(self, number): ...
                    def __new__(cls, number): ...
                class Rush(Order): ...
                class Own(Order):
                    def __init__(self): ...
            """,
        },
    )
    repository("app", {"pyproject.toml": pyproject("app", "acme-lib"), "app/main.py": app})


def test_making_an_instance_calls_the_constructor(callers: Callers, ask: Ask) -> None:
    _python(
        """
        from acme_lib.orders import Order, Own, Rush

        def made():
            Order(1)
            Rush(2)
            Own()

        def used(value):
            isinstance(value, Order)
            value.Order()
        """
    )
    assert callers("Order.__init__") == [
        "app/app/main.py:5 made high",
        "app/app/main.py:6 made high",  # inherited; Own has another one
    ]
    assert callers("Order.__new__") == [
        "app/app/main.py:5 made high",
        "app/app/main.py:6 made high",
        "app/app/main.py:7 made high",
    ]
    assert callers("Own.__init__") == ["app/app/main.py:7 made high"]
    found = ask("callers", symbol="Order.__init__").json()
    assert found["callers"][0]["evidence"].startswith("from acme_lib.orders import Order")
    assert "an instance of Order" in found["callers"][0]["evidence"]
    assert found["receipt"]["unresolved"]["count"] == 1  # value.Order()
    assert "app/app/main.py:11 used low" in callers("Order.__init__", min_confidence="low")


def test_callees_are_the_class_and_its_constructor(ask: Ask) -> None:
    _python("from acme_lib.orders import Rush\ndef made():\n    Rush(2)\n")
    found = ask("callees", symbol="made", project="app").json()["callees"]
    assert {one["callee"]["qualified_name"] for one in found} == {
        "Order.__init__",
        "Order.__new__",
        "Rush",
    }


def test_a_subclass_with_a_generated_constructor_does_not_call_the_inherited_one(
    callers: Callers,
) -> None:
    _python(
        """
        from dataclasses import dataclass
        from acme_lib.orders import Order

        @dataclass
        class Plain(Order):
            name: str

        @registered
        class Known(Order): ...

        def made():
            Plain("x")
            Known(1)
        """
    )
    assert callers("Order.__init__") == ["app/app/main.py:14 made medium"]


def test_callers_of_a_class_are_those_of_its_constructor_once(callers: Callers) -> None:
    repository(
        "shop",
        {
            "build.gradle": "group = 'com.acme'",
            "src/main/java/com/acme/Order.java": """
                package com.acme;
                public class Order {
                    public Order(int n) {}
                }
                class Use {
                    Order made() { return new Order(1); }
                }
            """,
        },
    )
    path = "shop/src/main/java/com/acme/Order.java"
    assert callers("Order") == callers("Order.Order") == [f"{path}:7 Use.made high"]


@pytest.mark.parametrize(
    ("file", "text", "constructor", "expected"),
    [
        (
            "src/order.ts",
            """
            class Order { constructor(n: number) {} }
            class Rush extends Order {}
            class Own extends Order { constructor() { this.go() } }
            const a = new Order(1)
            const b = new Rush(2)
            const c = new Own()
            """,
            "Order.constructor",
            [5, 6],
        ),
        (
            "src/Order.php",
            """<?php
            namespace App;
            class Order { public function __construct(int $n) {} }
            class Rush extends Order {}
            $a = new Order(1);
            $b = new Rush(2);
            Order::of(3);
            """,
            "Order.__construct",
            [5, 6],
        ),
        (
            "lib/order.rb",
            """
            class Order
              def initialize(n); end
            end
            class Rush < Order; end
            Order.new(1)
            Rush.new(2)
            Order.find(3)
            """,
            "Order.initialize",
            [6, 7],
        ),
        (
            "Sources/Shop/Order.swift",
            """
            class Order { init(n: Int) {} }
            class Rush: Order {}
            let a = Order(n: 1)
            let b = Order.init(n: 2)
            let c = Rush(n: 3)
            let d = Order.self
            """,
            "Order.init",
            [4, 5, 6],
        ),
    ],
)
def test_each_language_has_its_own_name_for_constructors(
    callers: Callers, file: str, text: str, constructor: str, expected: list[int]
) -> None:
    repository("shop", {file: text})
    assert callers(constructor) == [f"shop/{file}:{line} <module> high" for line in expected]


def test_which_of_several_constructors_is_called_is_not_known(callers: Callers) -> None:
    """A class of Kotlin has a primary constructor, which is no member, beside secondary ones."""
    repository(
        "shop",
        {
            "build.gradle.kts": 'group = "com.acme"',
            "src/main/kotlin/Order.kt": """
                package com.acme
                open class Order(val n: Int) {
                    constructor(s: String) : this(s.length)
                }
                class Rush : Order(2)
                val a = Order("x")
                val b = Rush()
            """,
        },
    )
    path = "shop/src/main/kotlin/Order.kt"
    assert callers("Order.constructor") == [
        f"{path}:4 Order.constructor medium",
        f"{path}:7 <module> medium",
    ]


@pytest.mark.parametrize(
    ("file", "text", "constructor", "expected"),
    [
        (
            "src/main/java/com/acme/Order.java",
            """
            package com.acme;
            class Order {
                Order(int n) { }
                Order() { this(1); }
            }
            class Rush extends Order implements Runnable {
                Rush() { super(2); }
                public void run() { super.toString(); }
            }
            class Other implements Runnable {
                Other() { super(); }
            }
            """,
            "Order.Order",
            ["5 Order.Order", "8 Rush.Rush"],
        ),
        (
            "Order.cs",
            """
            namespace Acme;
            class Order {
                public Order(int n) { }
                public Order() : this(1) { }
            }
            class Rush : Order, IRun {
                public Rush() : base(2) { base.ToString(); }
            }
            class Other : IRun {
                public Other() : base() { }
            }
            """,
            "Order.Order",
            ["5 Order.Order", "8 Rush.Rush"],
        ),
        (
            "src/order.ts",
            """
            class Order { constructor(n: number) {} }
            class Rush extends Order { constructor() { super(2); super.go() } }
            class Other extends mixed(Order) implements Rush { constructor() { super(3) } }
            """,
            "Order.constructor",
            ["3 Rush.constructor"],
        ),
    ],
)
def test_a_constructor_calls_another_by_a_keyword(
    callers: Callers, file: str, text: str, constructor: str, expected: list[str]
) -> None:
    repository("shop", {file: text})
    assert callers(constructor) == [f"shop/{file}:{one} high" for one in expected]


def test_raising_a_class_makes_an_instance(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("lib"),
            "lib/errors.py": """
                class Denied(Exception):
                    def __init__(self): ...

                denied = Denied()

                def check():
                    raise Denied

                def again(error):
                    if isinstance(error, Denied):
                        raise error
                    raise denied from error
            """,
        },
    )
    assert callers("Denied.__init__") == [
        "lib/lib/errors.py:5 <module> high",
        "lib/lib/errors.py:8 check high",
    ]
    assert callers("Denied", kind="call") == callers("Denied.__init__")


def test_initialisers_of_cpp_make_bases_and_fields(callers: Callers) -> None:
    repository(
        "app",
        {
            "order.h": """
                class Order { public: Order(int n); };
                class Late : public Order { public: Late(); };
            """,
            "order.cpp": '#include "order.h"\nOrder::Order(int n) {}\nLate::Late() : Order(1) {}\n',
            "rush.cpp": """
                #include "order.h"
                class Rush : public Order {
                 public:
                  Rush()
                    : Order(2),
                      held(3),
                      pointer(nullptr),
                      Other(4) {}
                  Rush(int n)
                    : Rush() {}
                  Order held;
                  Order* pointer;
                  int Other;
                };
                class Other { public: Other(int n) {} };
            """,
        },
    )
    assert callers("Order.Order") == [
        "app/order.cpp:3 Late.Late high",
        "app/rush.cpp:6 Rush.Rush high",
        "app/rush.cpp:7 Rush.Rush high",
    ]
    assert callers("Rush.Rush") == ["app/rush.cpp:11 Rush.Rush high"]
    assert callers("Other.Other") == []
