import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.cli.overlay.search import merge_hits, without_changed
from tests.cli.overlay.rows import CENTRAL, LOCAL, SNAPSHOT, Row, found, front_of, hit
from tests.property_settings import examples

FILES = ("a.py", "b.py", "c.py")


def hits_of(project: str, *, others: bool) -> st.SearchStrategy[list[Row]]:
    """Hits in descending order, no place twice; with `others`, of another project too."""
    places = st.tuples(
        st.sampled_from([project, "auth-service"] if others else [project]),
        st.sampled_from(FILES),
        st.integers(1, 40),
    )
    scored = st.dictionaries(places, st.floats(0.0, 1.0), max_size=10)
    return scored.map(
        lambda scores: [
            hit(file, line, score, project=name)
            for (name, file, line), score in sorted(scores.items(), key=lambda item: -item[1])
        ]
    )


central_hits = hits_of(CENTRAL, others=True)
local_hits = hits_of(LOCAL, others=False)
changes = st.sets(st.sampled_from(FILES), min_size=1)
limits = st.integers(1, 12)


def test_a_changed_file_is_told_by_the_work_tree_and_every_other_by_central() -> None:
    central = found([hit("a.py", 1, 1.0), hit("b.py", 1, 0.5)])
    local = found(
        [hit("a.py", 7, 1.0, project=LOCAL), hit("b.py", 1, 0.5, project=LOCAL)], project=LOCAL
    )

    answer, *_ = merge_hits(central, local, front_of("a.py"), limit=10)

    [fresh, kept] = answer["results"]
    assert (fresh["project"], fresh["file"], fresh["start_line"]) == (CENTRAL, "a.py", 7)
    assert (fresh["local"], fresh["commit"], fresh["url"]) == (True, SNAPSHOT, None)
    assert kept == central["results"][1]
    assert answer["count"] == 2
    assert answer["receipt"]["local"]["files"] == 1
    assert answer["receipt"]["complete"]


def test_commits_are_centrals_alone_whatever_the_work_tree_changed() -> None:
    commit = {**hit("a.py", 1, 1.0), "change": {"subject": "Begin"}}
    answer, *_ = merge_hits(found([commit]), found([], project=LOCAL), front_of("a.py"), limit=10)
    assert answer["results"] == [commit]


@examples(40)
@given(central_hits, local_hits)
def test_a_work_tree_without_changes_leaves_the_answer_as_it_is(
    central: list[Row], local: list[Row]
) -> None:
    answer, through, *_ = merge_hits(
        found(central), found(local, project=LOCAL), front_of(), limit=10
    )

    assert answer == found(central)
    assert through == len(central)


def test_a_hit_that_is_worth_nothing_says_nothing_of_the_scale() -> None:
    central = [hit("a.py", 1, 1.0)]
    local = [hit("b.py", 1, 1.0, project=LOCAL), hit("a.py", 1, 1e-310, project=LOCAL)]

    answer, *_ = merge_hits(found(central), found(local, project=LOCAL), front_of("b.py"), limit=10)

    assert all(0.0 <= one["score"] <= 1.0 for one in answer["results"])


@examples(40)
@given(central_hits, local_hits, changes, limits)
def test_every_path_is_told_by_one_side_alone_in_descending_order(
    central: list[Row], local: list[Row], changed: set[str], limit: int
) -> None:
    overlay = front_of(*changed)

    answer, *_ = merge_hits(found(central), found(local, project=LOCAL), overlay, limit=limit)

    results = answer["results"]
    assert all(("local" in one) == overlay.is_overridden(one) for one in results)
    assert len(results) <= limit
    scores = [one["score"] for one in results]
    assert scores == sorted(scores, reverse=True)
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert not {LOCAL} & {one["project"] for one in results}


@examples(40)
@given(central_hits, local_hits, changes, limits)
def test_what_of_central_is_not_shown_is_where_the_next_page_begins(
    central: list[Row], local: list[Row], changed: set[str], limit: int
) -> None:
    overlay = front_of(*changed)

    answer, through, *_ = merge_hits(
        found(central), found(local, project=LOCAL), overlay, limit=limit
    )

    place = ("project", "file", "start_line")
    shown = [tuple(one[name] for name in place) for one in answer["results"] if "local" not in one]
    before = [one for one in central[:through] if not overlay.is_overridden(one)]
    assert shown == [tuple(one[name] for name in place) for one in before]


@pytest.mark.parametrize(
    ("central", "local", "expected"),
    [
        pytest.param(
            [hit("x.py", 1, 1.0, project="other"), hit("b.py", 1, 0.6)],
            [("a.py", 1.0), ("b.py", 0.8)],
            0.75,
            id="by the hits that both have",
        ),
        pytest.param(
            [hit("x.py", 1, 1.0, project="other"), hit("x.py", 9, 0.4, project="other")],
            [("a.py", 1.0), ("b.py", 0.8)],
            0.5,
            id="below a full page that has none of them",
        ),
        pytest.param(
            [hit("x.py", 1, 1.0, project="other", similarity=0.8)],
            [("a.py", 1.0)],
            0.5 / 0.8,
            id="by how alike the best hits are",
        ),
        pytest.param(
            [hit("x.py", 1, 1.0, project="other", similarity=None)],
            [("a.py", 1.0)],
            1.0,
            id="as it is, where nothing tells",
        ),
    ],
)
def test_local_scores_are_put_on_centrals_scale(
    central: list[Row], local: list[tuple[str, float]], expected: float
) -> None:
    hits = [hit(file, 1, score, project=LOCAL) for file, score in local]

    answer, *_ = merge_hits(found(central), found(hits, project=LOCAL), front_of("a.py"), limit=2)

    [fresh] = [one for one in answer["results"] if "local" in one]
    assert fresh["score"] == pytest.approx(expected)


