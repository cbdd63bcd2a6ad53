from collections.abc import Iterable

from benchmarks.exact.comparing import Comparison, Difference, Files, Reason, compare
from benchmarks.exact.corpus import Place
from benchmarks.exact.queries import Field, Filter, Kind, Query
from benchmarks.exact.report import Outcome, differences, figures
from benchmarks.exact.service import Found
from benchmarks.exact.speed import Times
from benchmarks.tables import Figure
from tests.benchmarks.exact.files import FILES

PLAIN = Query(Kind.IDENTIFIER, "acquire", "no")
IN_PYTHON = Query(Kind.IDENTIFIER, "acquire", "no", (Filter(Field.LANGUAGE, "python"),))
CODE, README = ("pool", "src/pool.py", 1), ("pool", "README.md", 3)
BY_PLACE = Files(
    {(one.project, one.path): one for one in FILES},
    {("pool", "src/pool.py"): "Python", ("pool", "README.md"): "Text"},
)


class Zoekt:
    """Finds the same for every query, and more for one in any case."""

    def __init__(self, *lines: Place, in_any_case: Iterable[Place] = ()) -> None:
        self.found, self.in_any_case = set(lines), set(in_any_case)

    def lines(self, query: str) -> set[Place]:
        return self.found | self.in_any_case if "case:no" in query else self.found


def found(*lines: Place, complete: bool = True) -> Found:
    return Found(set(lines), set(), complete)


def test_the_same_lines_are_no_difference() -> None:
    compared = compare(PLAIN, found(CODE, README), Zoekt(CODE, README), BY_PLACE)
    assert compared == Comparison(PLAIN, 2, [])


def test_a_line_of_one_of_the_two_is_a_bug() -> None:
    compared = compare(PLAIN, found(CODE), Zoekt(README), BY_PLACE)
    assert compared.differences == [
        Difference(README, by_service=False, reason=Reason.BUG),
        Difference(CODE, by_service=True, reason=Reason.BUG),
    ]


def test_a_language_explains_only_a_query_and_a_file_of_which_it_differs() -> None:
    assert compare(IN_PYTHON, found(README), Zoekt(), BY_PLACE).reasons == {Reason.LANGUAGE}
    assert compare(IN_PYTHON, found(CODE), Zoekt(), BY_PLACE).reasons == {Reason.BUG}
    assert compare(PLAIN, found(README), Zoekt(), BY_PLACE).reasons == {Reason.BUG}


def test_case_explains_what_zoekt_finds_only_in_any_case_with_a_class() -> None:
    zoekt = Zoekt(in_any_case={CODE})
    for text, case, reason in (
        (r"\w+quire", "auto", Reason.CASE),
        (r"\w+quire", "yes", Reason.BUG),
        ("^acquire", "auto", Reason.BUG),
    ):
        query = Query(Kind.PREFIX, text, case)
        assert compare(query, found(CODE), zoekt, BY_PLACE).reasons == {reason}
    query = Query(Kind.PREFIX, r"\w+quire", "auto")
    assert compare(query, found(README), zoekt, BY_PLACE).reasons == {Reason.BUG}


def test_a_cut_file_and_an_incomplete_search_explain_only_what_the_service_lacks() -> None:
    cut = Found({README}, {CODE[:2], README[:2]}, is_complete=True)
    assert compare(PLAIN, cut, Zoekt(CODE, README), BY_PLACE).reasons == {Reason.CUT}
    assert compare(PLAIN, cut, Zoekt(), BY_PLACE).reasons == {Reason.BUG}
    incomplete = found(complete=False)
    assert compare(PLAIN, incomplete, Zoekt(CODE), BY_PLACE).reasons == {Reason.UNREAD}


def test_the_end_of_a_line_explains_what_a_regex_of_zoekt_finds_in_a_file_with_cr() -> None:
    zoekt = Zoekt(("web", "dos.txt", 2), ("web", "dos.txt", 3))
    regex = Query(Kind.END, r"acquire\W*$", "yes")
    compared = compare(regex, found(), zoekt, BY_PLACE)
    assert [one.reason for one in compared.differences] == [Reason.END, Reason.BUG]
    assert compare(PLAIN, found(), zoekt, BY_PLACE).reasons == {Reason.BUG}


def test_the_figures_count_queries_and_the_report_lists_each_difference() -> None:
    compared = [
        compare(PLAIN, found(CODE), Zoekt(CODE), BY_PLACE),
        compare(IN_PYTHON, found(README), Zoekt(), BY_PLACE),
        compare(PLAIN, found(CODE), Zoekt(README), BY_PLACE),
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
