"""How pages about repositories and runs write branches and times. `{% load status %}`."""

from django import template

register = template.Library()

_MINUTE = 60
_HOUR = 3_600


@register.filter
def branch(ref: str) -> str:
    """A branch's name; other refs stay whole."""
    return ref.removeprefix("refs/heads/")


@register.filter
def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < _MINUTE:
        return f"{seconds:.0f} s"
    whole = round(seconds)
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR:,} h {whole % _HOUR // _MINUTE} min"