def test_a_chunk_that_only_moved_in_a_changed_file_is_known_on_both_sides() -> None:
    central = found([hit("c.py", 1, 1.0), hit("a.py", 1, 0.4, content="def f", name="f")])
    local = found([hit("a.py", 9, 1.0, project=LOCAL, content="def f", name="f")], project=LOCAL)

    answer, *_ = merge_hits(central, local, front_of("a.py"), limit=10)

    assert [one["score"] for one in answer["results"]] == [1.0, 0.4]


def test_a_better_hit_than_centrals_best_becomes_the_best_of_all() -> None:
    central = found([hit("b.py", 1, 1.0), hit("c.py", 1, 0.5)])
    local = found(
        [hit("a.py", 1, 1.0, project=LOCAL), hit("b.py", 1, 0.5, project=LOCAL)], project=LOCAL
    )

    answer, *_ = merge_hits(central, local, front_of("a.py"), limit=10)

    assert [(one["file"], one["score"]) for one in answer["results"]] == [
        ("a.py", 1.0),
        ("b.py", 0.5),
        ("c.py", 0.25),
    ]


def test_scores_do_not_begin_anew_on_a_further_page() -> None:
    central = found([hit("b.py", 1, 0.4), hit("c.py", 1, 0.2)])
    local = found(
        [hit("a.py", 1, 1.0, project=LOCAL), hit("b.py", 1, 0.8, project=LOCAL)], project=LOCAL
    )

    answer, *_ = merge_hits(central, local, front_of("a.py"), limit=10, skipped=1, is_first=False)

    assert [one["score"] for one in answer["results"]] == [0.4, 0.2]


def test_an_answer_that_is_empty_now_says_why() -> None:
    central = found([hit("a.py", 1, 1.0)])

    answer = without_changed(central, front_of("a.py"))

    assert answer["results"] == []
    assert "work tree has changed" in answer["hint"]


def test_the_better_confidence_of_both_is_that_of_the_merged_answer() -> None:
    nothing = {"confidence": "none", "match": 0.0, "hint": "No good match."}
    central = {**found([hit("b.py", 1, 1.0)]), **nothing}
    good = {"confidence": "strong", "match": 0.8}
    local = {**found([hit("a.py", 7, 1.0, project=LOCAL)], project=LOCAL), **good}
    answer, *_ = merge_hits(central, local, front_of("a.py"), limit=10)
    assert (answer["confidence"], answer["match"], answer["hint"]) == ("strong", 0.8, None)
    weak = {**local, "confidence": "weak", "match": 0.3, "hint": "A weak match."}
    answer, *_ = merge_hits(central, weak, front_of("a.py"), limit=10)
    assert (answer["confidence"], answer["match"], answer["hint"]) == ("weak", 0.3, "A weak match.")
    answer, *_ = merge_hits(central, {**local, "results": []}, front_of("a.py"), limit=10)
    assert (answer["confidence"], answer["match"]) == ("none", 0.0)
    assert answer["hint"] == "No good match."


def with_spans(row: Row, *scores: float) -> Row:
    return {**row, "spans": [{"start_line": 9, "score": score} for score in scores]}


def scores_of(results: list[Row]) -> list[tuple[str, float, list[float]]]:
    return [
        (one["file"], one["score"], [span["score"] for span in one.get("spans", ())])
        for one in results
    ]


def test_files_with_further_hits_are_told_by_one_side_with_scores_on_one_scale() -> None:
    central = found([with_spans(hit("b.py", 1, 1.0), 0.5), with_spans(hit("a.py", 1, 0.9), 0.1)])
    hits = [with_spans(hit("a.py", 7, 1.0), 0.5, 0.25), with_spans(hit("b.py", 1, 0.5), 0.25)]
    local = found([{**one, "project": LOCAL} for one in hits], project=LOCAL)

    answer, *_ = merge_hits(central, local, front_of("a.py"), limit=10)

    assert scores_of(answer["results"]) == [("a.py", 1.0, [0.5, 0.25]), ("b.py", 0.5, [0.25])]


def test_further_hits_of_a_file_are_no_better_than_its_best_on_a_further_page() -> None:
    central = found([hit("b.py", 1, 0.4)])
    hits = [hit("b.py", 1, 0.2), with_spans(hit("a.py", 1, 1.0), 0.8, 0.25)]
    local = found([{**one, "project": LOCAL} for one in hits], project=LOCAL)

    answer, *_ = merge_hits(central, local, front_of("a.py"), limit=10, is_first=False)

    assert scores_of(answer["results"]) == [("a.py", 1.0, [1.0, 0.5]), ("b.py", 0.4, [])]
