"""Tags for ages, commits and code on all pages. `{% load web %}`."""

import re
from collections.abc import Sequence
from datetime import datetime
from itertools import zip_longest

from django import template
from django.utils import timezone
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from aeterna_code_search.contract.search import Side
from central.web.highlighting import CodeLink, excerpts, listing
from central.web.matched_lines import MatchedFile, ShownLine
from central.web.messages import for_people
from central.web.plain_text import plain_line, plain_text

register = template.Library()
register.filter(for_people)

_SHORT_COMMIT = 10
_CODE = re.compile("`([^`]*)`")
_ELLIPSIS = '<span class="muted">…</span>'
_DEFINITION = '<span class="badge badge-quiet">definition</span>'
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


@register.filter
def marked_up(text: str) -> SafeString:
    """A sentence of ours in which text between backticks is code."""
    html = _CODE.sub(r"<code>\1</code>", escape(plain_line(text)))
    return mark_safe(html)  # noqa: S308 # escaped


@register.simple_tag
def code_block(  # noqa: PLR0913 - what a template says
    code: str,
    *,
    language: str = "",
    first_line: int = 1,
    words: Sequence[str] = (),
    links: Sequence[CodeLink] = (),
    before: str = "",
    href: str = "",
    label: str = "Code",
    beside: Sequence[SafeString] = (),
) -> SafeString:
    """A listing with line numbers, each a link to `href`#L<number> where there is one.

    `beside`: what stands before the number of each line. Without `href` the lines themselves have
    these anchors, for one listing of a page. A note says why colours are missing.
    """
    lines, note = listing(code, language=language, words=words, links=links, before=before)
    link = format_html("{}", href)
    rows = [
        _line(number, html, link, before=own)
        for number, (html, own) in enumerate(
            zip_longest(lines, beside[: len(lines)], fillvalue=""), first_line
        )
    ]
    html = _listing(label, "".join(rows))
    return format_html('<div><p class="muted small">{}</p>{}</div>', note, html) if note else html


@register.simple_tag
def matched_lines(file: MatchedFile, *, href: str, label: str) -> SafeString:
    """Lines that match, and those around them, each with its number as a link to `href`#L<number>.

    Without `href`, they are of a commit. "…" stands where a line was cut; a definition says so.
    Blocks are parted by a rule.
    """
    shown = [line for block in file.blocks for line in block]
    parts = [((line.start, line.end), line.marks) for line in shown]
    lines, note = excerpts(file.text, language=file.language, parts=parts)
    texts = iter(lines)
    link = format_html("{}", href)
    blocks = (
        "".join(_matched_line(line, next(texts), link) for line in block) for block in file.blocks
    )
    html = _listing(label, '<span class="code-gap"></span>'.join(blocks))
    return format_html('<div>{}<p class="muted small">{}</p></div>', html, note) if note else html


def _matched_line(line: ShownLine, html: str, link: str) -> str:
    if line.matched and not link:
        return _changed_line(line.number, line.matched.side, html, is_cut=line.is_cut)
    before = _ELLIPSIS if line.matched and line.matched.column > 1 else ""
    after = _ELLIPSIS if line.is_cut else ""
    if line.matched and line.matched.defines:
        after += _DEFINITION
    css = " is-match" if line.matched else ""
    return _line(line.number, f"{before}{html}{after}", link, css)


def _changed_line(number: int, side: Side, html: str, *, is_cut: bool) -> str:
    """A line of a diff, or of a message, which has no page: its number leads nowhere."""
    css = f" is-{side}" if side else ""
    sign = {Side.ADDED: "+", Side.REMOVED: "&minus;"}.get(side, "")
    return (
        f'<span class="code-line{css}"><span class="code-number">{number}</span>'
        f"{sign}{' ' if sign else ''}{html}{_ELLIPSIS if is_cut else ''}\n</span>"
    )


def _listing(label: str, rows: str) -> SafeString:
    name = format_html('<pre class="code" tabindex="0" role="group" aria-label="{}"><code>', label)
    return mark_safe(f"{name}{rows}</code></pre>")  # noqa: S308 # all parts are escaped


def _line(number: int, html: str, link: str, css: str = "", before: str = "") -> str:
    anchor = "" if link else f' id="L{number}"'
    return (
        f'<span class="code-line{css}"{anchor}>{before}'
        f'<a class="code-number" href="{link}#L{number}">{number}</a>{html}\n</span>'
    )


def _words_of(seconds: int) -> str:
    for length, unit in _UNITS:
        if seconds >= length:
            count = seconds // length
            return f"{count} {unit}{'' if count == 1 else 's'} ago"
    return "just now"
