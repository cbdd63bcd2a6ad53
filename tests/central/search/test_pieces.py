"""A definition that is too long for a chunk is one result, which begins at its signature."""

from collections.abc import Callable
from uuid import UUID

import pytest

from aeterna_code_search.contract.search import Result, SearchAnswer, SearchRequest
from central.search.candidates import Candidate, Joiner
from central.search.service import search
from central.tenancy.credentials import Credential
from tests.central.search.corpus import credential_for, index_repository, organization_of

BODY = "".join(
    f"    ledger_{n} = reconcile(account_{n}, statement_{n}, {n})\n    audit(ledger_{n})\n\n"
    for n in range(60)
)
LONG = f'''"""Ledgers."""


# Compares every account with its statement.
# {"It is called at night. " * 8}
def reconcile_all(
    accounts,
    statements,
):
{BODY}    return accounts


def reconcile(account, statement, tolerance):
    """Compare one account with its statement."""
    return abs(account - statement) <= tolerance
'''
OVERLOADS = "".join(
    f"""    /** Appends {kind} values, {n} at a time, to the journal that is open now. */
    public Journal append({kind} value{n}) {{
        this.entries.add(format{n}(value{n}));
        this.size += {n} + this.overhead(value{n});
        return this;
    }}

"""
    for n, kind in enumerate(("int", "long", "String", "double"))
)
LATE = "def settle(day):\n" + "    close(day, 'a sentence of some length')\n" * 15
LATE += "    # FIXME: rounding\n    return day\n"
FILES = {
    "src/late.py": LATE,
    "src/ledger.py": LONG,
    "src/Journal.java": f"class Journal {{\n{OVERLOADS}}}\n",
}
LINES = LONG.split("\n")
SIGNATURE = LINES.index("def reconcile_all(") + 1

Search = Callable[..., SearchAnswer]


@pytest.fixture
def credential(db: None) -> Credential:
    organization = organization_of("acme")
    index_repository(organization, "books", FILES)
    return credential_for(organization)


@pytest.fixture
def find(credential: Credential) -> Search:
    def find(*queries: str, **options: object) -> SearchAnswer:
        return search(credential=credential, request=SearchRequest(queries=queries, **options))  # type: ignore[arg-type]

    return find


def _of(answer: SearchAnswer, name: str) -> list[Result]:
    return [result for result in answer.results if result.name == name]


@pytest.mark.parametrize("query", ["reconcile_all", "audit ledger of account statement"])
def test_pieces_of_a_function_are_one_result_with_several_ranges(find: Search, query: str) -> None:
    answer = find(query, explain=True)
    [result] = _of(answer, "reconcile_all")
    assert len(result.ranges) > 1
    assert result.ranges == sorted(result.ranges)
    assert result.start_line == result.ranges[0][0] <= SIGNATURE
    assert result.end_line in {end for _, end in result.ranges}
    assert result.why is not None
    assert answer.count == len(answer.results)


def test_cut_content_begins_at_the_signature_and_ends_with_a_line(find: Search) -> None:
    [result] = _of(find("reconcile_all"), "reconcile_all")
    assert result.content_start_line == SIGNATURE
    assert result.truncated
    shown = result.content.split("\n")
    assert shown[0] == "def reconcile_all("
    assert shown == LINES[SIGNATURE - 1 : SIGNATURE - 1 + len(shown)]
    assert len(result.content) <= 500


@pytest.mark.parametrize(
    ("query", "options", "first"),
    [
        ("FIXME", {}, 15),
        ("settle FIXME", {}, 1),
        ("close every day", {}, 1),
        ("FIXME", {"max_content": 5_000}, 1),
        ("FIXME", {"expand": 1, "max_content": 500}, 1),
    ],
)
def test_cut_content_begins_before_the_first_word_if_none_would_be_in_it(
    find: Search, query: str, options: dict[str, int], first: int
) -> None:
    [result] = _of(find(query, **options), "settle")
    assert (result.start_line, result.content_start_line) == (1, first)
    assert result.truncated == (options.get("max_content") != 5_000)
    assert LATE.split("\n")[first - 1 :][0] == result.content.split("\n")[0]


def test_whole_content_has_the_comment_and_the_lines_to_the_end_of_the_best_piece(
    find: Search,
) -> None:
    [result] = _of(find("reconcile_all", max_content=100_000), "reconcile_all")
    assert not result.truncated
    assert result.content == "\n".join(LINES[result.start_line - 1 : result.end_line])
    [wide] = _of(find("reconcile_all", expand=2, max_content=100_000), "reconcile_all")
    assert wide.content_start_line == result.start_line - 2
    assert wide.content == "\n".join(LINES[result.start_line - 3 : result.end_line + 2])


def test_overloads_are_results_of_their_own(find: Search) -> None:
    assert len(_of(find("append"), "append")) > 1


def test_pages_together_are_the_long_answer(find: Search) -> None:
    queries = "reconcile_all", "append values to the journal"
    whole = find(*queries, limit=50)
    paged, cursor = [], ""
    while True:
        page = find(*queries, limit=1, cursor=cursor)
        paged += page.results
        cursor = page.next_cursor or ""
        if not cursor:
            break
    assert [(one.file, one.ranges, one.score) for one in paged] == [
        (one.file, one.ranges, one.score) for one in whole.results
    ]
    [result] = _of(whole, "reconcile_all")
    assert set(result.matched) <= set(queries)


def test_pieces_of_a_class_that_are_apart_stand_in_ranked_order() -> None:
    """The second piece stood right behind the first, before better hits."""

    def hit(key: int, kind: str, name: str, lines: tuple[int, int], score: float) -> Candidate:
        row = ("shop", key, UUID(int=key), 1, "a.py", "python", *lines, kind, name, "", b"", False)
        return Candidate(*row, score=score, queries=(0,))

    ranked = [
        hit(1, "class", "Book", (1, 9), 1.0),
        hit(2, "function", "audit", (200, 209), 0.9),
        hit(3, "class", "Book", (100, 109), 0.3),
    ]
    joiner = Joiner(lambda chunks: dict.fromkeys(chunks, 1))
    joiner.add(ranked)
    assert [one.id for one in joiner.hits] == [1, 2, 3]
