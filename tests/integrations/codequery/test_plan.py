"""The plan as a pure function: what it leaves in a store, and what it does not touch."""

from collections.abc import Mapping, Sequence

from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.integrations.codequery.plan import Entry, Plan, make_plan

PATHS = st.sampled_from(["a.py", "b.py", "src/a.py", "src/c.go", "d"])
HASHES = st.sampled_from(["1", "2", "3"])
LOCAL = st.dictionaries(PATHS, HASHES)
STATUSES = st.sampled_from(["completed", "in_progress", "failed", "cancelled"])
CODES = st.sampled_from(["", "server_error", "unsupported_file"])


@st.composite
def remotes(draw: st.DrawFn) -> list[Entry]:
    rows = draw(st.lists(st.tuples(PATHS, HASHES, STATUSES, CODES), max_size=12))
    return [Entry(f"file-{number}", *row) for number, row in enumerate(rows)]


def applied(plan: Plan, remote: Sequence[Entry]) -> dict[str, Entry]:
    """The store after the plan, by file id."""
    store = {one.file_id: one for one in remote}
    for number, upload in enumerate(plan.uploads):
        new = Entry(f"new-{number}", upload.path, upload.hash)
        store[new.file_id] = new
    for move in plan.moves:
        store[move.entry.file_id] = Entry(move.entry.file_id, move.path, move.entry.hash)
    for step in (*plan.uploads, *plan.moves):
        for entry in step.replaces:
            del store[entry.file_id]
    for entry in plan.deletes:
        del store[entry.file_id]
    return store


@given(LOCAL, remotes())
def test_a_store_has_each_local_file_once_and_nothing_else(
    local: Mapping[str, str], remote: list[Entry]
) -> None:
    store = applied(make_plan(local, remote), remote)
    assert sorted((one.path, one.hash) for one in store.values()) == sorted(local.items())


@given(LOCAL, remotes())
def test_a_second_plan_does_nothing(local: Mapping[str, str], remote: list[Entry]) -> None:
    store = applied(make_plan(local, remote), remote).values()
    again = make_plan(local, store)
    assert (again.uploads, again.moves, again.deletes) == ((), (), ())
    assert len(again.unchanged) == len(local)


@given(LOCAL, remotes(), st.sets(PATHS))
def test_a_plan_of_some_paths_leaves_the_others_alone(
    local: Mapping[str, str], remote: list[Entry], scope: set[str]
) -> None:
    wanted = {path: digest for path, digest in local.items() if path in scope}
    store = applied(make_plan(wanted, remote, scope), remote).values()
    others = {one.file_id for one in remote if one.path not in scope}
    assert {one.file_id for one in store if one.path not in scope} == others
    within = sorted((one.path, one.hash) for one in store if one.path in scope)
    assert within == sorted(wanted.items())


@given(LOCAL, remotes())
def test_content_that_is_there_is_not_uploaded_again(
    local: Mapping[str, str], remote: list[Entry]
) -> None:
    plan = make_plan(local, remote)
    free = [
        one.hash
        for one in remote
        if one.is_usable and one not in plan.unchanged and one not in [m.entry for m in plan.moves]
    ]
    assert not {upload.hash for upload in plan.uploads} & set(free)


def test_two_files_that_change_places_are_moved() -> None:
    remote = [Entry("file-1", "a", "1"), Entry("file-2", "b", "2")]
    plan = make_plan({"a": "2", "b": "1"}, remote)
    assert {(move.entry.file_id, move.path) for move in plan.moves} == {
        ("file-1", "b"), ("file-2", "a"),
    }  # fmt: skip
    assert not plan.uploads
    assert not plan.deletes


def test_what_the_service_refused_for_good_is_not_uploaded_again() -> None:
    refused = Entry("file-1", "a", "1", "failed", "unsupported_file")
    broken = Entry("file-2", "b", "2", "failed", "server_error")
    plan = make_plan({"a": "1", "b": "2"}, [refused, broken])
    assert plan.unchanged == (refused,)
    assert [(one.path, one.replaces) for one in plan.uploads] == [("b", (broken,))]
