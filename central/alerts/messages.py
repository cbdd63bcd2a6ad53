"""The body of a message: Slack's `text`, and the same as fields for programs."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.template.defaultfilters import pluralize
from django.urls import reverse

from central.alerts.models import Condition, RepositoryAlert
from central.saved_searches.models import SavedSearch

ALERT_SEARCHES: Final = 20  # watched ones that a message lists
ALERT_PROJECTS: Final = 20  # that a message lists, of those with a problem and of the recovered
ALERT_DETAIL_CHARACTERS: Final = 300  # of an error in a message
_WORDS = {
    Condition.FAILED: "its last run failed",
    Condition.BEHIND: "its index is out of date",
    Condition.UNINDEXED: "it has no index yet",
    Condition.NOT_CLONED: "this service cannot clone and index it",
}
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def alert_body(
    organization: str,
    *,
    message_id: UUID,
    at: datetime,
    begun: Sequence[RepositoryAlert],
    ended: Sequence[RepositoryAlert],
) -> dict[str, Any]:
    """Return the message about problems that began and ended; some are listed, all are counted."""
    lines = _lines(organization, begun, ended)
    return _message("index.alert", organization, message_id, at, lines) | {
        "failing_count": len(begun),
        "recovered_count": len(ended),
        "failing": [_fields(alert) for alert in begun[:ALERT_PROJECTS]],
        "recovered": [_fields(alert) for alert in ended[:ALERT_PROJECTS]],
    }


def searches_body(
    organization: str, *, message_id: UUID, at: datetime, found: Sequence[SavedSearch]
) -> dict[str, Any]:
    """Return the message about new lines of watched searches: names, counts and links, no code."""
    listed = found[:ALERT_SEARCHES]
    lines = [f"*{organization}*: watched searches find something new"]
    lines += [_finding(organization, search) for search in listed]
    if len(found) > len(listed):
        lines.append(f"• and {len(found) - len(listed):,} more searches")
    return _message("search.alert", organization, message_id, at, lines) | {
        "search_count": len(found),
        "searches": [
            {
                "name": search.name,
                "count": search.found,
                "since": _time(search.found_since or at),
                "url": _address("web:saved-search", organization, search.pk),
            }
            for search in listed
        ],
    }


def _finding(organization: str, search: SavedSearch) -> str:
    page = _address("web:saved-search", organization, search.pk)
    name = _escaped(search.name)
    shown = f"<{page}|{name}>" if page else name
    return f"• {shown}: {search.found:,} new line{pluralize(search.found)}"


def trial_body(organization: str, *, message_id: UUID, at: datetime) -> dict[str, Any]:
    """Return the message of a test."""
    text = f"{organization}: this is a test of alerts from Aeterna Code Search. All is well."
    return _message("index.test", organization, message_id, at, [text])


def _message(
    kind: str, organization: str, message_id: UUID, at: datetime, lines: Sequence[str]
) -> dict[str, Any]:
    return {
        "text": "\n".join(lines),
        "type": kind,
        "id": str(message_id),
        "organization": organization,
        "at": _time(at),
    }


def _lines(
    organization: str, begun: Sequence[RepositoryAlert], ended: Sequence[RepositoryAlert]
) -> list[str]:
    parts = []
    if begun:
        parts.append(f"{_counted(begun)} with a problem")
    if ended:
        parts.append(f"{_counted(ended)} recovered")
    lines = [f"*{organization}*: {', '.join(parts)}"]
    lines += [_problem(alert) for alert in begun[:ALERT_PROJECTS]]
    lines += _rest(begun, "with a problem")
    lines += [_recovery(alert) for alert in ended[:ALERT_PROJECTS]]
    return lines + _rest(ended, "recovered")


def _problem(alert: RepositoryAlert) -> str:
    why = f": {_escaped(_detail(alert))}" if alert.detail else ""
    return f"• {_link(alert)}: {_WORDS[Condition(alert.condition)]}, since {_minute(alert)}{why}"


def _recovery(alert: RepositoryAlert) -> str:
    return f"• {_link(alert)}: has recovered ({alert.condition} since {_minute(alert)})"


def _minute(alert: RepositoryAlert) -> str:
    return f"{alert.since:%Y-%m-%d %H:%M} UTC"


def _counted(alerts: Sequence[RepositoryAlert]) -> str:
    count = len({alert.repository_id for alert in alerts})
    return f"{count:,} repositor{pluralize(count, 'y,ies')}"


def _rest(alerts: Sequence[RepositoryAlert], what: str) -> list[str]:
    more = len(alerts) - ALERT_PROJECTS
    return [f"• and {more:,} more {what}"] if more > 0 else []


def _fields(alert: RepositoryAlert) -> dict[str, Any]:
    return {
        "project": alert.repository.name,
        "condition": alert.condition,
        "since": _time(alert.since),
        "ended_at": _time(alert.ended_at) if alert.ended_at else None,
        "detail": _detail(alert),
        "url": _page(alert),
    }


def _detail(alert: RepositoryAlert) -> str:
    """Return the error in one line."""
    text = " ".join(alert.detail.split())
    is_long = len(text) > ALERT_DETAIL_CHARACTERS
    return f"{text[: ALERT_DETAIL_CHARACTERS - 1]}…" if is_long else text


def _link(alert: RepositoryAlert) -> str:
    name, page = _escaped(alert.repository.name), _page(alert)
    return f"<{page}|{name}>" if page else name


def _page(alert: RepositoryAlert) -> str | None:
    return _address("web:repository", alert.organization.slug, alert.repository.name)


def _address(page: str, *arguments: object) -> str | None:
    if not settings.PUBLIC_URL:
        return None
    return settings.PUBLIC_URL.rstrip("/") + reverse(page, args=arguments)


def _escaped(text: str) -> str:
    """Escape for Slack, in which <!channel> would call everyone.

    https://docs.slack.dev/messaging/formatting-message-text#escaping
    """
    return text.translate(_ESCAPES)


def _time(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
