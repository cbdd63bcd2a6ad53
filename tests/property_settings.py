"""How many examples a property test draws: what it names, scaled by the profile (conftest.py)."""

from hypothesis import settings

WHOLE = 100  # examples of a property that names no number, if nothing scales it


def examples(count: int) -> settings:
    """Settings of two fifths of `count` examples; `fast` draws a fifth, `nightly` ten times all."""
    return settings(max_examples=max(1, count * settings.default.max_examples // WHOLE))
