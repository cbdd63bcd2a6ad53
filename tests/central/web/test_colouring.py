"""Colours from a process that hostile text ends, and nothing else with it."""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from time import thread_time

import pytest

from central.web.colouring import (
    BUSY,
    TOO_LONG,
    TOO_SLOW,
    TOO_SLOW_FROM_HERE,
    Colouring,
    ColouringBusyError,
    Pieces,
    coloured,
)
from central.web.highlighting import listing
from indexer.languages.registry import FILENAMES, INTERPRETERS, SUFFIXES
from indexer.limits import COLOURED_CHARACTERS

LANGUAGES = sorted(
    {one.name for table in (SUFFIXES, FILENAMES, INTERPRETERS) for one in table.values()}
)
ENDLESS = ("ini", "=" * COLOURED_CHARACTERS)  # one match of minutes
SLOW = ("c", "int x; " + "//" * 6_000)  # many matches, each of which looks at all that follows
HOSTILE = (
    "a", " ", "\t", "\n", "\\", '"', "'", "`", "(", "[", "{", "<", "/", "*", "/*", "${", "#", "=",
    "-", ".", ":", "%", "@", "!", "|", ",", "_", "~", "\\\"", "<a ", "<!--", "<<A\n", 'r#"', "a(",
    "a<", "[a", "{%", "x::", "**a", "![", "](", "1e", "=a\n ",
)  # fmt: skip


@pytest.fixture
def colouring() -> Iterator[Colouring]:
    """One of its own, which does not pause."""
    made = Colouring(pause_seconds=0)
    yield made
    made.close()


def text_of(code: str, pieces: Pieces) -> str:
    starts = [0, *pieces.ends[:-1]]
    return "".join(code[start:end] for start, end in zip(starts, pieces.ends, strict=True))


def test_one_match_without_end_holds_nobody_s_interpreter(colouring: Colouring) -> None:
    language, code = ENDLESS
    started = thread_time()
    pieces = colouring.pieces(code, language)
    assert thread_time() - started < 0.1
    assert pieces.note == TOO_SLOW
    assert text_of(code, pieces) == code
    assert colouring.pid is None  # the kernel ended it


def test_a_text_that_is_slow_all_over_keeps_the_colours_of_its_beginning(
    colouring: Colouring,
) -> None:
    language, code = SLOW
    pieces = colouring.pieces(code, language)
    assert pieces.note == TOO_SLOW_FROM_HERE
    assert pieces.classes[0] == "k"
    assert text_of(code, pieces) == code


def test_the_next_text_has_colours_again(colouring: Colouring) -> None:
    language, code = ENDLESS
    colouring.pieces(code, language)
    assert colouring.pieces("if x: pass", "python").classes.startswith("k")


def test_after_a_text_that_was_given_up_there_is_a_pause() -> None:
    colouring = Colouring(cpu_seconds=0.05, pause_seconds=3600)
    language, code = ENDLESS
    assert colouring.pieces(code, language).note == TOO_SLOW
    with pytest.raises(ColouringBusyError):
        colouring.pieces("if x: pass", "python")
    assert colouring.pid is None


def test_a_process_that_does_not_answer_is_killed() -> None:
    colouring = Colouring(cpu_seconds=3600, seconds=0.5, pause_seconds=0)
    language, code = ENDLESS
    with pytest.raises(ColouringBusyError):
        colouring.pieces(code, language)
    assert colouring.pid is None


def test_who_killed_it_finds_another(colouring: Colouring) -> None:
    colouring.pieces("x", "python")
    assert colouring.pid is not None
    os.kill(colouring.pid, signal.SIGKILL)
    with pytest.raises(ColouringBusyError):
        colouring.pieces("if x: pass", "python")
    assert colouring.pieces("if x: pass", "python").classes.startswith("k")


def test_threads_share_it_and_each_gets_its_own_answer(colouring: Colouring) -> None:
    found: dict[int, Pieces] = {}

    def ask(number: int) -> None:
        found[number] = colouring.pieces("#" * (number + 1), "python")

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {number: list(one.ends) for number, one in found.items()} == {
        number: [number + 1] for number in range(20)
    }


def test_it_ends_with_its_parent_even_in_the_middle_of_a_match() -> None:
    """The parent is killed while the match runs: there is nobody left to end it but the kernel."""
    program = (
        "import sys, threading\n"
        "from central.web.colouring import Colouring\n"
        "colouring = Colouring(cpu_seconds=1, seconds=3600)\n"
        "colouring.pieces('x', 'ini')\n"
        "threading.Thread(target=colouring.pieces, args=('=' * 100_000, 'ini')).start()\n"
        "print(colouring.pid, flush=True)\n"
        "threading.Event().wait(600)\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert parent.stdout is not None
    child = os.pidfd_open(int(parent.stdout.readline()))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    ended, _, _ = select.select([child], [], [], 60)
    os.close(child)
    assert ended


@pytest.fixture(scope="module")
def hasty() -> Iterator[Colouring]:
    """One that gives up soon."""
    made = Colouring(cpu_seconds=0.03, pause_seconds=0)
    yield made
    made.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_a_lexer_is_fed_is_shown_and_costs_its_reader_nothing(
    language: str, hasty: Colouring
) -> None:
    """Of 56 languages 40 have a lexer that 20,000 characters of one of these hold for 0.3 s.

    A process that went on after its time would be killed as one that hangs: an error here.
    """
    for units in (HOSTILE[::3], HOSTILE[1::3], HOSTILE[2::3]):
        code = "".join(f"{(unit * 1_500)[:1_500]}\nx = 1\n" for unit in units)
        started = thread_time()
        pieces = hasty.pieces(code, language)
        assert thread_time() - started < 0.1
        assert text_of(code, pieces) == code


def test_a_longer_text_is_not_coloured_and_says_so() -> None:
    code = "if x: pass\n" * (COLOURED_CHARACTERS // 11 + 1)
    assert coloured(code, "python").note == TOO_LONG


def test_a_snippet_that_was_given_up_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    colouring = Colouring(cpu_seconds=0.003, pause_seconds=0)
    monkeypatch.setattr("central.web.colouring._colouring", colouring)
    code = "=" * 4_499 + "!"  # 0.3 s: a timer of 3 ms may be late by some
    assert coloured(code, "ini").note == TOO_SLOW
    colouring.close()
    assert coloured(code, "ini").note == TOO_SLOW
    assert colouring.pid is None


def test_what_is_busy_now_has_colours_later(monkeypatch: pytest.MonkeyPatch) -> None:
    colouring = Colouring(cpu_seconds=0.05, pause_seconds=3600)
    monkeypatch.setattr("central.web.colouring._colouring", colouring)
    language, code = ENDLESS
    coloured(code, language)
    assert coloured("busy = 1", "python").note == BUSY
    other = Colouring()
    monkeypatch.setattr("central.web.colouring._colouring", other)
    assert coloured("busy = 1", "python").note == ""
    other.close()


def test_one_line_of_many_pieces_takes_a_time_that_grows_with_it() -> None:
    """Lines were put together by `+=`: one of 100,000 characters copied gigabytes."""
    code = "1,a " * (COLOURED_CHARACTERS // 4)
    started = thread_time()
    listing(code, language="json")
    assert thread_time() - started < 2


def test_the_process_is_not_the_parent_s_group() -> None:
    colouring = Colouring()
    colouring.pieces("x", "python")
    assert colouring.pid is not None
    assert os.getpgid(colouring.pid) != os.getpgid(0)
    colouring.close()
