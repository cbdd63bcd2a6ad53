"""Pasted traces, places and errors find lines; a quoted text that is nowhere finds nothing."""

from typing import Any

import pytest
from django.db import connection

from aeterna_code_search.contract.search import (
    Confidence,
    Mode,
    ReadAs,
    SearchAnswer,
    SearchRequest,
)
from central.repositories.models import Repository
from central.search import frame_results, service
from central.search.frame_results import STACK_FILES_OF_TAIL, files_ending
from central.tenancy.models import Organization
from tests.central.factories import FileFactory, RepositoryFactory
from tests.central.plans import MODES, rows_handled, statements_sent
from tests.central.search.conftest import Search
from tests.central.search.corpus import credential_for, index_repository, organization_of

TRACE = """Traceback (most recent call last):
  File "/srv/app/src/auth/middleware.py", line 13, in authenticate
    claims = validate_token(token)
  File "/srv/app/src/auth/tokens.py", line 9, in validate_token
    return jwt.decode(token, KEY)
  File "/usr/lib/python3.11/site-packages/jwt/api_jwt.py", line 3, in decode
  File "/usr/lib/python3.11/site-packages/other/tokens.py", line 3, in other
jwt.exceptions.DecodeError: Not enough segments"""
LINES = [
    ("auth-service", "src/auth/tokens.py", 9, "validate_token"),
    ("auth-service", "src/auth/middleware.py", 13, "authenticate"),
]


def lines_of(answer: SearchAnswer) -> list[tuple[str, str, int, str]]:
    return [(row.project, row.file, row.start_line, row.name) for row in answer.results]


@pytest.mark.parametrize("line_break", ["\n", " "])
def test_a_trace_finds_the_lines_of_its_frames_the_innermost_first(
    find: Search, line_break: str
) -> None:
    answer = find(TRACE.replace("\n", line_break))
    assert lines_of(answer) == LINES
    first = answer.results[0]
    assert [(line.line, line.text.strip()) for line in first.lines] == [
        (9, 'return jwt.decode(token, KEY, algorithms=["RS256"])')
    ]
    assert [line.line for line in first.context] == [6, 7, 8, 10, 11, 12]
    assert first.commit.startswith("c0ffee")
    assert answer.confidence is Confidence.STRONG
    assert answer.reading
    assert answer.reading.read_as is ReadAs.STACK_TRACE
    assert (answer.reading.frames, answer.reading.elsewhere) == (4, 2)
    assert "2 frames of 4 are in no indexed repository" in answer.reading.text
    scores = [row.score for row in answer.results]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        ("at readToken (webpack:///./src/token.ts:3:4)", ("src/token.ts", 3)),
        ("at async chargeCard (file:///app/dist/src/checkout.ts:4:20)", ("src/checkout.ts", 4)),
        ("/go/src/internal/ledger/ledger.go:5 +0x1d", ("internal/ledger/ledger.go", 5)),
        ('File "/app/tokens.py", line 9, in validate_token', ("src/auth/tokens.py", 9)),
        ("payments-api/src/token.ts:3", ("src/token.ts", 3)),
        ("token.ts:3:1: error TS2304: Cannot find name", ("src/token.ts", 3)),
        ("https://github.com/acme/payments-api/blob/main/src/token.ts#L3", ("src/token.ts", 3)),
    ],
)
def test_one_frame_or_place_finds_its_line(find: Search, frame: str, line: tuple[str, int]) -> None:
    assert (find(frame).results[0].file, find(frame).results[0].start_line) == line


def test_a_trace_of_pytest_that_begins_with_a_place_is_a_trace(find: Search) -> None:
    answer = find(
        "src/auth/middleware.py:13: in authenticate\n    claims = validate_token(token)\n"
        "src/auth/tokens.py:9: in validate_token\n    return jwt.decode(token, KEY)\n"
    )
    assert lines_of(answer) == LINES


def test_a_name_alone_is_a_file_only_if_it_defines_the_function(find: Search) -> None:
    answer = find('File "/app/other/tokens.py", line 9, in no_such_function')
    assert answer.reading
    assert answer.reading.elsewhere == answer.reading.frames == 1
    assert "none of its frames is in an indexed repository" in answer.reading.text
    assert answer.confidence is not Confidence.STRONG or not answer.results[0].lines


