"""Tags for ages, commits and code on all pages. `{% load web %}`."""

from collections.abc import Sequence
from datetime import datetime

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from central.search.exact.matching import MatchedLine
from central.web.highlighting import CodeLink, listing
from central.web.messages import for_people
from central.web.plain_text import plain_line, plain_text

register = template.Library()
register.filter(for_people)

_SHORT_COMMIT = 10
_ELLIPSIS = '<span class="muted">…</span>'
_UNITS = (
    (365 * 86_400, "year"),
    (30 * 86_400, "month"),
    (86_400, "day"),
    (3_600, "hour"),
    (60, "minute"),
)


@register.filter
def age(moment: datetime | None) -> str:
    """How long ago, the time itself as the title; "never" without one."""
    if moment is None:
        return "never"
    return format_html(
        '<time datetime="{}" title="{}">{}</time>',
        moment.isoformat(timespec="seconds"),
        moment.strftime("%Y-%m-%d %H:%M:%S UTC"),
        _words_of(int((timezone.now() - moment).total_seconds())),
    )


@register.filter
def short_commit(commit: str) -> str:
    return commit[:_SHORT_COMMIT]


@register.filter
def words(code: str) -> str:
    """A code as words: `never_indexed` as "never indexed"."""
    return code.replace("_", " ")


@register.filter
def line(text: str) -> str:
    """A user's text on one line, without control characters."""
    return plain_line(text)


@register.filter
def lines(text: str) -> str:
    return plain_text(text)


@register.simple_tag
def code_block(
    code: str,
    *,
    language: str = "",
    first_line: int = 1,
    words: Sequence[str] = (),
    links: Sequence[CodeLink] = (),
    before: str = "",
    href: str = "",
    label: str = "Code",
) -> SafeString:
    """A listing with line numbers, each a link to `href`#L<number> where there is one.

    Without `href` the lines themselves have these anchors, for one listing of a page. A note says
    why colours are missing.
    """
    lines, note = listing(code, language=language, words=words, links=links, before=before)
    name = format_html('<pre class="code" tabindex="0" role="group" aria-label="{}"><code>', label)
    link = format_html("{}", href)
    rows = [_line(number, html, link) for number, html in enumerate(lines, first_line)]
    html = mark_safe(f"{name}{''.join(rows)}</code></pre>")  # noqa: S308 # all parts are escaped
    return format_html('<div><p class="muted small">{}</p>{}</div>', note, html) if note else html


@register.simple_tag
def matched_lines(lines: Sequence[MatchedLine], *, href: str, label: str) -> SafeString:
    """Lines that match, each with its number as a link to `href`#L<number> and its matches marked.

    A line that was cut has "…" where text is missing; a definition says so.
    """
    name = format_html('<pre class="code" tabindex="0" role="group" aria-label="{}"><code>', label)
    link = format_html("{}", href)
    rows = [_line(one.line, _marked(one), link) for one in lines]
    return mark_safe(f"{name}{''.join(rows)}</code></pre>")  # noqa: S308 # all parts are escaped


def _marked(line: MatchedLine) -> str:
    parts = [_ELLIPSIS if line.column > 1 else ""]
    end = 0
    for start, stop in line.ranges:
        text, found = plain_line(line.text[end:start]), plain_line(line.text[start:stop])
        parts.append(format_html("{}<mark>{}</mark>", text, found))
        end = stop
    parts.append(format_html("{}", plain_line(line.text[end:])))
    if line.truncated:
        parts.append(_ELLIPSIS)
    if line.defines:
        parts.append('<span class="badge badge-quiet">definition</span>')
    return "".join(parts)


def _line(number: int, html: str, link: str) -> str:
    anchor = "" if link else f' id="L{number}"'
    return (
        f'<span class="code-line"{anchor}><a class="code-number" href="{link}#L{number}">{number}'
        f"</a>{html}\n</span>"
    )


def _words_of(seconds: int) -> str:
    for length, unit in _UNITS:
        if seconds >= length:
            count = seconds // length
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
