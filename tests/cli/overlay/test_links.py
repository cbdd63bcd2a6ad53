import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.cli.overlay.links import local_only_links, merge_links
from tests.cli.overlay.rows import (
    CENTRAL,
    LOCAL,
    SNAPSHOT,
    Row,
    definition,
    end,
    front_of,
    link,
    traced,
)
from tests.property_settings import examples

CHARGE = end("a.py", "charge", 10)
LOCAL_CHARGE = end("a.py", "charge", 12, project=LOCAL)
RETRY = end("retry.py", "retry", 5, project="common-utils")


def places(answer: Row, what: str = "callers") -> list[tuple[str, str, int]]:
    return [(one["project"], one["file"], one["line"]) for one in answer[what]]


def test_uses_in_changed_files_are_the_work_trees_and_all_others_centrals() -> None:
    central = traced(
        [definition("a.py", "charge", 10)],
        [
            link(end("b.py", "pay", 1), 3, CHARGE),
            link(end("c.py", "refund", 1), 4, CHARGE),
            link(end("x.py", "bill", 1, project="billing"), 9, CHARGE),
        ],
        what="callers",
    )
    local = traced(
        [definition("a.py", "charge", 12, project=LOCAL)],
        [
            link(end("b.py", "pay", 1, project=LOCAL), 5, LOCAL_CHARGE),
            link(end("b.py", "pay_all", 8, project=LOCAL), 9, LOCAL_CHARGE),
            link(end("c.py", "refund", 1, project=LOCAL), 4, LOCAL_CHARGE),
        ],
        project=LOCAL,
        what="callers",
    )

    answer = merge_links(central, local, front_of("a.py", "b.py"), what="callers")

    assert places(answer) == [
        ("billing", "x.py", 9),
        (CENTRAL, "b.py", 5),
        (CENTRAL, "b.py", 9),
        (CENTRAL, "c.py", 4),
    ]
    assert [one.get("local", False) for one in answer["callers"]] == [False, True, True, False]
    assert {one["callee"]["line"] for one in answer["callers"]} == {12}
    [found] = answer["definitions"]
    assert (found["project"], found["line"], found["local"]) == (CENTRAL, 12, True)
    assert answer["count"] == 4
    assert answer["receipt"]["complete"]


def test_calls_to_other_projects_stay_on_the_lines_that_were_not_edited() -> None:
    """The index of the work tree knows no other project, so that it cannot tell of them."""
    pay = end("b.py", "pay", 1)
    central = traced(
        [definition("retry.py", "retry", 5, project="common-utils")],
        [link(pay, 3, RETRY), link(pay, 7, RETRY)],
        what="callers",
    )
    overlay = front_of("b.py", moved={("b.py", 3): 13, ("b.py", 7): None})

    answer = merge_links(central, None, overlay, what="callers")

    [row] = answer["callers"]
    assert (row["line"], row["commit"], row["local"], row["url"]) == (13, SNAPSHOT, True, None)
    assert not answer["receipt"]["complete"]
    assert answer["receipt"]["missing"] == [{"project": CENTRAL, "reason": "links_on_edited_lines"}]


@pytest.mark.parametrize(("word", "complete"), [("retry", False), ("unheard_of", True)])
def test_new_lines_that_name_another_projects_function_may_call_it(
    word: str, complete: bool
) -> None:
    central = traced([definition("retry.py", "retry", 5, project="lib")], [], what="callers")

    answer = merge_links(central, None, front_of("b.py", mentioned=[word]), what="callers")

    assert answer["receipt"]["complete"] == complete


@pytest.mark.parametrize(("line", "complete"), [(3, False), (30, True)])
def test_new_lines_in_a_function_may_call_what_only_central_knows(
    line: int, complete: bool
) -> None:
    central = traced([definition("b.py", "pay", 1)], [], what="callees")
    local = traced([definition("b.py", "pay", 1, project=LOCAL)], [], project=LOCAL, what="callees")

    answer = merge_links(central, local, front_of("b.py", new=[("b.py", line)]), what="callees")

    assert answer["receipt"]["complete"] == complete


def test_a_caller_whose_first_line_was_edited_may_have_another_name() -> None:
    central = traced(
        [definition("retry.py", "retry", 5, project="common-utils")],
        [link(end("b.py", "pay", 1), 3, RETRY)],
        what="callers",
    )

    answer = merge_links(central, None, front_of("b.py", moved={("b.py", 1): None}), what="callers")

    assert [one["line"] for one in answer["callers"]] == [3]
    assert not answer["receipt"]["complete"]


def test_callees_in_the_project_are_the_work_trees_and_those_elsewhere_centrals() -> None:
    pay, local_pay = end("b.py", "pay", 1), end("b.py", "pay", 1, project=LOCAL)
    central = traced(
        [definition("b.py", "pay", 1)],
        [link(pay, 3, CHARGE), link(pay, 4, RETRY)],
        what="callees",
    )
    local = traced(
        [definition("b.py", "pay", 1, project=LOCAL)],
        [link(local_pay, 6, end("a.py", "refund", 30, project=LOCAL))],
        project=LOCAL,
        what="callees",
    )

    answer = merge_links(central, local, front_of("b.py"), what="callees")

    assert [(one["line"], one["callee"]["qualified_name"]) for one in answer["callees"]] == [
        (4, "retry"),
        (6, "refund"),
    ]


