"""Colours from a process that a hostile text ends, and nothing else with it."""

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
    COLOURED_CHARACTERS,
    TOO_LONG,
    TOO_SLOW,
    TOO_SLOW_FROM_HERE,
    Colouring,
    ColouringBusyError,
    Pieces,
    coloured,
)
from central.web.colouring_child import cut
from central.web.highlighting import listing
from indexer.languages.registry import FILENAMES, INTERPRETERS, SUFFIXES
from tests.central import limited_child

LANGUAGES = sorted(
    {one.name for table in (SUFFIXES, FILENAMES, INTERPRETERS) for one in table.values()}
)
ENDLESS = ("python", limited_child.SPIN)
LONG = "if x: pass\n" * 9_000  # of ordinary code, 0.1 s
MARKS = (
    "a", " ", "\t", "\n", "\\", '"', "'", "`", "(", "[", "{", "<", "/", "*", "/*", "${", "#", "=",
    "-", ".", ":", "%", "@", "!", "|", ",", "_", "~", "\\\"", "<a ", "<!--", "<<A\n", 'r#"', "a(",
    "a<", "[a", "{%", "x::", "**a", "![", "](", "1e", "=a\n ",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("central.web.colouring._CHILD", limited_child.NAME)


@pytest.fixture
def colouring() -> Iterator[Colouring]:
    """One of its own, which does not pause."""
    made = Colouring(pause_seconds=0)
    yield made
    made.close()


def text_of(code: str, pieces: Pieces) -> str:
    starts = [0, *pieces.ends[:-1]]
    return "".join(code[start:end] for start, end in zip(starts, pieces.ends, strict=True))


@pytest.mark.parametrize("code", [limited_child.SPIN, limited_child.ALLOCATE])
def test_a_text_that_takes_too_much_holds_nobody_s_interpreter(
    colouring: Colouring, code: str
) -> None:
    language = "python"
    started = thread_time()
    pieces = colouring.pieces(code, language)
    assert thread_time() - started < 0.1
    assert pieces.note == TOO_SLOW
    assert text_of(code, pieces) == code
    assert colouring.pid is None  # the kernel ended it


def test_a_text_that_is_slow_all_over_keeps_the_colours_of_its_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("central.web.colouring._KILLED_AFTER", 10_000)
    colouring = Colouring(cpu_seconds=0.001)
    pieces = colouring.pieces(LONG, "python")
    assert pieces.note == TOO_SLOW_FROM_HERE
    assert pieces.classes[0] == "k"
    assert text_of(LONG, pieces) == LONG
    colouring.close()


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
    language, code = "python", limited_child.SLEEP
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
        "from central.web import colouring\n"
        f"colouring._CHILD = {limited_child.NAME!r}\n"
        "colouring = colouring.Colouring(cpu_seconds=1, seconds=3600)\n"
        "colouring.pieces('x', 'python')\n"
        "threading.Thread(target=colouring.pieces, args=('stand-in:spin', 'python')).start()\n"
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_a_lexer_makes_of_marks_all_of_the_text_is_shown(language: str) -> None:
    for code in MARKS:
        _, ends, is_whole = cut(f"{code}\nx = 1\n", language, seconds=60)
        assert ends[-1] == len(code) + 7
        assert is_whole


def test_a_longer_text_is_not_coloured_and_says_so() -> None:
    code = "if x: pass\n" * (COLOURED_CHARACTERS // 11 + 1)
    assert coloured(code, "python").note == TOO_LONG


def test_a_snippet_that_was_given_up_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    colouring = Colouring(pause_seconds=0)
    monkeypatch.setattr("central.web.colouring._colouring", colouring)
    code = f"not tried again: {limited_child.SPIN}"
    assert coloured(code, "python").note == TOO_SLOW
    colouring.close()
    assert coloured(code, "python").note == TOO_SLOW
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
