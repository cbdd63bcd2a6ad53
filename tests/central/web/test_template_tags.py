"""What every page shows alike."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from central.web.templatetags.web import age, code_block, short_commit
from scripts.local_service import ROOT

# Names of what grows beyond a thousand.
_COUNTS = r"count|total|files|chunks|symbols|references|matches|repositories|length"
_UNFORMATTED = re.compile(rf"{{{{ (?:[\w.]+[.|])?(?:{_COUNTS})(?:\|default:0)? }}}}")


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        (timedelta(seconds=-5), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 minute ago"),
        (timedelta(hours=3, minutes=59), "3 hours ago"),
        (timedelta(days=29), "29 days ago"),
        (timedelta(days=65), "2 months ago"),
        (timedelta(days=800), "2 years ago"),
    ],
)
def test_an_age_is_in_the_largest_unit_that_fits(passed: timedelta, words: str) -> None:
    assert f">{words}</time>" in age(timezone.now() - passed)


def test_what_never_was_has_no_age() -> None:
    assert age(None) == "never"


def test_a_commit_is_shown_by_its_beginning() -> None:
    assert short_commit("0123456789abcdef") == "0123456789"


def test_lines_of_a_listing_have_names_only_where_it_is_of_its_own_page() -> None:
    own = code_block("a\nb\n", first_line=7)
    assert '<span class="code-line" id="L8"><a class="code-number" href="#L8">8</a>b' in own
    other = code_block("a\n", href='/f?"')
    assert 'href="/f?&quot;#L1"' in other
    assert "id=" not in other


def test_counts_on_pages_have_their_thousands_apart() -> None:
    assert _UNFORMATTED.findall("{{ a.count }} {{ b|length }} {{ files|default:0 }}")
    found = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in (ROOT / "central").rglob("templates/**/*.html")
        for text in _UNFORMATTED.findall(path.read_text(encoding="utf-8"))
    }
    assert sorted(found) == []
