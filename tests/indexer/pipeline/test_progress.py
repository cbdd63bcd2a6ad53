"""Plain lines for logs: stages at once, steps at intervals."""

import io

import pytest

from indexer.pipeline import progress
from indexer.pipeline.progress import Bar, Lines, display
from indexer.records.runs import Mode, Plan, Reason


def test_lines_name_the_plan_and_the_stages() -> None:
    stream = io.StringIO()
    with Lines(stream) as lines:
        lines.plan(Plan(Mode.FULL, Reason.FIRST_INDEX))
        lines.start("files", 2)
        lines.advance()
        lines.start("apply", 0)
    assert stream.getvalue() == "mode: full, reason: first_index\nfiles: 2\napply\n"


def test_a_long_stage_says_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 1.0, 6.0, 6.0, 7.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    lines = Lines(stream)
    lines.start("files", 3)
    for _ in range(3):
        lines.advance()
    assert stream.getvalue() == "files: 3\nfiles: 2 of 3\n"


def test_the_bar_goes_through_a_run(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar() as bar:
        bar.plan(Plan(Mode.FULL, Reason.REQUESTED))
        bar.start("files", 1)
        bar.advance()
        bar.start("apply", 0)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "full run: requested" in captured.err


def test_a_stream_that_is_no_terminal_gets_lines() -> None:
    assert isinstance(display(plain=False), Lines)
    assert isinstance(display(plain=True), Lines)


def test_applying_is_told_in_percent_once_in_ten_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter([0.0, 9.0, 10.0, 11.0, 20.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    lines = Lines(stream)
    lines.start("apply", 0)
    for percent in (5, 10, 15, 20):
        lines.update(percent)
    assert stream.getvalue() == "apply\napply: 10 %\napply: 20 %\n"


def test_a_queued_run_is_told_once_in_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 9.0, 10.0, 19.0, 20.0])
    monkeypatch.setattr(progress, "monotonic", lambda: next(clock))
    stream = io.StringIO()
    lines = Lines(stream)
    lines.start("apply", 0)
    for _ in range(4):
        lines.wait()
    line = "apply: queued until a worker of the service is free\n"
    assert stream.getvalue() == f"apply\n{line}{line}"


def test_the_bar_says_that_a_run_is_queued_until_it_is_not() -> None:
    with Bar() as bar:
        bar.start("apply", 0)
        bar.wait()
        assert bar._bars.tasks[0].description.startswith("apply: queued")
        bar.update(1)
        assert bar._bars.tasks[0].description == "apply"


def test_the_bar_shows_how_far_central_is(capsys: pytest.CaptureFixture[str]) -> None:
    with Bar() as bar:
        bar.start("apply", 0)
        bar.update(42)
        assert (bar._bars.tasks[0].completed, bar._bars.tasks[0].total) == (42, 100)
        bar.start("files", 7)
        assert (bar._bars.tasks[0].completed, bar._bars.tasks[0].total) == (0, 7)
    assert capsys.readouterr().out == ""
