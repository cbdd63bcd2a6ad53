"""Calls that are written without brackets, and names that only look like them."""

from collections.abc import Callable

import pytest

from tests.central.trace.corpus import repository

pytestmark = pytest.mark.django_db

Callers = Callable[..., list[str]]


def _lines(found: list[str], file: str) -> list[int]:
    """Return the lines of the callers in a file, which are all of high confidence."""
    assert all(one.endswith(" high") for one in found)
    return [int(one.partition(f"{file}:")[2].partition(" ")[0]) for one in found]


@pytest.mark.parametrize(
    "statement",
    [
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
    ],
)
def test_ruby_calls_its_own_method_wherever_a_value_stands(
    callers: Callers, statement: str
) -> None:
    text = f"class Loan\n  def rows = []\n  def use\n    {statement}\n  end\nend\n"
    repository("gem", {"lib/loan.rb": text})
    assert _lines(callers("rows"), "loan.rb") == [4]


@pytest.mark.parametrize(
    "statement",
    [
        "rows = 1; rows ? 1 : 2",
        "(rows, one), *two = run; [rows]",
        "(one, two), *rows = run; [rows]",
        "case run in {rows:} then [rows] end",
        "case run in {size: Integer => rows} then [rows] end",
        "case run in [one, *rows] then [rows] end",
        "case run in {size: 1, **rows} then [rows] end",
        "run => {rows:}; [rows]",
        "run { |rows| [rows] }",
    ],
)
def test_a_variable_of_ruby_is_no_call(callers: Callers, statement: str) -> None:
    text = f"class Loan\n  def rows = []\n  def use\n    {statement}\n  end\nend\n"
    repository("gem", {"lib/loan.rb": text})
    assert callers("rows") == []
