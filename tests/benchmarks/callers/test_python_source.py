"""Definitions and uses of a Python file, by the standard library's parser."""

from benchmarks.callers.python_source import Outline, imported_names


def used(source: str) -> list[tuple[str, str]]:
    """(kind, name) of each use."""
    return [(use.kind, use.name) for use in Outline(source).used]


def test_definitions_have_their_qualified_name_and_kind() -> None:
    outline = Outline(
        "class A:\n"
        "    def m(self):\n"
        "        def inner(): ...\n"
        "    @property\n"
        "    def p(self): ...\n"
        "async def f(): ...\n"
    )
    assert [
        (one.line, one.column, one.qualified_name, one.kind, one.in_function)
        for one in outline.defined
    ] == [
        (1, 6, "A", "class", False),
        (2, 8, "A.m", "method", False),
        (3, 12, "A.m.inner", "function", True),
        (5, 8, "A.p", "property", False),
        (6, 10, "f", "function", False),
    ]


def test_a_use_is_where_its_last_name_begins_in_characters() -> None:
    use = Outline("é = 'ü', a.b.call(1)").used[0]
    assert (use.name, use.line, use.column) == ("call", 1, 13)


def test_a_call_hands_over_its_arguments() -> None:
    assert used("run(a.task, key=other, text='x')") == [
        ("call", "run"),
        ("value", "task"),
        ("value", "other"),
    ]


def test_decorators_are_uses_called_or_not() -> None:
    assert used("@plain\n@made(hook)\ndef f(): ...") == [
        ("decorate", "plain"),
        ("decorate", "made"),
        ("value", "hook"),
    ]


def test_bases_know_who_inherits_and_lose_their_parameters() -> None:
    use = Outline("class A:\n    class B(base.Generic[T]): ...").used[0]
    assert (use.kind, use.name, use.owner) == ("inherit", "Generic", "A.B")


def test_what_is_listed_raised_or_returned_is_mentioned() -> None:
    assert used("def f():\n    raise Wrong\n    return [one]") == [
        ("mention", "Wrong"),
        ("mention", "one"),
    ]


def test_renamed_imports_are_looked_at_too() -> None:
    assert set(imported_names("import a as b\nfrom c import d, e as f")) == {"b", "f"}


def test_a_name_with_the_value_of_another_is_an_alias_and_a_result_is_none() -> None:
    outline = Outline("Old = New\nclass A:\n    loader = pkg.Loader\n    made = New()\n")
    assert outline.aliases == {"cls", "Old", "loader"}
