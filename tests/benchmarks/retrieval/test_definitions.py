from benchmarks.retrieval.definitions import PER_REPOSITORY, definition_queries
from benchmarks.retrieval.queries import Kind
from indexer.records.files import Span, Symbol


def symbol(name: str, qualified_name: str, start: int, kind: str = "method") -> Symbol:
    return Symbol(name, qualified_name, kind, Span(start, start + 5), "", exported=True)


def test_name_of_one_file_is_asked_alone_and_another_with_what_encloses_it() -> None:
    symbols = {
        "src/lease.py": [symbol("renew_lease", "Lease.renew_lease", 10)],
        "src/pool.py": [symbol("shutdown", "Pool.shutdown", 20)],
        "src/queue.py": [symbol("shutdown", "Queue.shutdown", 30)],
    }
    asked = {query.text: query for query in definition_queries("acme", symbols)}
    assert asked.keys() == {"renew_lease", "Pool.shutdown", "Queue.shutdown"}
    assert {query.kind for query in asked.values()} == {Kind.SYMBOL}
    assert asked["Pool.shutdown"].targets[0].spans == ((20, 25),)


def test_all_definitions_of_a_name_in_its_file_are_right() -> None:
    symbols = {"src/pool.py": [symbol("shutdown", "Pool.shutdown", at) for at in (10, 40)]}
    (query,) = definition_queries("acme", symbols)
    assert query.targets[0].spans == ((10, 15), (40, 45))


def test_tests_short_names_and_what_nothing_tells_apart_are_not_asked() -> None:
    symbols = {
        "tests/test_pool.py": [symbol("renew_lease", "renew_lease", 1)],
        "src/lease.py": [symbol("end", "Lease.end", 1), symbol("shutdown", "shutdown", 9)],
        "src/pool.py": [
            symbol("shutdown", "shutdown", 9),
            symbol("LIMITS", "LIMITS", 1, "constant"),
        ],
    }
    assert not definition_queries("acme", symbols)


def test_drawing_takes_one_of_a_file_and_no_more_than_wanted() -> None:
    symbols = {
        f"src/m{number}.py": [
            symbol(f"first_{number}", f"first_{number}", 1),
            symbol(f"second_{number}", f"second_{number}", 9),
        ]
        for number in range(20)
    }
    drawn = definition_queries("acme", symbols)
    assert drawn == definition_queries("acme", dict(reversed(symbols.items())))
    assert len({query.targets[0].path for query in drawn}) == PER_REPOSITORY
