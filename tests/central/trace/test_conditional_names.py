"""Names that branches of `#if` bind to different values: what is built decides."""

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_CSHARP = """
    class Old { public void Go() {} }
    class New { public void Go() {} }
    class Use
    {
    #if NET8
        New field;
    #else
        Old field;
    #endif
        void Field() { field.Go(); }
        void Local()
        {
    #if NET8
            var one = new New();
            one.Go();
    #else
            var one = new Old();
            one.Go();
    #endif
            one.Go();
        }
    }
"""
_CPP = """
    struct Old { void go() {} };
    struct New { void go() {} };
    struct Use {
    #ifdef NEW
      New field;
    #else
      Old field;
    #endif
      void of_field() { field.go(); }
      void local() {
    #ifdef NEW
        New one;
        one.go();
    #else
        Old one;
        one.go();
    #endif
        one.go();
      }
    };
"""


@pytest.mark.parametrize(
    ("path", "text", "members", "lines"),
    [
        ("Use.cs", _CSHARP, ("New.Go", "Old.Go"), (11, 16, 19)),
        ("use.cpp", _CPP, ("New.go", "Old.go"), (10, 14, 17)),
    ],
)
def test_a_branch_decides_inside_of_itself_alone(
    path: str,
    text: str,
    members: tuple[str, str],
    lines: tuple[int, int, int],
    callers: Callers,
) -> None:
    repository("app", {path: text})
    field, first, second = lines
    for member, line in zip(members, (first, second), strict=True):
        (of_field, in_branch) = callers(member)
        assert of_field.startswith(f"app/{path}:{field} ")
        assert of_field.endswith(" medium")
        assert in_branch.startswith(f"app/{path}:{line} ")
        assert in_branch.endswith(" high")
