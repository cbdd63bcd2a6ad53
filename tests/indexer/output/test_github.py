"""What GitHub's runner gets to read."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.output.github import GitHubRunner, Level, strip_commands

# As the runner tells a command from other lines: src/Runner.Common/ActionCommand.cs.
COMMAND = re.compile(r"\s*::|.*##\[", re.DOTALL)


def test_an_annotation_is_one_command_whatever_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    runner = GitHubRunner(reads_commands=True)
    runner.annotate(Level.ERROR, "a: b, 5%", "50% gone\n::warning::x\r, and: more\u202e\x1b[31m")
    assert capsys.readouterr() == (
        "",
        "::error title=a%3A b%2C 5%25::50%25 gone%0A::warning::x , and: more[U+202E]�[31m\n",
    )


def test_outside_of_github_nothing_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    runner = GitHubRunner.of({"CI": "true"})
    runner.annotate(Level.NOTICE, "title", "message")
    runner.summarize("# summary")
    runner.set_outputs({"mode": "full"})
    assert capsys.readouterr() == ("", "")


def test_files_are_added_to(tmp_path: Path) -> None:
    summary, output = tmp_path / "summary", tmp_path / "output"
    runner = GitHubRunner.of({"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)})
    for number in ("1", "2"):
        runner.summarize(number)
        runner.set_outputs({"run-id": number, "mode": "full"})
    assert summary.read_text() == "12"
    assert len(output.read_text().splitlines()) == 12


def test_what_is_no_text_is_replaced(tmp_path: Path) -> None:
    output = tmp_path / "output"
    GitHubRunner(output_file=output).set_outputs({"run-id": "half a \ud800 character"})
    assert "half a ? character" in output.read_text()


def test_an_output_ends_where_nobody_can_guess(tmp_path: Path) -> None:
    output = tmp_path / "output"
    GitHubRunner(output_file=output).set_outputs({"run-id": "1\nEOF\nmode<<EOF\nfull\nEOF"})
    first, *value, last = output.read_text().splitlines()
    name, _, delimiter = first.partition("<<")
    assert (name, len(delimiter)) == ("run-id", 32)
    assert "\n".join(value) == "1\nEOF\nmode<<EOF\nfull\nEOF"
    assert last == delimiter


def test_a_file_that_cannot_be_written_is_told_and_no_more(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    GitHubRunner(summary_file=tmp_path).summarize("# summary")
    assert "could not be written" in caplog.text


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a.py is skipped", "a.py is skipped"),
        ("::error::x", "> ::error::x"),
        ("  ::add-mask::x", ">   ::add-mask::x"),
        ("std::vector", "std::vector"),
        ("a\n::error::x", "a ::error::x"),
        ("a ##[error]x", "a ## [error]x"),
    ],
)
def test_a_line_of_the_log_is_no_command(line: str, shown: str) -> None:
    assert strip_commands(line) == shown


@given(st.lists(st.sampled_from(["::", "#", "##[", "[", "\n", " ", "error", "]"])).map("".join))
def test_no_name_makes_a_line_of_the_log_a_command(line: str) -> None:
    assert not COMMAND.match(strip_commands(line))
    assert len(strip_commands(line).splitlines()) <= 1
