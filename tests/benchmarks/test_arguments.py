"""What `python -m benchmarks load` and `faults` refuse before they start anything."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.faults import command as faults
from benchmarks.load import command as load

Main = Callable[[list[str]], None]


def refusal(main: Main, arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ending:
        main(arguments)
    assert ending.value.code == 2
    return re.sub(r"\s+", " ", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("main", "arguments"),
    [
        (load.main, ["--step", "16"]),
        (load.main, ["--step", "0:10"]),
        (load.main, ["--step", "16:ten"]),
        (load.main, ["--web", "0"]),
        (faults.main, ["--kills", "0"]),
        (faults.main, ["--kills", "-3"]),
    ],
)
def test_a_number_below_one_is_refused(
    main: Main, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    message = refusal(main, arguments, capsys)
    assert "is not a whole number of at least 1" in message


def test_a_target_at_which_the_profile_kills_nothing_needs_a_number(
    capsys: pytest.CaptureFixture[str],
) -> None:
    message = refusal(faults.main, ["--target", "embedded", "--target", "clock"], capsys)
    assert "the profile ci kills nothing at clock: add --kills N" in message


@pytest.mark.parametrize("main", [load.main, faults.main])
def test_a_program_that_is_not_installed_is_named(
    main: Main,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "not installed: redis-server" in refusal(main, [], capsys)


@pytest.mark.system("redis-server")
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"size": {"chunks": 5}, "subjects": []}, "has the index of another profile"),
        ([], "has no complete index of this version"),
        (None, "has no complete index of this version"),
    ],
)
def test_a_directory_of_another_index_is_refused(
    content: object, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "postgres").mkdir()
    if content is not None:
        (tmp_path / "load.json").write_text(json.dumps(content))
    assert message in refusal(load.main, ["--data", str(tmp_path)], capsys)


@pytest.mark.system("redis-server")
def test_a_file_is_no_data_directory(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    message = refusal(load.main, ["--data", str(file)], capsys)
    assert "name a directory that you can write" in message
