from benchmarks.exact.comparing import Comparison, Difference, Languages, Reason, compare
from benchmarks.exact.queries import Field, Filter, Kind, Query
from benchmarks.exact.report import Outcome, differences, figures
from benchmarks.exact.service import Found
from benchmarks.exact.speed import Times
from benchmarks.tables import Figure
from tests.benchmarks.exact.files import FILES

PLAIN = Query(Kind.IDENTIFIER, "acquire", "no")
IN_PYTHON = Query(Kind.IDENTIFIER, "acquire", "no", (Filter(Field.LANGUAGE, "python"),))
CODE, README = ("pool", "src/pool.py", 1), ("pool", "README.md", 3)
LANGUAGES = Languages(
    {("pool", "src/pool.py"): "python", ("pool", "README.md"): "markdown"},
    {("pool", "src/pool.py"): "Python", ("pool", "README.md"): "Text"},
)


def found(*lines: tuple[str, str, int], complete: bool = True) -> Found:
    return Found(set(lines), set(), complete)


def test_the_same_lines_are_no_difference() -> None:
    compared = compare(PLAIN, found(CODE, README), {CODE, README}, LANGUAGES)
    assert compared == Comparison(PLAIN, 2, [])


def test_a_line_of_one_of_the_two_is_a_bug() -> None:
    compared = compare(PLAIN, found(CODE), {README}, LANGUAGES)
    assert compared.differences == [
        Difference(README, by_service=False, reason=Reason.BUG),
        Difference(CODE, by_service=True, reason=Reason.BUG),
    ]


def test_a_language_explains_only_a_query_and_a_file_of_which_it_differs() -> None:
    assert compare(IN_PYTHON, found(README), set(), LANGUAGES).reasons == {Reason.LANGUAGE}
    assert compare(IN_PYTHON, found(CODE), set(), LANGUAGES).reasons == {Reason.BUG}
    assert compare(PLAIN, found(README), set(), LANGUAGES).reasons == {Reason.BUG}


def test_a_cut_file_and_an_incomplete_search_explain_only_what_the_service_lacks() -> None:
    cut = Found({README}, {CODE[:2], README[:2]}, is_complete=True)
    assert compare(PLAIN, cut, {CODE, README}, LANGUAGES).reasons == {Reason.CUT}
    assert compare(PLAIN, cut, set(), LANGUAGES).reasons == {Reason.BUG}
    incomplete = found(complete=False)
    assert compare(PLAIN, incomplete, {CODE}, LANGUAGES).reasons == {Reason.UNREAD}


def test_the_figures_count_queries_and_the_report_lists_each_difference() -> None:
    compared = [
        compare(PLAIN, found(CODE), {CODE}, LANGUAGES),
        compare(IN_PYTHON, found(README), set(), LANGUAGES),
        compare(PLAIN, found(CODE), {README}, LANGUAGES),
    ]
    times = Times([10.0, 30.0], [20.0, 22.0], [100.0, 100.0])
    by_name = {one.name: one for one in figures(Outcome(FILES, compared, 60, 60, times))}
    assert by_name["queries with the same lines"].value == 1
    assert by_name["… or explained"] == Figure("… or explained", 2, "of 3", 3, at_least=True)
    assert by_name["p50"] == Figure("p50", 20.0, "ms", 42.0)
    assert by_name["random lines on top"].holds
    rows = list(differences(compared))
    assert "    service: pool README.md:3" in rows
    assert "    zoekt: pool README.md:3" in rows
    assert sum(row.startswith("case:") for row in rows) == 2
