"""How many examples a property test draws: what it names, scaled by the profile (conftest.py)."""

from hypothesis import settings

DEFAULT_EXAMPLES = 100


def examples(count: int) -> settings:
    """Settings of `count` examples by default; `fast` draws a fifth, `nightly` ten times more."""
    return settings(max_examples=max(1, count * settings.default.max_examples // DEFAULT_EXAMPLES))
