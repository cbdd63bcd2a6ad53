"""The documentation of a definition is read from the lines around its beginning."""

from textwrap import dedent

import pytest

from central.web.documentation import (
    PANEL_DOCUMENTATION_CHARACTERS,
    PANEL_DOCUMENTATION_LINES,
    documentation,
)


def of(code: str, language: str, line: int) -> str:
    return documentation(dedent(code).split("\n"), language=language, start_line=line)


def test_of_python_it_is_the_docstring() -> None:
    code = '''\
        @decorated
        def call(
            value: int,
        ) -> str:
            """Say it.

            More:
                indented
            """
        '''
    assert of(code, "python", 2) == of(code, "python", 1) == "Say it.\n\nMore:\n    indented"
    assert of("def f(): # no\n    r'''One.'''", "python", 1) == "One."


def test_of_an_overload_it_is_that_of_the_function() -> None:
    code = '''\
        @t.overload
        def ask(text: str = ": (") -> str: ...
        @overload
        def ask(text: int) -> int: ...
        def other():
            """No."""
        def ask(text):
            """Ask."""
        '''
    assert of(code, "python", 2) == of(code, "python", 4) == "Ask."


@pytest.mark.parametrize(
    ("code", "language", "line"),
    [
        ("# Say it,\n# twice.\n@decorated\ndef f():\n    pass", "python", 4),
        ("/// Say it,\n/// twice.\n#[test]\nfn f() {}", "rust", 4),
        ("// Say it,\n// twice.\nfunc f() {}", "go", 3),
        ("/**\n * Say it,\n * twice.\n */\n@Override\nvoid f() {}", "java", 6),
        ("/* Say it,\n   twice. */\nint f();", "c", 3),
        ("-- Say it,\n-- twice.\nfunction f() end", "lua", 3),
        ("# Say it,\n# twice.\ndef f; end", "ruby", 3),
    ],
)
def test_without_a_docstring_it_is_the_comment_above(code: str, language: str, line: int) -> None:
    assert of(code, language, line) == "Say it,\ntwice."


@pytest.mark.parametrize(
    ("code", "language", "line"),
    [
        ("def f():\n    return 1", "python", 1),
        ("def f(", "python", 1),
        ('def f(): ...\ndef g():\n    """Of g."""', "python", 1),
        ('A = 1\ndef g():\n    """Of g."""', "python", 1),
        ("# Of something else.\n\ndef f():\n    pass", "python", 3),
        ("#include <a.h>\nint f();", "c", 2),
        ("int a; */\nint f();", "c", 2),
        ("", "go", 1),
        ("func f() {}", "go", 99),
    ],
)
def test_where_there_is_none_nothing_is_said(code: str, language: str, line: int) -> None:
    assert not of(code, language, line)


def test_a_long_one_is_cut() -> None:
    many = "\n".join(f"// {number}" for number in range(1_000)) + "\nfunc f() {}"
    assert of(many, "go", 1_001).count("\n") == PANEL_DOCUMENTATION_LINES
    wide = f'def f():\n    """{"wide " * 1_000}'
    assert len(of(wide, "python", 1)) <= PANEL_DOCUMENTATION_CHARACTERS + 2
