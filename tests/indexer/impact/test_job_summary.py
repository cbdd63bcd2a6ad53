"""GitHub's summary of an impact: complete, within the limit, and free of others' markup."""

import re

from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import ShallowCloneError
from indexer.exits import Exit
from indexer.impact.job_summary import failure_summary, impact_summary
from indexer.impact.queries import Caller, Receipt
from tests.indexer.impact.impacts import affected, call, impact, receipt, symbol


def test_a_definition_is_told_with_links_to_its_callers() -> None:
    url = "https://forge.example/acme/web/blob/abc/app.py#L5"
    own = "https://forge.example/acme/shop/blob/abc/lib.py#L1-L9"
    found = impact(
        symbol(
            "charge", affected("shop", call("own.py", 2)), affected("web", call(url=url)), url=own
        )
    )
    summary = impact_summary(found)
    assert "**1 changed function is called in 1 other repository&#46;**" in summary
    assert f"function at [<code>lib&#46;py&#58;1</code>]({own})" in summary
    assert f"  * [<code>app&#46;py&#58;5</code>]({url}) in <code>main</code>" in summary
    assert summary.index("<code>web</code>: 1 caller") < summary.index("<code>shop</code>, this")
    assert "<code>web</code> at <code>cccccccccccc</code>" in summary


def test_a_call_at_the_top_level_of_a_file_is_in_nothing() -> None:
    top_level = call("own.py", 2, caller=Caller("", "", "", 0))
    summary = impact_summary(impact(symbol("charge", affected("shop", top_level))))
    assert "  * <code>own&#46;py&#58;2</code> (high, import)" in summary


def test_what_has_no_caller_is_named_in_a_line() -> None:
    summary = impact_summary(impact(symbol("idle"), symbol("lazy")))
    assert "Changed, without callers: idle, lazy\n" in summary


@given(evil=st.text(max_size=60), url=st.text(max_size=40))
def test_nothing_from_a_repository_is_markup(evil: str, url: str) -> None:
    for name in (
        evil,
        f"</code>{evil}](x) | @acme #1 <img src=x> `{evil}` www.x.example\n# {evil}",
    ):
        found = impact(
            symbol(
                name,
                affected(name, call(name, caller=Caller(name, name, name, 1), url=f"https://{url}"),
                         count=4),
                file=name, kind=name, url=url,
            ),
            symbol(name, file="other"),
            unknown=(name,),
            project=name,
            receipt=Receipt({name: name}, (), 0, (name,)),
        )  # fmt: skip
        shown = impact_summary(found)
        tags = set(re.findall(r"<[^>]*>", shown))
        assert tags <= {"<code>", "</code>", "<details>", "</details>", "<summary>", "</summary>"}
        assert shown.count("<code>") == shown.count("</code>")
        links = re.findall(r"\]\(([^)]*)\)", shown)
        assert set(links) <= {f"https://{url}", url}
        assert shown.count("](") == len(links)
        assert not re.search(r"[`@|]|www\.", re.sub(r"\]\([^)]*\)", "", shown))
        assert shown.count("\n#") == 1, "the headings are its own"


def test_a_summary_stays_within_githubs_limit_and_says_what_it_left_out() -> None:
    wide = [affected(f"p{n:04}", *(call(f"{'é' * 200}{i}.py") for i in range(20)), count=30)
            for n in range(400)]  # fmt: skip
    summary = impact_summary(
        impact(symbol("wide", *wide), symbol("small", affected("web", call())))
    )
    assert 900_000 < len(summary.encode()) < 1_000_000
    told = summary.count(": 30 callers\n")
    assert 10 < told < 400
    left = 400 * 30 - told * 30 + 1
    assert f"{left:,} callers omitted: GitHub limits the length." in summary
    assert summary.rstrip().endswith("</details>")


def test_many_projects_that_were_asked_are_counted_and_cut() -> None:
    projects = {f"p{n:04}": "c" * 40 for n in range(1_500)}
    summary = impact_summary(impact(receipt=Receipt(projects, (), 0, ())))
    assert "<summary>Searched: 1,500 repositories, all in the credential's scope<" in summary
    assert "* and 1,300 more\n" in summary


def test_notes_stand_above_the_definitions() -> None:
    found = impact(symbol("charge", affected("web", call())), receipt=receipt(unresolved=2))
    summary = impact_summary(found)
    assert summary.index("> At least 2 references") < summary.index("#### <code>charge")


def test_a_failure_says_what_to_write() -> None:
    summary = failure_summary(ShallowCloneError("too <shallow>"), Exit.NOT_INDEXED)
    assert "too &#60;shallow&#62;" in summary
    assert "fetch-depth: 0" in summary
    assert "Exit code 3" in summary
