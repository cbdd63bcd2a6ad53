"""Traces of each language are read as their frames, also on one line, and in linear time."""

import pytest

from central.query.pasted.frames import Frame
from central.query.pasted.stack_trace import (
    CONDENSED_CHARACTERS,
    STACK_FRAMES,
    condensed,
    parse_trace,
)
from tests.central.query.pasted.traces import GO, JAVA, PYTHON, RUST, TRACES

_IDS = [frames.partition("\n")[0] for frames in TRACES.values()]


@pytest.mark.parametrize("trace", TRACES, ids=_IDS)
@pytest.mark.parametrize("line_break", ["\n", "\r\n", " "])
def test_the_frames_of_the_first_cause_come_first_and_the_innermost_of_each(
    trace: str, line_break: str
) -> None:
    read = parse_trace(trace.replace("\n", line_break))
    assert read
    assert [read.language, *map(written, read.frames)] == TRACES[trace].split("\n")


def written(frame: Frame) -> str:
    return f"{frame.path}:{frame.line}:{frame.column} {frame.function}".rstrip()


@pytest.mark.parametrize(
    ("line", "frame"),
    [
        ('File "/app/x.py", line 3, in verify', "app/x.py:3:0 verify"),
        ("tests/test_x.py:3: in test_it", "tests/test_x.py:3:0 test_it"),
        ("src/x.py:9: KeyError", "src/x.py:9:0"),
        ("File ~/work/x.py:3, in verify(token)", "work/x.py:3:0 verify"),
        ("    at verify (/app/x.js:3:4)", "app/x.js:3:4 verify"),
        ("at com.acme.Foo.bar(Foo.java:12)", "com/acme/Foo.java:12:0 bar"),
        ("\t/go/src/x.go:12 +0x1d", "go/src/x.go:12:0"),
        ("   at ./src/main.rs:4:5", "src/main.rs:4:5"),
        ("from app/x.rb:3:in 'Foo.bar?'", "app/x.rb:3:0 bar?"),
        ("in C:\\src\\X.cs:line 12", "src/X.cs:12:0"),
        ("#0 /var/www/x.php(12): f()", "var/www/x.php:12:0"),
    ],
)
def test_one_line_of_a_trace_is_read(line: str, frame: str) -> None:
    read = parse_trace(line)
    assert read
    assert [*map(written, read.frames)] == [frame]


@pytest.mark.parametrize(
    "text",
    ["how are retries done", "what does src/x.go:12 do", "see main.rs:3 and lib.rs:4", "10:30",
     "is foo.php:12 a test", "def f(x: int = 3)", "look at this", "file: x, line 3"],
)  # fmt: skip
def test_other_text_is_no_trace(text: str) -> None:
    assert parse_trace(text) is None


def test_native_frames_are_counted_and_recursion_is_one_frame() -> None:
    assert [read.unplaced for read in map(parse_trace, (PYTHON, JAVA)) if read] == [1, 1]
    frame = '  File "/app/x.py", line 3, in f\n    f()\n'
    deep = parse_trace(f"Traceback (most recent call last):\n{frame * 300}")
    assert deep
    assert len(deep.frames) == 1
    lines = "".join(f'  File "/app/x.py", line {n}, in f\n' for n in range(1, 400))
    many = parse_trace(lines)
    assert many
    assert many.is_cut
    assert [frame.line for frame in many.frames] == [399 - n for n in range(STACK_FRAMES)]


@pytest.mark.parametrize("trace", TRACES, ids=_IDS)
def test_a_condensed_trace_has_the_same_frames_as_far_as_they_fit(trace: str) -> None:
    filler = "    some_call(of, the, source)  # which the trace shows\n" * 60
    long = f"{filler}{trace}\n{filler}"
    short = condensed(long)
    assert len(short) <= CONDENSED_CHARACTERS < len(long)
    whole, read = parse_trace(long), parse_trace(short)
    assert whole
    assert read == whole


def test_frames_in_installed_packages_are_left_out_of_a_condensed_trace_first() -> None:
    outer = '  File "/app/src/main.py", line 1, in main\n'
    inner = "".join(f'  File "/x/site-packages/a/b{n}.py", line {n}, in f\n' for n in range(200))
    read = parse_trace(condensed(f"Traceback (most recent call last):\n{outer}{inner}KeyError: 1"))
    assert read
    assert read.frames[0].path == "x/site-packages/a/b199.py"
    assert read.frames[-1].path == "app/src/main.py"


def test_the_outermost_frames_are_left_out_of_a_condensed_trace() -> None:
    frames = "".join(f"main.f{n}()\n\t/go/src/acme/f{n}.go:{n} +0x1d\n" for n in range(1, 99))
    short = condensed(f"panic: boom\n\ngoroutine 1 [running]:\n{frames}")
    read = parse_trace(short)
    assert read
    assert short.startswith("panic: boom")
    assert [frame.line for frame in read.frames] == list(range(1, len(read.frames) + 1))
    assert read.frames[0].function == "f1"
    assert condensed(RUST) == RUST
    assert condensed("words " * 1_000) == "words " * 1_000


@pytest.mark.parametrize("trace", [GO, JAVA, PYTHON])
def test_what_stands_around_a_trace_changes_nothing(trace: str) -> None:
    read = parse_trace(f"2026-11-30 09:12:00 ERROR request failed\n{trace}\nSee the log.")
    assert read == parse_trace(trace)


@pytest.mark.parametrize("bracket", ["(", "[", "f(", "(" * 2_000])
def test_a_path_begins_behind_a_bracket(bracket: str) -> None:
    """It began at each of many brackets, and each was read to a path's greatest length."""
    read = parse_trace(f"{bracket}acme/main.go:7 +0x1d")
    assert read
    assert [frame[:2] for frame in read.frames] == [("acme/main.go", 7)]