@pytest.mark.parametrize(
    ("frame", "line", "note"),
    [
        ('File "/srv/src/auth/tokens.py", line 16, in validate_token', 6, "is not in validate_tok"),
        ('File "/srv/src/auth/tokens.py", line 900, in gone', 17, "There is no line 900"),
        ('File "/srv/src/auth/tokens.py", line 9, in validate_token', 9, ""),
        ('File "/srv/src/auth/tokens.py", line 16, in gone', 16, ""),
    ],
)
def test_a_line_that_moved_is_said_and_the_function_is_shown(
    find: Search, frame: str, line: int, note: str
) -> None:
    result = find(frame).results[0]
    assert (result.file, result.start_line) == ("src/auth/tokens.py", line)
    assert bool(result.note) is bool(note)
    assert note in result.note


def test_java_frames_are_found_by_package_and_the_cause_comes_first(
    acme: Organization, find: Search
) -> None:
    java = "package com.acme;\n\nclass {0} {{\n    void {1}() {{\n        x();\n    }}\n}}\n"
    index_repository(
        acme,
        "shop",
        {
            "app/src/main/java/com/acme/Foo.java": java.format("Foo", "bar"),
            "app/src/main/java/com/acme/Bar.java": java.format("Bar", "baz"),
            "lib/src/main/java/org/other/Foo.java": java.format("Foo", "bar"),
        },
    )
    answer = find(
        "java.lang.IllegalStateException: outer\n\tat com.acme.Foo.bar(Foo.java:5)\n"
        "\tat java.base/java.lang.Thread.run(Thread.java:9)\n"
        "Caused by: java.io.IOException: inner\n\tat com.acme.Bar.baz(Bar.java:5)\n\t... 1 more"
    )
    assert [row.file for row in answer.results] == [
        "app/src/main/java/com/acme/Bar.java",
        "app/src/main/java/com/acme/Foo.java",
    ]


def test_of_files_that_are_as_likely_those_of_one_repository_are_taken(
    acme: Organization, find: Search
) -> None:
    code = "def handle():\n    return 1\n"
    index_repository(acme, "a-copy", {"app/util/log.py": code})
    index_repository(acme, "z-shop", {"app/util/log.py": code, "app/web/cart.py": code})
    frame = '  File "/srv/app/{0}.py", line 2, in handle\n'
    answer = find(
        f"Traceback (most recent call last):\n{frame.format('web/cart')}{frame.format('util/log')}"
    )
    assert [(row.project, row.file) for row in answer.results] == [
        ("z-shop", "app/util/log.py"),
        ("z-shop", "app/web/cart.py"),
        ("a-copy", "app/util/log.py"),
    ]


def test_frames_of_installed_packages_come_after_those_of_the_organisation(
    acme: Organization, find: Search
) -> None:
    code = "def decode():\n    raise KeyError\n"
    index_repository(acme, "pyjwt", {"jwt/api_jwt.py": code})
    answer = find(TRACE)
    assert lines_of(answer)[:2] == LINES
    assert [row.project for row in answer.results] == ["auth-service"] * 2 + ["pyjwt"]


@pytest.mark.parametrize(
    ("project", "path", "frame"),
    [
        ("Slim", "Slim/App.php", "#0 /var/www/vendor/slim/slim/Slim/App.php(2): Slim\\App->run()"),
        ("pflag", "flag.go", "\t/app/vendor/github.com/spf13/pflag/flag.go:2 +0x1d"),
        ("web", "axum/src/routing/mod.rs", "at /usr/local/cargo/registry/src/"
         "index.crates.io-6f17d22bba15001f/axum-0.7.5/src/routing/mod.rs:2:13"),
        ("rails", "activerecord/lib/active_record/base.rb", "from /usr/lib/ruby/gems/3.2.0/gems/"
         "activerecord-7.1.2/lib/active_record/base.rb:2:in `find'"),
    ],
)  # fmt: skip
def test_a_file_of_an_installed_package_is_found_in_the_packages_repository(
    acme: Organization, find: Search, project: str, path: str, frame: str
) -> None:
    index_repository(acme, project, {path: "a\nb\n"})
    index_repository(acme, "other", {path.rpartition("/")[2]: "a\nb\n"})
    assert [(row.project, row.file) for row in find(frame).results] == [(project, path)]


def test_a_file_of_which_the_name_alone_is_known_comes_last(
    acme: Organization, find: Search
) -> None:
    code = "def response\n  raise LintError\nend\n"
    index_repository(acme, "rack", {"lib/rack/lint.rb": code, "test/rackup/config.ru": "run 1\n"})
    answer = find(
        "/usr/lib/ruby/gems/3.2.0/gems/rack-3.0.8/lib/rack/lint.rb:2:in `response': no (LintError)"
        "\n\tfrom config.ru:1:in `<main>'"
    )
    assert [row.file for row in answer.results] == ["lib/rack/lint.rb", "test/rackup/config.ru"]


