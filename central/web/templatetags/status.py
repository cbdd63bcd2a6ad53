"""Tags for states, commits, branches, languages and durations. `{% load status %}`.

Tags, because lists have hundreds of them and a partial takes ten times as long.
"""

from collections.abc import Sequence
from functools import cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from central.ingest.models import IndexRun
from central.repositories.visibility import forge_commit_url
from central.web.runs import Share, StateMessage, run_message, state_message
from central.web.templatetags.web import short_commit
from indexer.records.refs import short_name

register = template.Library()

_MINUTE = 60
_HOUR = 3_600


@register.simple_tag
def state_badge(state: str) -> SafeString:
    return _badge(state, state_message(state))


@register.simple_tag
def run_badge(run: IndexRun) -> SafeString:
    return _badge(run.state, run_message(run))


@cache
def _badge(state: str, message: StateMessage) -> SafeString:
    label = message.label or state
    return format_html('<span class="badge badge-{}">{}</span>', message.tone, label)


@register.simple_tag
def commit_link(commit: str, web_url: str) -> SafeString:
    """The beginning of a commit, which leads to the forge where it is known."""
    if not commit:
        return SafeString('<span class="muted">no commit yet</span>')
    short = short_commit(commit)
    if not web_url:
        return format_html('<span class="mono nowrap" title="{}">{}</span>', commit, short)
    link = '<a class="mono nowrap" href="{}" title="{}" rel="noreferrer">{}</a>'
    return format_html(link, forge_commit_url(web_url, commit), commit, short)


@register.simple_tag
def languages_bar(shares: Sequence[Share]) -> SafeString:
    """One bar of all languages, and the two largest in words; "" without any."""
    if not shares:
        return SafeString("")
    said = [f"{share.name} {share.percent:.0f}\u00a0%" for share in shares]
    parts = "".join(
        f'<rect x="{share.start}" width="{share.percent}" height="6" class="fill-{share.tint}"/>'
        for share in shares
    )
    return format_html(
        '<svg class="shares" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" '
        'aria-label="{}">{}</svg><span class="muted small" aria-hidden="true">{}</span>',
        ", ".join(said),
        SafeString(parts),  # numbers of ours
        ", ".join(said[:2]),
    )


@register.filter
def branch(ref: str) -> str:
    """A branch's name; other refs stay whole."""
    return short_name(ref)


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
