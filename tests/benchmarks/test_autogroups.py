"""Whether the kernel shares the processors out by session."""

from pathlib import Path

from benchmarks import autogroups


def test_they_are_on_if_the_setting_is_1(tmp_path: Path) -> None:
    setting = tmp_path / "sched_autogroup_enabled"
    assert not autogroups.are_on(setting), "a kernel without them"
    setting.write_text("0\n")
    assert not autogroups.are_on(setting)
    setting.write_text("1\n")
    assert autogroups.are_on(setting)
