"""Callers and callees, as text."""

import re
from typing import Any

from aeterna_code_search.cli.output import links
from aeterna_code_search.client.console import Console
from tests.agents.recorded import recorded

PLAIN = Console(is_terminal=True, width=100, has_colours=False)


def caller(**changed: Any) -> dict[str, Any]:
    one: dict[str, Any] = recorded("callers")["callers"][0]
    return {**one, **changed}


def test_a_line_says_who_uses_what_where_and_how_sure_that_is() -> None:
    one = caller(kind="call", pinned_version="1.4.0", indexed_version="1.5.0", lags=True)
    assert links.format_plain([one]) == (
        f"{one['project']}/{one['file']}:{one['line']}: {one['caller']['qualified_name']} -> "
        "AuthMiddleware at auth-service/acme_auth/middleware.py:18 "
        f"({one['confidence']}, {one['rule']}, pinned 1.4.0, older than 1.5.0)\n"
    )


def test_a_use_that_is_no_call_says_what_it_is() -> None:
    one = caller(kind="inherit", confidence="high", rule="import")
    assert links.format_plain([one]).endswith("(high, import, inherit)\n")
    answer = recorded("callers") | {"callers": [one]}
    assert "high  inherit" in re.sub(r"\x1b\[[\d;]*m", "", links.render(PLAIN, answer, "callers"))


def test_each_definition_heads_its_own_links() -> None:
    answer = recorded("callers")
    other = {**answer["definitions"][0], "project": "other", "signature": "class Other"}
    answer["definitions"].append(other)
    drawn = links.render(PLAIN, answer, "callers")
    first, second = drawn.index("class AuthMiddleware"), drawn.index("class Other")
    assert first < drawn.index(f"{len(answer['callers'])} callers") < second


def test_of_many_definitions_those_without_links_are_counted() -> None:
    answer = recorded("callers")
    answer["definitions"] += [answer["definitions"][0] | {"signature": "class Other"}] * 12
    drawn = links.render(PLAIN, answer, "callers")
    assert "class AuthMiddleware" in drawn
    assert "class Other" not in drawn
    assert "12 more definitions without callers in this answer" in drawn


def test_a_definition_that_the_work_tree_has_no_more_is_said_to_be_gone() -> None:
    answer = recorded("callers")
    answer["definitions"][0]["gone"] = True
    assert links.definition_line(answer["definitions"][0]).endswith(" (removed)")
    assert "(removed)" in links.render(PLAIN, answer, "callers")


def test_generated_definitions_and_callers_are_marked() -> None:
    answer = recorded("callers")
    answer["definitions"][0]["generated"] = True
    one = caller()
    one["caller"]["generated"] = one["callee"]["generated"] = True
    answer["callers"] = [one]
    assert links.definition_line(answer["definitions"][0]).endswith("Middleware (generated)")
    assert f"{one['caller']['qualified_name']} (generated) -> " in links.format_plain([one])
    assert "AuthMiddleware (generated) at " in links.format_plain([one])
    drawn = links.render(PLAIN, answer, "callers")
    assert drawn.count("(generated)") == 2
    assert "generated" not in links.render(PLAIN, recorded("callers"), "callers")


def test_a_place_that_is_longer_than_the_terminal_is_folded_and_never_cut() -> None:
    name = "a" * 150
    drawn = links.render(PLAIN, recorded("callers") | {"callers": [caller(file=name)]}, "callers")
    assert drawn.count("a") > 150
    assert "…" not in drawn


def test_control_sequences_are_not_obeyed() -> None:
    one = caller(file="\x1b[2J", evidence="\x1b]0;x\x07", confidence="\x1b[1m", rule="\x9b")
    answer = recorded("callers") | {"callers": [one]}
    for text in (links.format_plain([one]), links.render(PLAIN, answer, "callers")):
        assert "\x1b[2J" not in text
        assert "\x1b]0" not in text
        assert "\x9b" not in text
