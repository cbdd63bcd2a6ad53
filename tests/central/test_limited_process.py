"""A child of limited processor time and memory, with an environment of its own."""

import json
import os
from collections.abc import Iterator

import pytest

from central import limited_process
from central.limited_process import (
    ChildEndedError,
    LimitedProcess,
    LimitedProcesses,
    LimitExceededError,
    MemoryExceededError,
)
from tests.central import limited_child

SYNTAX = ["syntax", ["f(1)"], 0, "python"]


@pytest.fixture
def process() -> Iterator[LimitedProcess]:
    made = LimitedProcess(limited_child.NAME, cpu_seconds=1.0, seconds=60)
    yield made
    made.close()


def test_a_request_that_uses_up_its_processor_time_ends_the_child_and_the_next_one_is_answered(
    process: LimitedProcess,
) -> None:
    with pytest.raises(LimitExceededError) as caught:
        process.ask([limited_child.SPIN])
    assert not isinstance(caught.value, MemoryExceededError)
    assert process.pid is None
    assert process.ask(SYNTAX) is True


def test_a_request_that_uses_up_its_memory_ends_the_child_and_the_next_one_is_answered(
    process: LimitedProcess,
) -> None:
    for _ in range(2):
        with pytest.raises(MemoryExceededError):
            process.ask([limited_child.ALLOCATE])
        assert process.ask(SYNTAX) is True


def test_native_code_that_aborts_for_lack_of_memory_is_taken_for_that(
    process: LimitedProcess,
) -> None:
    with pytest.raises(MemoryExceededError):
        process.ask([limited_child.ABORT])


def test_a_child_that_does_not_answer_in_time_is_killed() -> None:
    process = LimitedProcess(limited_child.NAME, cpu_seconds=60, seconds=0.2)
    with pytest.raises(ChildEndedError):
        process.ask([limited_child.SLEEP])
    assert process.pid is None


def test_an_answer_has_a_bound(process: LimitedProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(process.ask([limited_child.FLOOD])) > 1_000_000
    monkeypatch.setattr(limited_process, "CHILD_ANSWER_BYTES", 1_000_000)
    with pytest.raises(ChildEndedError):
        process.ask([limited_child.FLOOD])


def test_the_environment_has_nothing_of_the_service(
    process: LimitedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = ("DATABASE_URL", "AETERNA_SECRET_KEY", "QDRANT_API_KEY", "OPENAI_API_KEY", "HOME")
    for name in secrets:
        monkeypatch.setenv(name, "a secret")
    monkeypatch.setenv("LANG", "en_GB.UTF-8")
    found = process.ask([limited_child.ENVIRONMENT])
    assert "a secret" not in json.dumps(found)
    assert found["LANG"] == "en_GB.UTF-8"
    assert found.keys() <= {
        *("PATH", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONPATH"),
        "OPENBLAS_NUM_THREADS",
    }


def test_it_is_no_process_of_the_parent_s_group(process: LimitedProcess) -> None:
    process.ask(SYNTAX)
    assert process.pid is not None
    assert os.getpgid(process.pid) != os.getpgid(0)


def test_processes_are_lent_for_one_request_each() -> None:
    processes = LimitedProcesses(limited_child.NAME, 1, cpu_seconds=1.0, seconds=60)
    with pytest.raises(LimitExceededError):
        processes.ask([limited_child.SPIN], caller="one")
    assert processes.ask(SYNTAX, caller="another") is True


def test_who_finds_no_free_process_is_told_so() -> None:
    processes = LimitedProcesses(limited_child.NAME, 0, cpu_seconds=1.0, seconds=0.01)
    with pytest.raises(TimeoutError):
        processes.ask(SYNTAX, caller="one")
