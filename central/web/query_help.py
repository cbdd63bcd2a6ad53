"""What the help page says of the query language: the tables of docs/reference/query.md. Pure.

tests/central/web/test_query_help.py compares both with each other and with the parser. Text
between backticks is code.
"""

from typing import Final, NamedTuple

from central.query import filters


class Term(NamedTuple):
    """A kind of term, an example of it, and what it means."""

    name: str
    example: str
    meaning: str


class FilterTerm(NamedTuple):
    """A filter, its other names, and its values; `example` is for the page alone."""

    name: str
    others: str
    value: str
    example: str


TERMS: Final = (
    Term("word", "`retry`", "a word of the question; it restricts nothing"),
    Term(
        "literal",
        '`"exact words"`',
        r"the file contains this text; `\"` is a quote, `\\` a backslash",
    ),
    Term(
        "regular expression",
        r"`/func (New|Make)\w+/`",
        r"the file contains a match; the syntax is RE2's; `^` and `$` are the beginning and the "
        r"end of a line, which may end with CRLF; `\/` is a slash",
    ),
    Term("filter", "`repo:flask`", "see below"),
    Term(
        "negation",
        '`-repo:flask`, `-"x"`, `-/x/`, `-(…)`, `NOT repo:flask`',
        "must not be so",
    ),
    Term("negated word", "`-legacy`", "the file does not contain the literal `legacy`"),
)
FILTERS: Final = tuple(
    FilterTerm(
        f"`{name}:`",
        ", ".join(f"`{other}:`" for other in filter_help.also),
        filter_help.value,
        filter_help.example,
    )
    for name, filter_help in filters.FILTERS.items()
)
MODES: Final = (
    Term("literal", "", "one literal, with its quotes and parentheses"),
    Term("regex", "", "one regular expression; slashes need no backslash"),
    Term(
        "structural",
        "",
        "one pattern for ast-grep, unchanged. Filters are read only before and after it",
    ),
)
EXAMPLES: Final = (
    ('lang:go "context.WithTimeout" retry with backoff', "Literal and question together"),
    ('"connection timed out"', "Exact words"),
    (r"/raise \w+Error/", "A regular expression"),
    ('("timeout" OR "deadline") -file:test', "One or the other, not in tests"),
    ('file:*.go -file:*_test.go "func New"', "In some files and not in others"),
    ("type:file retry", "Files by their path"),
    ("type:commit retry failed requests after:2w", "Commits of the last two weeks"),
    ('type:diff "MAX_RETRIES"', "Lines that commits added or removed"),
    (r"\-O2", "An option: the backslash makes the minus ordinary"),
)
RULES: Final = (
    "Terms beside each other must all be true. `OR` is one or the other, and binds weaker. "
    "Operators (`OR`, `AND`, `NOT`) are in capitals, or beside filters and quoted texts.",
    "A stack trace, an error message and a place such as `src/app.py:12` may be pasted as they "
    "are, and find their lines.",
    "Without `case:`, a term that has no upper-case letter matches both cases. A term that has "
    "one matches exactly.",
    "There is no space after a filter's colon. A value with spaces is quoted: "
    '`file:"release notes"`.',
    "A value with `*`, `?` or `[` is a glob. It ends at the path's end: `file:*.py`, "
    "`file:src/*.go`.",
    'A backslash makes the next `"`, `/`, `(`, `)`, `-`, `:` or `\\` ordinary: `repo\\:x`.',
)