def test_filters_of_the_request_apply_to_frames(find: Search) -> None:
    assert [row.file for row in find(TRACE, exclude="middleware").results] == ["src/auth/tokens.py"]
    assert lines_of(find(TRACE, limit=1)) == LINES[:1]
    other = find(TRACE, include_projects=("payments-api",))
    assert {row.project for row in other.results} <= {"payments-api"}


def test_only_visible_repositories_are_in_a_trace_or_its_counts(acme: Organization) -> None:
    hidden = organization_of("rival")
    index_repository(hidden, "auth-service", {"src/auth/tokens.py": "def validate_token(): 1\n"})
    request = SearchRequest(queries=(TRACE,))
    answer = service.search(credential=credential_for(acme, {"payments-api"}), request=request)
    assert not [row for row in answer.results if row.file.startswith("src/auth")]
    assert answer.reading
    assert answer.reading.frames == answer.reading.elsewhere == 4
    assert {row.project for row in service.search(
        credential=credential_for(acme), request=request).results} == {"auth-service"}  # fmt: skip


@pytest.mark.parametrize("mode", [Mode.LITERAL, Mode.REGEX, Mode.LEXICAL, Mode.SEMANTIC])
def test_other_modes_read_no_trace(find: Search, mode: Mode) -> None:
    assert find("src/auth/tokens.py:9", mode=mode).reading is None


# --- Error messages -----------------------------------------------------------------------------


@pytest.fixture
def messages(acme: Organization) -> Repository:
    return index_repository(
        acme,
        "pool",
        {
            "pool.py": 'def connect(name, seconds):\n    raise PoolError(f"connection to {name!r} '
            'failed: timeout after {seconds}s")\n',
            "path.rs": 'fn bad() -> &str { "Invalid URL" }\n',
            "url.py": 'raise MissingSchema(\n    f"Invalid URL {url!r}: No scheme supplied. "\n'
            '    f"Perhaps you meant https://{url}?"\n)\nfail(f"Got an extra argument ({args})")\n',
            "read.go": 'package read\n\nvar a = fmt.Errorf("open the settings: %w", err)\n',
        },
    )


@pytest.mark.parametrize(
    ("text", "file", "parts"),
    [
        ('PoolError: connection to "db-1" failed: timeout after 30s', "pool.py",
         ["connection to", "failed: timeout after"]),
        ("2026-11-30 09:12:22 ERROR connection to 'x' failed: timeout after 3s", "pool.py",
         ["connection to", "failed: timeout after"]),
        ("error: open the settings: no such file or directory: /etc/x", "read.go",
         ["open the settings"]),
        ("url.MissingSchema: Invalid URL 'x': No scheme supplied. Perhaps you meant https://x?",
         "url.py", ["No scheme supplied"]),
        ("UsageError: Got an extra argument (foo)", "url.py", ["Got an extra argument"]),
    ],
)  # fmt: skip
def test_an_error_finds_the_line_with_its_fixed_parts(
    messages: Repository, find: Search, text: str, file: str, parts: list[str]
) -> None:
    answer = find(text)
    assert answer.results[0].file == file
    assert answer.reading
    assert (answer.reading.read_as, answer.reading.parts) == (ReadAs.ERROR_MESSAGE, parts)
    assert [row.file for row in find(answer.reading.query).results] == [file]


def test_a_message_behind_a_place_that_is_nowhere_is_read_as_an_error(
    messages: Repository, find: Search
) -> None:
    answer = find('src/no_such.py:9: error: connection to "x failed: timeout after 3s')
    assert answer.reading
    assert answer.reading.read_as is ReadAs.ERROR_MESSAGE
    assert answer.results[0].file == "pool.py"
    assert find("src/no_such.py:9").reading is None


def test_an_error_whose_text_is_nowhere_is_searched_by_its_words(find: Search) -> None:
    answer = find('AuthError: "user 17" cannot validate the token of 10.0.0.7')
    assert answer.reading
    assert answer.reading.parts == []
    assert answer.reading.query == "AuthError cannot validate the token of"
    assert answer.results
    assert answer.next_cursor is None