def test_a_definition_that_is_gone_is_kept_with_its_callers_and_marked() -> None:
    central = traced(
        [definition("a.py", "charge", 10)],
        [link(end("a.py", "pay", 1), 3, CHARGE), link(end("c.py", "refund", 1), 4, CHARGE)],
        what="callers",
    )

    answer = merge_links(central, None, front_of("a.py"), what="callers")

    assert answer["definitions"] == [definition("a.py", "charge", 10) | {"gone": True}]
    assert places(answer) == [(CENTRAL, "a.py", 3), (CENTRAL, "c.py", 4)]


def test_a_definition_that_moved_to_another_file_keeps_its_callers() -> None:
    central = traced(
        [definition("a.py", "charge", 10)],
        [link(end("c.py", "refund", 1), 4, CHARGE)],
        what="callers",
    )
    local = traced(
        [definition("new.py", "charge", 2, project=LOCAL)], [], project=LOCAL, what="callers"
    )

    answer = merge_links(central, local, front_of("a.py", "new.py"), what="callers")

    [found] = answer["definitions"]
    assert (found["file"], found["line"]) == ("new.py", 2)
    assert "gone" not in found
    assert [one["target"] for one in answer["callers"]] == [0]


def test_a_definition_that_only_the_work_tree_has_is_added_with_its_callers() -> None:
    central = traced([definition("a.py", "charge", 10)], [], what="callers")
    local = traced(
        [
            definition("new.py", "charge", 1, project=LOCAL),
            definition("a.py", "charge", 10, project=LOCAL),
        ],
        [link(end("b.py", "pay", 1, project=LOCAL), 3, end("new.py", "charge", 1, project=LOCAL))],
        project=LOCAL,
        what="callers",
    )

    answer = merge_links(central, local, front_of("b.py", "new.py"), what="callers")

    assert [one["file"] for one in answer["definitions"]] == ["a.py", "new.py"]
    assert [one["target"] for one in answer["callers"]] == [1]
    assert answer["hint"] is None


def test_a_symbol_that_central_does_not_know_is_answered_by_the_work_tree() -> None:
    local = traced(
        [definition("a.py", "charge", 12, project=LOCAL)],
        [link(end("c.py", "refund", 1, project=LOCAL), 4, LOCAL_CHARGE)],
        project=LOCAL,
        what="callers",
    )

    answer = local_only_links(local, front_of("a.py"), what="callers")

    assert places(answer) == [(CENTRAL, "c.py", 4)]
    assert answer["definitions"][0]["project"] == CENTRAL
    assert answer["receipt"]["projects"][0]["project"] == CENTRAL
    assert answer["receipt"]["local"]["files"] == 1


def test_a_further_page_repeats_none_of_the_work_trees_uses() -> None:
    local = traced(
        [definition("a.py", "charge", 12, project=LOCAL)],
        [link(end("b.py", "pay", 1, project=LOCAL), 5, LOCAL_CHARGE)],
        project=LOCAL,
        what="callers",
    )
    central = traced([definition("a.py", "charge", 10)], [], what="callers")

    answer = merge_links(central, local, front_of("b.py"), what="callers", is_first=False)

    assert answer["callers"] == []


FILES = ("a.py", "b.py", "c.py")


@st.composite
def answers(draw: st.DrawFn, project: str) -> Row:
    """Uses of one definition in the files of a project and, on central's side, of another."""
    callee = end("a.py", "charge", 10, project=project)
    projects = [project] if project == LOCAL else [project, "billing"]
    sites = draw(
        st.sets(
            st.tuples(st.sampled_from(projects), st.sampled_from(FILES), st.integers(1, 30)),
            max_size=8,
        )
    )
    links = [
        link(end(file, "f", 1, project=name), line, callee) for name, file, line in sorted(sites)
    ]
    return traced(
        [definition("a.py", "charge", 10, project=project)],
        links,
        project=project,
        what="callers",
    )


@examples(40)
@given(answers(CENTRAL), answers(LOCAL), st.sets(st.sampled_from(FILES), min_size=1))
def test_every_use_in_the_project_is_told_by_one_side_alone(
    central: Row, local: Row, changed: set[str]
) -> None:
    answer = merge_links(central, local, front_of(*changed), what="callers")

    expected = {place for place in places(central) if place[0] != CENTRAL}
    expected |= {place for place in places(central) if place[1] not in changed}
    expected |= {(CENTRAL, file, line) for _, file, line in places(local) if file in changed}
    assert places(answer) == sorted(expected)


@examples(40)
@given(answers(CENTRAL), answers(LOCAL))
def test_a_work_tree_without_changes_leaves_the_trace_as_it_is(central: Row, local: Row) -> None:
    assert merge_links(central, local, front_of(), what="callers") == central


def test_uses_in_the_project_are_the_local_indexs_to_tell_so_none_of_them_is_lacking() -> None:
    """As where the file that holds them, and their definition, is deleted."""
    gone = end("b.py", "old", 1)
    central = traced(
        [definition("b.py", "old", 1)], [link(end("b.py", "pay", 5), 6, gone)], what="callers"
    )
    moved = {("b.py", 1): None, ("b.py", 5): None, ("b.py", 6): None}

    answer = merge_links(central, None, front_of("b.py", moved=moved), what="callers")

    assert answer["callers"] == []
    assert [one["gone"] for one in answer["definitions"]] == [True]
    assert answer["receipt"]["complete"]
