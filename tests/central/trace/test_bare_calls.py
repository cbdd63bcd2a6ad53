"""Calls that are written without brackets, and names that only look like them."""

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository


def _lines(found: list[str], file: str) -> list[int]:
    """Return the lines of the callers in a file, which are all of high confidence."""
    assert all(one.endswith(" high") for one in found)
    return [int(one.partition(f"{file}:")[2].partition(" ")[0]) for one in found]


CALLS = (
    "if rows then 1 end",
    "return 0 unless rows",
    "3 while rows",
    "rows ? 1 : 2",
    "not rows",
    "[rows, 1]",
    "{ rows => 1 }",
    "{ rows: }",
    "case rows when nil then 1 end",
    "case 1 when rows then 1 end",
    "for one in rows do one end",
    "one = (rows)",
    "one ||= rows",
    "one, two = 1, rows",
    "rows[0]",
    "rows..5",
    "run(*rows)",
    "begin; rows; ensure; 1; end",
    "def run(one = rows) = one",
    "def run = rows",
    "run rescue rows",
)
VARIABLES = (
    "rows = 1; rows ? 1 : 2",
    "(rows, one), *two = run; [rows]",
    "(one, two), *rows = run; [rows]",
    "case run in {rows:} then [rows] end",
    "case run in {size: Integer => rows} then [rows] end",
    "case run in [one, *rows] then [rows] end",
    "case run in {size: 1, **rows} then [rows] end",
    "run => {rows:}; [rows]",
    "run { |rows| [rows] }",
)


def ruby_classes(statements: tuple[str, ...]) -> None:
    """A class for each statement, in a file and with a method `rows` of its own."""
    text = "class Loan{}\n  def rows = []\n  def use\n    {}\n  end\nend\n"
    files = {f"lib/{n}.rb": text.format(n, each) for n, each in enumerate(statements)}
    repository("gem", files)


def test_ruby_calls_its_own_method_wherever_a_value_stands(callers: Callers) -> None:
    ruby_classes(CALLS)
    found = callers("rows")
    assert all(one.endswith(" high") for one in found)
    places = sorted(one.partition(" ")[0] for one in found)
    assert places == sorted(f"gem/lib/{n}.rb:4" for n in range(len(CALLS)))


def test_a_variable_of_ruby_is_no_call(callers: Callers) -> None:
    ruby_classes(VARIABLES)
    assert callers("rows") == []


def test_ruby_members_in_a_row_are_each_called_once(callers: Callers) -> None:
    text = (
        "class Loan\n  def self.of(id) = Loan.new\n  def owner = Owner.new\n  def use\n"
        "    Loan.of(1).owner.name\n    kind = Loan\n    kind.of(1)\n  end\nend\n"
        "class Owner\n  def name = 1\nend\n"
    )
    repository("gem", {"lib/loan.rb": text})
    assert _lines(callers("Owner.name"), "loan.rb") == [5]
    assert _lines(callers("Loan", kind="call"), "loan.rb") == []


_SHAPE = """
    package com.acme

    class Shape(val width: Int) {
      def area: Int = width * depth
      def depth: Int = 2
      def merge(other: Shape): Shape = other
      def next: Shape = this
    }

    object Shape {
      def empty: Shape = new Shape(0)
      def of(n: Int): Shape = new Shape(n)
    }
"""


@pytest.mark.parametrize(
    "statement",
    [
        "val n = a.area",
        "if (a.area > 2) 1 else 2",
        "Shape.of(3).next.area",
        "a.next.area + 1",
        'val s = s"${a.area}"',
        "a match { case b: Shape => b.area }",
        "for (one <- list; n = a.area) yield n",
        "Shape.empty.area",
        "a merge b area",
        "a.area max 3",
    ],
)
def test_scala_calls_a_method_without_brackets(callers: Callers, statement: str) -> None:
    text = f"package com.acme\nobject Use {{\n  def run(a: Shape, b: Shape) = {{\n    {statement}\n"
    repository("s", {"Shape.scala": _SHAPE, "Use.scala": f"{text}  }}\n}}\n"})
    expected = [] if statement == "a merge b area" else [4]
    assert _lines(callers("Shape.area"), "Use.scala") == expected


def test_scala_calls_methods_of_its_own_object_and_between_two_values(callers: Callers) -> None:
    use = """
        package com.acme
        object Use {
          def run(a: Shape, b: Shape) = {
            a merge b
            Shape.of(1) merge b
            a.next merge b
          }
        }
    """
    repository("s", {"Shape.scala": _SHAPE, "Use.scala": use})
    assert _lines(callers("Shape.depth"), "Shape.scala") == [5]
    assert _lines(callers("Shape.merge"), "Use.scala") == [5, 6, 7]


@pytest.mark.parametrize(
    "statement",
    [
        "val depth = 1; depth + 1",
        "a match { case depth :: rest => depth }",
        "a match { case depth @ Some(_) => depth }",
        "for ((depth, one) <- list) yield depth",
        "list.map(depth => depth)",
        "depth = 3",
    ],
)
def test_a_variable_of_scala_is_no_call(callers: Callers, statement: str) -> None:
    text = f"class Use {{\n  def depth = 1\n  def run(a: Any) = {{\n    {statement}\n  }}\n}}\n"
    repository("s", {"Use.scala": text})
    assert callers("depth") == []


def test_a_value_of_scala_that_holds_what_a_method_gave_calls_it_once(callers: Callers) -> None:
    use = """
        package com.acme
        object Use {
          def run() = {
            val d = Shape.empty
            d.next
            d
          }
        }
    """
    repository("s", {"Shape.scala": _SHAPE, "Use.scala": use})
    assert _lines(callers("Shape.empty"), "Use.scala") == [5]
    assert _lines(callers("Shape.next"), "Use.scala") == [6]


def test_kotlin_calls_between_two_values_follow_the_left_one(callers: Callers) -> None:
    text = """
        package com.acme

        class Bag {
            infix fun plus(other: Bag): Bag = other
            fun copy(): Bag = this
        }

        fun run(a: Bag, n: Int) {
            a plus a
            a.copy() plus a
            Bag() plus a
            n plus 1
        }
    """
    repository("k", {"Bag.kt": text})
    assert _lines(callers("Bag.plus"), "Bag.kt") == [10, 11, 12]