# --- A quoted text that is nowhere --------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    ['"validate the signature of a JWT"', 'how to "verify the signature of a JWT"',
     '-file:test "validate the signature of a JWT"'],
)  # fmt: skip
def test_a_quoted_text_that_is_nowhere_has_no_results_and_an_answer_by_words(
    find: Search, query: str
) -> None:
    answer = find(query)
    assert (answer.count, answer.results, answer.next_cursor) == (0, [], None)
    assert answer.total is None or answer.total.files == 0
    assert answer.instead
    assert answer.instead.results[0].name == "validate_token"
    assert 0 < len(answer.instead.results) <= 5
    assert not any(row.file.startswith("tests/") for row in answer.instead.results[:1])


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ('"AKIA0123456789ABCDEF"', {}),  # a key that leaked nowhere
        ('"jwt.decode"', {}),
        ("/no such (thing|text)/", {}),
        ("validate the signature of a JWTs", {"mode": Mode.LITERAL}),
        ('type:file "verify the signature of a JWT"', {}),
        ("-validate_token file:no_such", {}),
    ],
)
def test_no_answer_by_words_where_none_is_asked_for(
    find: Search, query: str, options: dict[str, Any]
) -> None:
    assert find(query, **options).instead is None


def test_the_answer_by_words_keeps_the_filters(find: Search) -> None:
    answer = find('repo:payments-api "validate the signature of a JWT token"')
    assert answer.count == 0
    if answer.instead:
        assert {row.project for row in answer.instead.results} == {"payments-api"}


# --- Questions for callers ----------------------------------------------------------------------


def test_who_calls_a_name_offers_the_trace(find: Search) -> None:
    hint = find("who calls validate_token?").hint or ""
    assert "code_trace_callers" in hint
    assert "`codesearch trace callers validate_token`" in hint
    assert "trace" not in (find("who calls no_such_name").hint or "")


# --- Cost ---------------------------------------------------------------------------------------

_CREATE = """INSERT INTO corpus_file (repository_id, path, mode, blob, size, extractor, language,
        skipped, degraded, content, namespace)
    SELECT %s, 'src/part_' || n || '/' || %s, '100644', '', 1, '', 'python', '', '', '', ''
    FROM generate_series(1, 5000) AS n"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("has_statistics", [False, True])
def test_files_are_found_by_the_ends_of_their_paths_in_an_index(
    db: None, mode: str, has_statistics: bool
) -> None:
    ours, theirs = RepositoryFactory.create(), RepositoryFactory.create()
    with connection.cursor() as cursor:
        cursor.execute(_CREATE, [ours.pk, "values.py"])
        cursor.execute(_CREATE, [theirs.pk, "tokens.py"])
        if has_statistics:
            cursor.execute("ANALYZE corpus_file")
    assert len(files_ending(["values.py"], repositories=[ours.pk])["values.py"]) == (
        STACK_FILES_OF_TAIL
    )
    tails = [f"part_{n}/{name}" for n in range(40) for name in ("values.py", "tokens.py", "x.py")]
    with statements_sent() as sent:
        found = files_ending(tails, repositories=[ours.pk])
    assert {tail: [file.path for file in files] for tail, files in found.items()} == {
        f"part_{n}/values.py": [f"src/part_{n}/values.py"] for n in range(1, 40)
    }
    assert len(sent) == 2
    assert sum(rows_handled(one, mode) for one in sent) < 10 * len(tails)


def test_other_tenants_files_of_the_same_name_hide_none(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A service of thousands of repositories has thousands of `main.go`."""
    ours, theirs, others = (RepositoryFactory.create() for _ in range(3))
    for repository in (theirs, others, ours):
        FileFactory.create(repository=repository, path="main.go")
    monkeypatch.setattr(frame_results, "STACK_ROWS_OF_TAIL", 2)
    found = files_ending(["main.go", "cmd/main.go"], repositories=[ours.pk])
    assert [(one.repository, one.path) for one in found["main.go"]] == [(ours.pk, "main.go")]
    assert "cmd/main.go" not in found


def test_a_test_that_quotes_a_message_is_shown_only_if_nothing_else_may_make_it(
    find: Search,
) -> None:
    quoting = {"tests/test_jar.py": 'MESSAGE = "Sealed jars must be dated, but was NaN"\n'}
    index_repository(organization_of("acme"), "quoting", quoting)
    message = "ValueError: Sealed jars must be dated, but was NaN"
    assert [row.file for row in find(message).results] == ["tests/test_jar.py"]
    making = {"jar.py": 'raise ValueError("Sealed jars must be dated, but was " + date)\n'}
    index_repository(organization_of("acme"), "making", making)
    assert find(message).results[0].file == "jar.py"
