"""How a query is read: what is a filter, a literal, a pattern, an operator, and what is a word."""

import pytest

from central.errors import InvalidError
from central.query.errors import QueryError
from central.query.filters import FilterName, Match
from central.query.parser import QUERY_NESTING, QUERY_TERMS, parse
from central.query.syntax import And, Case, Filter, Literal, Not, Or, Query, Regex, Word

REPO_A = Filter(FilterName.REPO, "a")
REPO_B = Filter(FilterName.REPO, "b")


@pytest.mark.parametrize(
    "text",
    [
        "a->b", "std::sort", "x[0]", "foo(bar)", "self.x", "--flag", "http://host/path", "a/b/c",
        "don't", "def echo(", r"C:\dir", "key: value", "-", "(", ")", "it's 5\" wide", "a ( b",
        "-1", "x - (y + z)", "-> int", "note:this", "std::x", "file::open", "file:///etc/passwd",
        "type: ignore", "case: foo", "repo:", "/usr/bin/env", "// a comment", "/* a comment */",
        "and / or", "/", '""', '"', 'say " twice', '"""docstring"""', "(lambda x: x)(1)",
        "1) first 2) second", "SELECT a OR b", "NOT NULL", "IF NOT EXISTS", "OR", "AND", "a OR",
        "f((a, b)", "OR b", "a OR OR b", "NOT", "()", "-()", "(-x + y", "(a OR", "report:x",
        "patch:1", "@x", "Repo:x", "types: a", "how does (the thing) work?", "a (b (c) d",
        "#include <x>", "$X", "/foo/i", "foo/bar/",
        "x:y", "a && b || !c", "*", "a NOT NULL,", "python -m pytest",
        's.startswith("a ")', 's.split(": ", 1)', r"\d+", "{repo:x}", "context:ctx",
    ],
)  # fmt: skip
def test_code_and_prose_are_words_unchanged(text: str) -> None:
    query = parse(text)
    assert query.words == text
    assert query.predicate is None


@pytest.mark.parametrize(
    ("text", "name", "value", "match"),
    [
        ("repo:flask", FilterName.REPO, "flask", Match.SUBSTRING),
        ('repo:"a b"', FilterName.REPO, "a b", Match.SUBSTRING),
        (r'repo:"a \"b\" \\"', FilterName.REPO, 'a "b" \\', Match.SUBSTRING),
        ("r:flask", FilterName.REPO, "flask", Match.SUBSTRING),
        ("file:helpers.py", FilterName.FILE, "helpers.py", Match.SUBSTRING),
        ("f:src/*.py", FilterName.FILE, "src/*.py", Match.GLOB),
        ("path:a?c", FilterName.FILE, "a?c", Match.GLOB),
        ("file:[ab].c", FilterName.FILE, "[ab].c", Match.GLOB),
        ('file:"[id].tsx"', FilterName.FILE, "[id].tsx", Match.SUBSTRING),
        (r"file:/^src\/.*\.py$/", FilterName.FILE, r"^src/.*\.py$", Match.REGEX),
        ("file:/src/app", FilterName.FILE, "/src/app", Match.SUBSTRING),
        ("file:app/(group)/page", FilterName.FILE, "app/(group)/page", Match.SUBSTRING),
        ("lang:go", FilterName.LANG, "go", Match.EXACT),
        ("l:Python", FilterName.LANG, "python", Match.EXACT),
        ("language:c++", FilterName.LANG, "cpp", Match.EXACT),
        ("sym:Session", FilterName.SYM, "Session", Match.SUBSTRING),
        ("symbol:get_*", FilterName.SYM, "get_*", Match.GLOB),
        ("type:Function", FilterName.TYPE, "function", Match.EXACT),
        ("type:file", FilterName.TYPE, "file", Match.EXACT),
    ],
)
def test_a_filter_has_a_name_and_a_value(
    text: str, name: FilterName, value: str, match: Match
) -> None:
    assert parse(text).root == Filter(name, value, match)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ('"exact words"', Literal("exact words")),
        (r'"say \"x\" \\ \n"', Literal(r'say "x" \ \n')),
        ("content:x", Literal("x")),
        ('content:"a b"', Literal("a b")),
        ("/re.*gex/", Regex("re.*gex")),
        ("/a b/", Regex("a b")),
        (r"/a\/b\d/", Regex(r"a/b\d")),
        ("content:/ x/", Regex(" x")),
        ("-word", Not(Word("word"))),
        ("-repo:a", Not(REPO_A)),
        ('-"x"', Not(Literal("x"))),
        ("-/x/", Not(Regex("x"))),
        ("NOT repo:a", Not(REPO_A)),
        ("NOT word", Not(Word("word"))),
        ("NOT m", Not(Word("m"))),
        ("-(repo:a repo:b)", Not(And((REPO_A, REPO_B)))),
        ("-(x OR y)", Not(Or((Word("x"), Word("y"))))),
        ("NOT -repo:a", Not(Not(REPO_A))),
        (r"\-word", Word("-word")),
        (r"repo\:a", Word("repo:a")),
        (r"\"x", Word('"x')),
        (r"\/x/", Word("/x/")),
        (r"\OR", Word("OR")),
        (r"\(repo:a", Word("(repo:a")),
    ],
)
def test_literals_patterns_negations_and_escapes(text: str, node: object) -> None:
    assert parse(text).root == node


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("repo:a repo:b", And((REPO_A, REPO_B))),
        ("repo:a AND repo:b", And((REPO_A, REPO_B))),
        ("repo:a OR repo:b", Or((REPO_A, REPO_B))),
        ('repo:a "x" OR repo:b', Or((And((REPO_A, Literal("x"))), REPO_B))),
        ('repo:a ("x" OR repo:b)', And((REPO_A, Or((Literal("x"), REPO_B))))),
        ("((repo:a))", REPO_A),
        ("( repo:a )", REPO_A),
        ("(repo:a OR repo:b) flask", And((Or((REPO_A, REPO_B)), Word("flask")))),
        ("(repo:a x) OR repo:b", Or((And((REPO_A, Word("x"))), REPO_B))),
        ('"x" OR y', Or((Literal("x"), Word("y")))),
        ('(f(a, b) OR "y")', Or((And((Word("f(a,"), Word("b)"))), Literal("y")))),
    ],
)
def test_or_binds_weaker_than_juxtaposition(text: str, node: object) -> None:
    assert parse(text).root == node


