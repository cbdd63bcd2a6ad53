"""What is told apart by colour, beside words, keeps the contrast that WCAG 2 AA asks for."""

import re
from pathlib import Path

import pytest

import central.web
from central.web import graph_levels, runs
from tests.central.web.test_contrast import COLOURS, CONTROL, TEXT, contrast

_STYLES = Path(central.web.__file__).parent / "static/web"
_PROPERTY = re.compile(r"--((?:fill|tint)-\d): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
_FOUND = _PROPERTY.findall(
    (_STYLES / "status.css").read_text() + (_STYLES / "graph.css").read_text()
)
OURS = {name: values for name, *values in _FOUND}
scheme = pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])


@scheme
@pytest.mark.parametrize("text", ["text", "muted"])
@pytest.mark.parametrize("number", range(graph_levels.TINTS))
def test_names_can_be_read_on_the_tint_of_each_project(number: int, text: str, scheme: int) -> None:
    assert contrast(COLOURS[text][scheme], OURS[f"tint-{number}"][scheme]) >= TEXT


@scheme
@pytest.mark.parametrize("number", range(runs.TINTS))
def test_parts_of_a_bar_stand_out_from_what_is_behind(number: int, scheme: int) -> None:
    fill = OURS[f"fill-{number}"][scheme]
    assert contrast(fill, COLOURS["surface"][scheme]) >= CONTROL
    assert contrast(fill, COLOURS["raised"][scheme]) >= CONTROL
