"""What stands beside the lines of a file: the commit that made each."""

from collections.abc import Sequence
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from central.files.answers import Blame, BlamedLines, UnattributedLines
from central.files.blame import why_unknown
from central.web.plain_text import without_controls
from central.web.templatetags.web import short_commit
from central.web.urls_for import history_url

_EMPTY: Final = SafeString('<span class="blame"></span>')


def blame_gutter(blame: Blame, organization: str) -> Sequence[SafeString]:
    """Return an element for each line of the file: of each range the first names the commit."""
    beside = [_EMPTY] * blame.total_lines
    history = history_url(organization, blame.project, blame.path)
    for lines in blame.ranges:
        beside[lines.start_line - 1] = _commit(lines, history)
    for unknown in blame.unknown:
        beside[unknown.start_line - 1] = _unknown(unknown)
    return beside


def _commit(lines: BlamedLines, history: str) -> SafeString:
    return format_html(
        '<a class="blame" href="{}" rel="noreferrer" title="{}">{} <time>{}</time></a>',
        lines.url or history,
        without_controls(f"{lines.subject}\n{lines.commit}"),
        short_commit(lines.commit),
        lines.committed_at[:10],
    )


def _unknown(lines: UnattributedLines) -> SafeString:
    return format_html(
        '<span class="blame" title="{}">not known</span>', why_unknown([lines]).capitalize()
    )
