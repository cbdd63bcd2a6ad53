"""Each guard of outside software has a test with a harmless stand-in (CONTRIBUTING.md).

A guard is a module that ends what takes too long or too much. A new one fails here until it has a
row.
"""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
PACKAGES = ("aeterna_code_search", "central", "indexer")
_LIMIT = re.compile(
    r"LimitedProcess(?:es)?\(|limit_memory\(|RLIMIT_|ITIMER_PROF|GIT_COMMAND_SECONDS"
)
_LIMITS_THEMSELVES = {"indexer/limits.py"}

STAND_INS = {  # of each guard: the file of its test, the test
    "central/knowledge/matching.py": (
        "central/knowledge/test_policies.py",
        "test_a_file_that_takes_too_much_is_counted_and_hinders_no_other",
    ),
    "central/knowledge/rules.py": (
        "central/knowledge/test_rules.py",
        "test_a_rule_that_takes_too_much_is_refused_and_the_next_one_is_validated",
    ),
    "central/limited_process.py": (
        "central/test_limited_process.py",
        "test_a_request_that_uses_up_its_memory_ends_the_child_and_the_next_one_is_answered",
    ),
    "central/maintenance/backup.py": (
        "central/maintenance/test_hostile_archive.py",
        "test_a_reader_that_takes_too_much_memory_is_ended_and_changes_nothing",
    ),
    "central/onboarding/processes.py": (
        "central/onboarding/test_processes.py",
        "test_a_child_that_takes_too_much_memory_is_ended_and_the_limit_named",
    ),
    "central/search/exact/limited.py": (
        "central/search/exact/test_matching.py",
        "test_a_process_that_takes_too_much_is_given_up_and_the_next_file_is_read",
    ),
    "central/web/colouring.py": (
        "central/web/test_colouring.py",
        "test_a_text_that_takes_too_much_holds_nobody_s_interpreter",
    ),
    "central/web/colouring_child.py": (
        "central/web/test_colouring.py",
        "test_a_text_that_is_slow_all_over_keeps_the_colours_of_its_beginning",
    ),
    "aeterna_code_search/cli/output/highlighting.py": (
        "cli/output/test_search_results.py",
        "test_a_text_that_takes_too_long_is_shown_without_colours_and_says_why",
    ),
    "indexer/git/command.py": (
        "indexer/git/test_process_group.py",
        "test_a_git_that_does_not_end_is_ended_with_what_to_do",
    ),
    "indexer/pipeline/forkserver.py": (
        "indexer/pipeline/test_worker_pool.py",
        "test_a_file_that_takes_too_much_memory_is_skipped_and_the_limit_named",
    ),
    "indexer/process_group.py": (
        "indexer/git/test_command.py",
        "test_a_git_that_allocates_too_much_is_ended_and_the_limit_named",
    ),
}


def test_each_guard_names_its_stand_in() -> None:
    root = TESTS.parent
    modules = (module for package in PACKAGES for module in (root / package).rglob("*.py"))
    guards = {
        module.relative_to(root).as_posix()
        for module in modules
        if _LIMIT.search(module.read_text(encoding="utf-8"))
    }
    assert guards - _LIMITS_THEMSELVES == STAND_INS.keys()


@pytest.mark.parametrize("guard", STAND_INS)
def test_the_test_that_a_guard_names_is_there(guard: str) -> None:
    file, name = STAND_INS[guard]
    assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8")
