"""A call of an instance is one of the member that its language names: `__call__`, `invoke`."""

from collections.abc import Callable

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository

_PHP = """<?php
class Task { public function __invoke($x) {} }
class Other { public function go() {} }
class User {
  private Task $task;
  public function task($x) {}
  public function run(Other $other, Task $given, $any) {
    $given(1);
    $made = new Task();
    $made(2);
    $other(3);
    $this->task(4);
    $any(5);
  }
}
"""
_KOTLIN = """
class Task { operator fun invoke(x: Int) {} }
class Other
class Both { fun task(x: Int) {}; val task = Task(); fun run() { task(0) } }
class User(val task: Task) {
  fun run(other: Other, given: Task, any: (Int) -> Unit) {
    task(1)
    given(2)
    Task()(3)
    Task()
    other(4)
    any(5)
  }
}
"""
_SCALA = """
class Task { def apply(x: Int) = 1 }
class Other
class User(task: Task) {
  def run(other: Other, one: Task, any: Int => Int) = {
    task(1)
    one(2)
    val made = new Task()
    made(3)
    other(4)
    any(5)
    val same = one
    run(other)(one)
  }
}
"""
_SWIFT = """
struct Task { func callAsFunction(_ x: Int) {} }
struct Other {}
class User {
  let task: Task
  func run(other: Other, given: Task, any: (Int) -> Void) {
    task(1)
    given(2)
    let made = Task()
    made(3)
    other(4)
    any(5)
  }
}
"""
_CPP = """
struct Task { int operator()(int x) { return x; } };
struct Other {};
class User {
  Task task;
  void run(Other other, const Task& given, int (*any)(int)) {
    task(1);
    given(2);
    Task made(3);
    made(4);
    other(5);
    any(6);
    Task()(7);
  }
};
"""


@pytest.mark.parametrize(
    ("path", "text", "member", "lines"),
    [
        ("user.php", _PHP, "__invoke", [8, 10]),
        ("user.kt", _KOTLIN, "invoke", [7, 8, 9]),
        ("user.scala", _SCALA, "apply", [6, 7, 9]),
        ("user.swift", _SWIFT, "callAsFunction", [7, 8, 10]),
        ("user.cpp", _CPP, "operator()", [7, 8, 10, 13]),
    ],
)
def test_call_of_an_instance_of_a_known_class(
    path: str, text: str, member: str, lines: list[int], callers: Callers
) -> None:
    repository("app", {path: text})
    assert callers(f"Task.{member}") == [f"app/{path}:{line} User.run high" for line in lines]


def test_python_instances_of_the_file_and_of_others(callers: Callers) -> None:
    repository(
        "lib",
        {
            "pyproject.toml": pyproject("acme-lib"),
            "acme_lib/__init__.py": """
                class Task:
                    def __call__(self, x): ...
                class Sub(Task): ...
                class Other: ...
                def make() -> Task: ...
                def other() -> Other: ...
                TASK = Task()
                TASK(1)
                """,
        },
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "acme-lib"),
            "app/main.py": """
                from acme_lib import Other, Sub, Task, make, other

                class User:
                    def __init__(self, task: Task):
                        self.task = task
                    def run(self, given: Task, wrong: Other, any):
                        self.task(1)
                        given(2)
                        made = Sub()
                        made(3)
                        make()(4)
                        wrong(5)
                        other()(6)
                        any(7)
                        Task(8)
                """,
        },
    )
    assert callers("Task.__call__") == [
        "app/app/main.py:8 User.run high",
        "app/app/main.py:9 User.run high",
        "app/app/main.py:11 User.run medium",
        "app/app/main.py:12 User.run medium",
        "lib/acme_lib/__init__.py:9 <module> high",
    ]


def test_a_field_that_holds_an_instance_of_another_file_is_called_like_one(
    callers: Callable[..., list[str]],
) -> None:
    repository(
        "shop",
        {
            "pyproject.toml": pyproject("shop"),
            "shop/pay.py": "class Pay:\n    def __call__(self): ...\n",
            "shop/till.py": "from shop.pay import Pay\n\n"
            "class Till:\n    def open(self):\n        self.pay = Pay()\n"
            "    def sell(self):\n        self.pay()\n",
        },
    )
    assert callers("Pay.__call__") == ["shop/shop/till.py:7 Till.sell medium"]
