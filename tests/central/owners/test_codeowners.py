"""CODEOWNERS files by the rules of GitHub and GitLab: what they say, and hostile ones."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.owners import patterns
from central.owners.codeowners import (
    OWNERS_INVALID_LINES,
    OWNERS_OF_RULE,
    OWNERS_RULES,
    Codeowners,
    Syntax,
    TooManyRulesError,
    file_syntax,
    forge_syntax,
    parse_codeowners,
)
from central.owners.ownership import compile_ownership
from central.owners.patterns import (
    OWNERS_PATTERN_CHARACTERS,
    OWNERS_PATTERN_WILDCARDS,
    OWNERS_WILDCARD_RULES,
    TooComplexError,
    github_pattern,
)

GITHUB = """\
*                @all   # of everything
*.py             @python docs@example.com
/docs/*          @docs
/build/logs/     @acme/builds
apps/            @acme/apps
/apps/github
a/**/b           @ab
**/logs          @logs
/src/*/gen?.go   @generated
spaced\\ name/    @space
"""
GITLAB = """\
* @all
!*.lock
[Docs] @doc-team
docs/
README.md
*.txt @@developer
^[Data Base][2] @db
/db/*
!/db/secret*
/db/[a-c]*.sql @sql
[docs]
/docs @x
internal/notes.md @group/sub/team
"""


def owners(text: str, path: str, syntax: Syntax = Syntax.GITHUB) -> tuple[str, ...]:
    return compile_ownership("CODEOWNERS", parse_codeowners(text, syntax)).of(path)


def invalid(parsed: Codeowners) -> dict[int, str]:
    return {one.line: one.reason for one in parsed.invalid}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x", ["@all"]),
        ("a/x.py", ["@python", "docs@example.com"]),
        ("x.py/data", ["@python", "docs@example.com"]),
        ("docs/x", ["@docs"]),
        ("docs/deep/x", ["@all"]),
        ("q/docs/x", ["@all"]),
        ("build/logs/a/b", ["@logs"]),
        ("Build/logs2/a", ["@all"]),
        ("q/apps/a", ["@acme/apps"]),
        ("apps", ["@all"]),
        ("apps/github", []),
        ("apps/github/x", []),
        ("apps/githubs", ["@acme/apps"]),
        ("a/b", ["@ab"]),
        ("a/q/r/b/c", ["@ab"]),
        ("q/a/b", ["@all"]),
        ("x/logs", ["@logs"]),
        ("src/x/gen1.go", ["@generated"]),
        ("src/x/y/gen1.go", ["@all"]),
        ("src/x/gen.go", ["@all"]),
        ("q/spaced name/x", ["@space"]),
    ],
)
def test_of_github_the_last_rule_that_matches_decides(path: str, expected: list[str]) -> None:
    assert list(owners(GITHUB, path)) == expected


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("!x @a", "cannot begin with !"),
        (r"\#x @a", r"cannot begin with \#"),
        ("[ab].py @a", "[ ] has no meaning"),
        ("/ @a", "matches nothing"),
        ("a***b @a", "two stars"),
        ("a//b @a", "empty name"),
        ("x @a bob", "bob is no owner"),
        ("x @a/b/c", "@a/b/c is no owner"),
        ("x @@developer", "@@developer is no owner"),
        (f"{'x' * (OWNERS_PATTERN_CHARACTERS + 1)} @a", "longer than 1,000"),
        (f"{'x*' * (OWNERS_PATTERN_WILDCARDS + 1)} @a", "more than 16 wildcards"),
        (f"x {'@a ' * (OWNERS_OF_RULE + 1)}", "more than 100 owners"),
    ],
)
def test_a_line_that_github_skips_is_kept_with_the_reason(line: str, reason: str) -> None:
    parsed = parse_codeowners(f"* @all\n{line}\n", Syntax.GITHUB)
    assert reason in invalid(parsed)[2]
    assert len(parsed.rules) == parsed.invalid_count == 1


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("x", ["@all"]),
        ("deep/x.lock", []),
        ("docs/a/b", ["@all", "@doc-team"]),
        ("q/docs/a", ["@all", "@doc-team"]),
        ("docs", ["@all", "@x"]),
        ("a/README.md", ["@all", "@doc-team"]),
        ("a.txt", ["@all", "@@developer"]),
        ("db/z.sql", ["@all", "@db"]),
        ("db/b1.sql", ["@all", "@sql"]),
        ("db/secret.txt", ["@all", "@@developer"]),
        ("db/deep/a.sql", ["@all"]),
        ("q/internal/notes.md", ["@all", "@group/sub/team"]),
    ],
)
def test_of_gitlab_the_last_rule_of_each_section_counts(path: str, expected: list[str]) -> None:
    assert list(owners(GITLAB, path, Syntax.GITLAB)) == expected


def test_gitlab_leaves_out_an_owner_that_it_cannot_read_and_keeps_the_others() -> None:
    text = "* @all\n/a @x bob\n/b bob\n[ ] @z\n[Name\n/[z-a] @x\n/[a @x\n"
    parsed = parse_codeowners(text, Syntax.GITLAB)
    assert owners(text, "a", Syntax.GITLAB) == ("@x",)
    assert owners(text, "b", Syntax.GITLAB) == ()
    assert list(invalid(parsed)) == [2, 3, 4, 5, 6, 7]


def test_an_entry_without_any_owner_says_so_and_leaves_its_files_without() -> None:
    text = "* @all\n/vendor/\n"
    assert owners(text, "vendor/x", Syntax.GITLAB) == ()
    assert "its files have none" in invalid(parse_codeowners(text, Syntax.GITLAB))[2]
    assert not parse_codeowners(text, Syntax.GITHUB).invalid


@pytest.mark.parametrize(
    ("url", "path", "text", "expected"),
    [
        ("https://github.com/acme/x", "CODEOWNERS", "[Docs] @a", Syntax.GITHUB),
        ("https://gitlab.acme.example/x", "CODEOWNERS", "* @a", Syntax.GITLAB),
        ("https://git.acme.example/x", "CODEOWNERS", "* @a", Syntax.GITHUB),
        ("", ".gitlab/CODEOWNERS", "* @a", Syntax.GITLAB),
        ("", "CODEOWNERS", "* @a\n^[Docs] @b\n", Syntax.GITLAB),
        ("", ".github/CODEOWNERS", "[Docs] @b", Syntax.GITHUB),
    ],
)
def test_the_address_tells_whose_rules_apply_and_else_the_file(
    url: str, path: str, text: str, expected: Syntax
) -> None:
    assert (forge_syntax(url) or file_syntax(path, text)) is expected


# --- Hostile files -------------------------------------------------------------------------------

LINES = st.lists(
    st.sampled_from(
        ["*", "/", "**", "a", "b.py", "?", "[", "]", "[a-b]", "!", "^", "\\", " ", "#", "@o", "x@y"]
    ),
    max_size=12,
).map("".join)


@pytest.mark.parametrize("syntax", Syntax)
@given(text=st.lists(LINES, max_size=8).map("\n".join), path=st.text("ab/.py[", min_size=1))
def test_any_text_is_read_and_every_line_is_a_rule_or_named_or_empty(
    syntax: Syntax, text: str, path: str
) -> None:
    parsed = parse_codeowners(text, syntax)
    compile_ownership("CODEOWNERS", parsed).of(path)
    lines = len(text.split("\n"))
    assert all(1 <= one.line <= lines for one in (*parsed.rules, *parsed.invalid))


@pytest.mark.parametrize("syntax", Syntax)
@pytest.mark.parametrize(
    "text",
    ["x " * 1_500_000, "\\" * 3_000_000, "[" * 3_000_000, "a@" * 1_500_000, "# x\n" * 700_000,
     "bad bad\n" * 390_000, "[a] @b\n" * 440_000, "\0\n" * 1_500_000],
    ids=["words", "backslashes", "brackets", "address", "comments", "invalid", "sections", "nul"],
)  # fmt: skip
def test_a_file_of_three_megabytes_is_read_or_refused(text: str, syntax: Syntax) -> None:
    """Some 0.7 s at most; in quadratic time the test would not end."""
    try:
        parsed = parse_codeowners(text, syntax)
    except TooManyRulesError:
        return
    assert len(parsed.invalid) <= OWNERS_INVALID_LINES


@pytest.mark.parametrize("text", ["x" * 3_000_000, "\\x" * 1_500_000], ids=["word", "escapes"])
def test_a_long_word_takes_little_memory(text: str) -> None:
    """It took 200 MB of every process that read it."""
    tracemalloc.start()
    try:
        parse_codeowners(text, Syntax.GITHUB)
        assert tracemalloc.get_traced_memory()[1] < 32_000_000
    finally:
        tracemalloc.stop()


def test_patterns_are_compiled_by_runs_of_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Character by character, 4,000 long patterns took three seconds."""
    calls: list[str] = []
    seen = patterns._part

    def counted(part: str, *, classes: bool) -> str:
        calls.append(part)
        return seen(part, classes=classes)

    monkeypatch.setattr(patterns, "_part", counted)
    assert github_pattern(f"/{'x' * 900}*y").regex == rf"\A{'x' * 900}[^/]*y(?:/|\z)"
    assert len(calls) == 3


def test_more_invalid_lines_than_are_counted_are_refused() -> None:
    parse_codeowners("a b\n" * OWNERS_RULES, Syntax.GITHUB)
    with pytest.raises(TooManyRulesError):
        parse_codeowners("a b\n" * (OWNERS_RULES + 1), Syntax.GITHUB)


def test_more_rules_than_are_read_decide_nothing() -> None:
    with pytest.raises(TooManyRulesError):
        parse_codeowners("/a @b\n" * (OWNERS_RULES + 1), Syntax.GITHUB)
    parsed = parse_codeowners("/a* @b\n" * (OWNERS_WILDCARD_RULES + 1), Syntax.GITHUB)
    with pytest.raises(TooComplexError):
        compile_ownership("CODEOWNERS", parsed)
