"""Shells: functions of the same file and of the files that a script sources."""

from typing import Any

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_LIBRARY = 'log-info() { echo "$@"; }\nretry() { "$@"; }\n'


def test_a_sourced_file_is_found_however_its_path_is_written(callers: Callers) -> None:
    sources = [
        "source ./lib/log.sh",
        '. "$(dirname "$0")/lib/log.sh"',
        'source "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/lib/log.sh"',
        '. "${BASH_SOURCE%/*}/lib/log.sh"',
        'source "$ROOT"/lib/log.sh',
        'HERE=${0%/*}\nsource "$HERE/lib/log.sh"',
        "setup() { source lib/log.sh; }",
    ]
    files = {f"run{at}.sh": f"{text}\nlog-info x\n" for at, text in enumerate(sources)}
    repository("ops", {"lib/log.sh": _LIBRARY, **files})
    assert callers("log-info") == [
        f"ops/run{at}.sh:{3 if at == 5 else 2} <module> high" for at in range(len(sources))
    ]


def test_what_only_looks_like_the_function_is_none(callers: Callers) -> None:
    repository(
        "ops",
        {
            "lib/log.sh": _LIBRARY,
            "other.sh": "retry a\n",
            "run.sh": """
                bash lib/log.sh
                retry b
                echo source lib/log.sh
            """,
            "main.sh": """
                source "$HOME/lib/log.sh"
                source "$(brew --prefix)/lib/log.sh"
                source "lib/$NAME.sh"
                retry c
            """,
            "words.sh": """
                . lib/log.sh
                command retry d
                echo retry "retry" 'retry'
                sudo retry
                cat <<'END'
                $(retry e)
                END
            """,
            "retry.c": "int retry(int x);\nint main(void) { return retry(1); }\n",
            "retry.lua": "retry()\n",
        },
    )
    assert callers("retry") == []


def test_a_function_is_called_wherever_a_command_stands(callers: Callers) -> None:
    repository(
        "ops",
        {
            "lib/a.sh": _LIBRARY,
            "bin/run": """\
                #!/bin/sh
                . "$(dirname "$0")/../lib/a.sh"
                x=$(retry) || ! retry
                if retry; then retry & fi
                FLAG=1 retry | retry
                trap retry EXIT
                cat <<END
                $(retry)
                END
                time retry
            """,
        },
    )
    lines = [3, 3, 4, 4, 5, 5, 6, 8, 10]
    assert callers("retry") == [f"ops/bin/run:{line} <module> high" for line in lines]


def test_a_function_of_the_file_is_called_before_it_stands_there(callers: Callers) -> None:
    repository(
        "ops",
        {
            "lib/log.sh": _LIBRARY,
            "main.sh": """
                source lib/log.sh
                main() { retry 1; acme::inner; }
                function retry { acme::inner; }
                acme::inner() { :; }
                main
            """,
        },
    )
    assert callers("retry", file="main.sh") == ["ops/main.sh:3 main high"]
    assert callers("retry", file="lib/log.sh") == []
    assert callers("acme::inner") == ["ops/main.sh:3 main high", "ops/main.sh:4 retry high"]


def test_a_file_is_sourced_through_another_one(callers: Callers) -> None:
    repository(
        "ops",
        {
            "lib/log.sh": _LIBRARY,
            "lib/all.sh": 'source "${BASH_SOURCE%/*}/log.sh"\n',
            "main.sh": "source lib/all.sh\nretry a\n",
        },
    )
    assert callers("retry") == ["ops/main.sh:2 <module> high"]


def test_of_several_files_the_nearest_is_meant(callers: Callers) -> None:
    repository(
        "ops",
        {
            "a/lib/log.sh": _LIBRARY,
            "b/lib/log.sh": _LIBRARY,
            "a/main.sh": 'source "$ROOT/lib/log.sh"\nretry a\n',
            "main.sh": 'source "$ROOT/lib/log.sh"\nretry b\n',
        },
    )
    assert callers("retry", file="a/lib/log.sh") == ["ops/a/main.sh:2 <module> medium"]
    assert callers("retry", file="b/lib/log.sh") == []


def test_a_file_may_be_named_where_it_is_installed(callers: Callers) -> None:
    repository(
        "ops",
        {
            "src/scripts/log.sh": _LIBRARY,
            "main.sh": ". /usr/local/lib/scripts/log.sh\nretry a\n",
            "x/other.sh": "retry() { :; }\n",
            "y/other.sh": "retry() { :; }\n",
            "more.sh": ". /usr/local/lib/other.sh\nretry b\n",
        },
    )
    assert callers("retry", file="src/scripts/log.sh") == ["ops/main.sh:2 <module> medium"]
    assert callers("retry", file="x/other.sh") == []


def test_tests_load_a_file_without_its_suffix_and_run_its_functions(callers: Callers) -> None:
    repository(
        "ops",
        {
            "test/helper.bash": _LIBRARY,
            "test/a.bats": """
                load helper

                @test "retries" {
                  run retry a
                }
            """,
        },
    )
    assert callers("retry") == ["ops/test/a.bats:5 <module> high"]


def test_a_command_that_no_visible_function_is_named_is_a_program(ask: Any) -> None:
    repository(
        "ops",
        {
            "lib/log.sh": _LIBRARY,
            "other.sh": "retry a\n",
            "main.sh": "source lib/log.sh\nretry b\n",
        },
    )
    answer = ask("callers", symbol="retry").json()
    assert [one["file"] for one in answer["callers"]] == ["main.sh"]
    assert answer["receipt"]["unresolved"]["count"] == 0
    assert answer["receipt"]["elsewhere"]["count"] == 1


def test_what_a_subshell_defines_holds_there_alone(callers: Callers) -> None:
    repository(
        "ops",
        {
            "lib/log.sh": _LIBRARY,
            "run.sh": """
                source lib/log.sh
                (
                    retry() { :; }
                    retry inside
                )
                retry outside
            """,
        },
    )
    assert callers("retry", file="lib/log.sh") == ["ops/run.sh:7 <module> high"]
    assert callers("retry", file="run.sh") == ["ops/run.sh:5 <module> high"]


def test_a_path_begins_where_the_script_has_changed_to(callers: Callers) -> None:
    source = "source log.sh\nretry x\n"
    repository(
        "ops",
        {
            "log.sh": _LIBRARY,
            "bin/log.sh": _LIBRARY,
            "bin/up.sh": f"cd .. || exit\n{source}",
            "bin/here.sh": f'cd "$(dirname "$0")"\n{source}',
            "bin/inside.sh": f"(cd .. && make)\n{source}",
        },
    )
    assert callers("retry", file="log.sh") == ["ops/bin/up.sh:3 <module> high"]
    assert callers("retry", file="bin/log.sh") == [
        "ops/bin/here.sh:3 <module> high",
        "ops/bin/inside.sh:3 <module> high",
    ]
