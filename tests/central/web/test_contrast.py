"""The colours of both schemes keep the contrast that WCAG 2 AA asks for."""

import re
from pathlib import Path

import pytest

import central.web

_STYLE = Path(central.web.__file__).parent / "static/web/site.css"
_PROPERTY = re.compile(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
COLOURS = {name: values for name, *values in _PROPERTY.findall(_STYLE.read_text())}
CODE = [name for name in COLOURS if name.startswith("code-")]

TEXT = 4.5
CONTROL = 3.0  # borders of fields, the ring of the focus

PAIRS = [
    *((text, ground, TEXT) for text in ("text", "muted", "accent") for ground in
      ("page", "surface", "raised")),
    *((text, ground, TEXT) for text in CODE for ground in ("surface", "target")),
    *((text, "mark", TEXT) for text in CODE if text != "code-number"),
    *((kind, f"{kind}-surface", TEXT) for kind in ("ok", "warn", "bad", "info")),
    ("bad", "page", TEXT),
    ("bad", "surface", TEXT),
    ("text", "mark", TEXT),
    ("on-accent", "accent", TEXT),
    ("control", "surface", CONTROL),
    ("control", "page", CONTROL),
    ("accent", "page", CONTROL),
]  # fmt: skip


def luminance(colour: str) -> float:
    """Relative luminance as https://www.w3.org/TR/WCAG22/#dfn-relative-luminance defines it."""
    channels = [int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5)]
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_contrast_is_enough(scheme: int) -> None:
    for front, ground, least in PAIRS:
        assert contrast(COLOURS[front][scheme], COLOURS[ground][scheme]) >= least, (front, ground)


def test_every_colour_is_a_property_of_both_schemes() -> None:
    rules = _STYLE.read_text().split("}", 1)[1]
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b", rules)