def test_or_between_two_words_is_a_word_so_that_filters_beside_them_hold() -> None:
    query = parse("lang:go retry OR backoff")
    assert query.words == "retry OR backoff"
    assert query.predicate == Filter(FilterName.LANG, "go", Match.EXACT)


def test_an_empty_query_asks_for_nothing() -> None:
    assert parse("") == parse(" \n") == Query()
    assert str(Query()) == ""


@pytest.mark.parametrize(
    ("text", "case"),
    [("x", Case.AUTO), ("case:yes x", Case.YES), ("x case:NO", Case.NO), ("case:auto", Case.AUTO)],
)
def test_case_is_for_the_whole_query(text: str, case: Case) -> None:
    assert parse(text).case is case


@pytest.mark.parametrize(
    ("text", "column", "advice"),
    [
        ('find "hello', 6, 'Write " at its end, or \\" if'),
        ('repo:"a b', 6, 'Write " at its end'),
        ('-"a', 2, 'Write " at its end'),
        ("x (repo:a OR repo:b", 3, "Write ) at the end"),
        ("(-repo:a", 1, "Write ) at the end"),
        ("langs:go", 1, r"Write lang:, or langs\: if the word is meant."),
        ("x repos:y", 3, "Write repo:"),
        ("-files:y", 2, "Write file:"),
        ("langauge:go", 1, "Write language:"),
        ("x type:fucntion", 3, "Near names: function."),
        ("type:string", 1, 'there is no type "string"'),
        ("case:maybe", 1, "Write case:yes."),
        ("-case:yes", 2, "cannot be negated"),
        ("case:yes x case:no", 12, "Write case: once"),
        (r"file:\.py$", 6, r"Write file:/\.py$/, or file:"),
        ("repo:^github/x", 6, r"Write repo:/^github\/x/"),
        ("x /a(/", 3, "RE2 does not accept this regular expression: missing )"),
        ("x file:/[/", 3, "RE2 does not accept"),
        (r"/(a)\1/", 1, "RE2 does not accept"),
        ("x /" + "a" * 1_001 + "/", 3, "longer than 1,000 characters"),
        ("repo:" + "a" * 1_001, 1, "this value is longer than 1,000 characters"),
        ("(" * (QUERY_NESTING + 1) + "repo:a" + ")" * (QUERY_NESTING + 1), 21, "nested"),
        ("repo:a " * (QUERY_TERMS + 1), 701, "more than 100 terms"),
        ("-xy " * (QUERY_TERMS + 1), 402, "more than 100 terms"),
    ],
)
def test_an_error_names_the_column_and_what_to_write(text: str, column: int, advice: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert caught.value.column == caught.value.extra["column"] == column
    assert caught.value.message.startswith(f"Column {column}: ")
    assert advice in caught.value.message


def test_an_error_of_a_query_is_one_of_the_input() -> None:
    with pytest.raises(InvalidError) as caught:
        parse('"x')
    assert caught.value.code == "invalid_query"


def test_words_have_no_limit_of_their_own() -> None:
    text = "(((((" * 10 + " how does it work" * 200
    assert parse(text).words == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("r:a   f:b l:py symbol:c", "repo:a file:b lang:python sym:c"),
        ("NOT repo:a x", "-repo:a x"),
        ('repo:a AND (repo:b OR ("x"))', 'repo:a (repo:b OR "x")'),
        ("x case:yes", "case:yes x"),
        ('content:a content:/b/ repo:"c"', '"a" /b/ repo:c'),
        ("def echo(self", r"def echo\(self"),
    ],
)
def test_a_query_is_printed_in_one_way(text: str, written: str) -> None:
    assert str(parse(text)) == written
