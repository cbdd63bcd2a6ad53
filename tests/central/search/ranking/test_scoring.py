from math import prod
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.search import query
from central.search.candidates import Candidate
from central.search.query import parse_query
from central.search.ranking import rules
from central.search.ranking.rules import WEIGHTS, QueryContext
from central.search.ranking.scoring import Ranked, score

PLAIN = Candidate(
    project="gateway",
    id=1,
    point=UUID(int=1),
    repository=1,
    path="src/other.py",
    language="python",
    start_line=1,
    end_line=20,
    type="function",
    name="",
    container="",
    term_ids=b"",
    is_reexport=False,
)


def order(text: str, *candidates: Candidate, **options: object) -> list[int]:
    """Ids in ranked order, all candidates having the same base score."""
    numbered = [candidate._replace(id=index) for index, candidate in enumerate(candidates)]
    same = [1.0] * len(numbered)
    ranked = score(parse_query(text), numbered, same, [0.0] * len(numbered), **options)  # type: ignore[arg-type]
    return [item.candidate.id for item in ranked]


PREFERENCES: list[tuple[str, str, dict[str, object], dict[str, object]]] = [
    ("validate_token", "definition", {"name": "validate_token"}, {"name": "other_thing"}),
    ("validateToken", "definition", {"name": "validate_token"}, {"name": "check"}),
    ("Login.run", "definition", {"name": "run", "container": "Login"}, {"name": "run"}),
    ("who calls parse_url", "mention", {"name": "parse_url"}, {"name": "other_thing"}),
    ("retry payments", "name_words", {"name": "retry_payment"}, {"name": "send_mail"}),
    ("login handler", "container", {"container": "LoginHandler"}, {"container": "Mailer"}),
    ("retry logic", "file_stem", {"path": "src/retry.py"}, {"path": "src/alpha.py"}),
    ("billing totals", "project", {"project": "billing"}, {"project": "alpha"}),
    ("login", "tests", {"path": "zz/login.py"}, {"path": "tests/login.py"}),
    ("login", "examples", {"path": "zz/login.py"}, {"path": "examples/login.py"}),
    ("login", "docs", {"path": "zz/login.py"}, {"path": "docs/login.md"}),
    ("login", "config", {"path": "zz/login.py"}, {"path": "aa/login.yaml"}),
    ("login", "generated", {"path": "zz/login.py"}, {"path": "gen/login.py"}),
    ("login", "vendored", {"path": "zz/login.py"}, {"path": "vendor/login.py"}),
    ("login", "legacy", {"path": "zz/login.py"}, {"path": "legacy/login.py"}),
    ("login", "reexport", {"is_reexport": False}, {"is_reexport": True}),
    ("login", "declarations", {"path": "zz/a.ts"}, {"path": "aa/a.d.ts"}),
    ("login", "tiny", {"start_line": 5, "end_line": 30}, {"start_line": 1, "end_line": 2}),
]


@pytest.mark.parametrize(("text", "rule", "better", "worse"), PREFERENCES)
def test_rule_prefers(
    text: str, rule: str, better: dict[str, object], worse: dict[str, object]
) -> None:
    good = PLAIN._replace(path="src/zeta.py")._replace(**better)  # type: ignore[arg-type]
    bad = PLAIN._replace(path="src/alpha.py")._replace(**worse)  # type: ignore[arg-type]
    only = dict.fromkeys(WEIGHTS, 0.0) | {rule: WEIGHTS[rule]}
    assert order(text, bad, good, weights=only) == [1, 0]
    off = score(
        parse_query(text), [bad, good], [1.0, 1.0], [0.0, 0.0], weights=dict.fromkeys(WEIGHTS, 0.0)
    )
    assert [item.score for item in off] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "path"),
    [("tests of the login", "tests/x.py"), ("login examples", "examples/x.py")],
)
def test_query_that_asks_for_a_kind_does_not_penalise_it(text: str, path: str) -> None:
    scores = score(
        parse_query(text),
        [PLAIN._replace(path=path), PLAIN._replace(id=2, path="zz/x.py")],
        [1.0, 1.0],
        [0.0, 0.0],
        weights={**dict.fromkeys(WEIGHTS, 0.0), "tests": 0.6, "examples": 0.5},
    )
    assert [item.score for item in scores] == [1.0, 1.0]


def test_exact_name_beats_other_case_and_other_spelling() -> None:
    chunks = [PLAIN._replace(name=name) for name in ("get_user", "GETUSER", "getUser")]
    only = dict.fromkeys(WEIGHTS, 0.0) | {"definition": 2.0}
    assert order("getUser", *chunks, weights=only) == [2, 1, 0]


@pytest.mark.parametrize("text", ["Session", "class Session"])
def test_name_as_written_is_a_definition_before_similar_chunks_of_other_spellings(
    text: str,
) -> None:
    session = PLAIN._replace(path="src/z.py", type="class", name="Session")
    others = [
        PLAIN._replace(name="session"),
        PLAIN._replace(path="src/ctx.py", type="method", name="session", container="AppContext"),
    ]
    bases, covered = [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]
    chunks = [chunk._replace(id=n) for n, chunk in enumerate((*others, session), 1)]
    assert score(parse_query(text), chunks, bases, covered)[0].candidate.id == 3


def test_keyword_prefers_its_kind_of_definition() -> None:
    pair = [PLAIN._replace(type="function", name="Job"), PLAIN._replace(type="class", name="Job")]
    assert order("class Job", *pair) == [1, 0]
    assert order("def Job", *reversed(pair)) == [1, 0]


def test_bare_name_asks_for_what_is_defined_at_the_top_before_a_method() -> None:
    method = PLAIN._replace(id=1, path="a.py", type="method", name="echo", container="Context")
    function = PLAIN._replace(id=2, path="z.py", name="echo")
    other = PLAIN._replace(id=3, name="close")
    bases, covered = [1.0, 0.4, 0.0], [1.0, 0.8, 0.0]
    ranked = score(parse_query("def echo"), [method, function, other], bases, covered)
    assert ranked[0].candidate.id == 2


def test_piece_that_lacks_the_first_line_of_a_definition_is_worth_less() -> None:
    middle = PLAIN._replace(path="src/a.py", start_line=30, end_line=50, name="send_file")
    first = PLAIN._replace(
        path="src/a.py", start_line=60, end_line=80, name="send_file", defines=("send_file",)
    )
    assert order("send_file", middle, first) == [1, 0]


def test_symbol_table_tells_what_a_merged_chunk_defines() -> None:
    merged = PLAIN._replace(path="src/z.py", defines=("parse_url",))
    assert order("parse_url", PLAIN, merged) == [1, 0]


def test_chunk_of_several_small_definitions_defines_each_of_them() -> None:
    merged = PLAIN._replace(name="read_key, validate_token, drop_key")
    other = PLAIN._replace(path="src/aaa.py", name="validate_tokens_of, drop_key")
    assert order("validate_token", other, merged) == [1, 0]
    assert order("drop key", PLAIN._replace(path="src/aaa.py", name="keep"), merged) == [1, 0]


def test_more_covered_terms_lift_a_chunk() -> None:
    pair = [PLAIN, PLAIN._replace(id=2, path="src/z.py")]
    ranked = score(parse_query("a b"), pair, [1.0, 1.0], [0.2, 0.9])
    assert ranked[0].candidate.id == 2


def test_rare_word_counts_more_than_a_common_one() -> None:
    query = parse_query("gapless invoice")
    chunks = [PLAIN._replace(name="invoice"), PLAIN._replace(id=2, path="src/z.py", name="gapless")]
    ranked = score(query, chunks, [1.0, 1.0], [0.0, 0.0], importance=[5.0, 1.0])
    assert ranked[0].candidate.id == 2


def test_several_hits_in_a_file_lift_its_best_chunk() -> None:
    alone = PLAIN._replace(path="a.py")
    chunks = [
        alone,
        *(PLAIN._replace(path="z.py", start_line=n * 30, end_line=n * 30 + 9) for n in (1, 2, 3)),
    ]
    assert order("login", *chunks)[0] == 1


def test_hits_in_a_file_lift_the_chunk_that_the_rules_prefer() -> None:
    similar = PLAIN._replace(id=1, path="z.py", start_line=30, end_line=50)
    named = PLAIN._replace(id=2, path="z.py", name="refresh_session")
    other = PLAIN._replace(id=3, path="a.py", name="refresh_session")
    far = PLAIN._replace(id=4, path="y.py")
    chunks, bases = [similar, named, other, far], [1.0, 0.9, 0.9, 0.0]
    ranked = score(parse_query("refresh the session"), chunks, bases, [0.0] * 4, explain=True)
    assert [item.candidate.id for item in ranked][:2] == [2, 3]
    lifted = {item.candidate.id: {one.rule for one in item.effects} for item in ranked}
    assert [id for id, names in lifted.items() if "coherence" in names] == [2]


def test_hits_in_a_file_of_tests_lift_nothing_above_the_code() -> None:
    tests = [PLAIN._replace(path="tests/test_a.py", start_line=n * 30) for n in range(1, 9)]
    code = PLAIN._replace(path="z.py")
    assert order("login", *tests, code)[0] == len(tests)


def test_many_mentions_of_a_name_in_a_file_do_not_lift_it_where_the_query_is_that_name() -> None:
    uses = [PLAIN._replace(path="a.py", start_line=n * 30, name="parse") for n in (1, 2, 3)]
    one = PLAIN._replace(path="b.py", name="parse")
    only = dict.fromkeys(WEIGHTS, 0.0) | {"coherence": 5.0}
    ranked = score(parse_query("parse()"), [*uses, one], [1.0] * 4, [0.0] * 4, weights=only)
    assert {item.score for item in ranked} == {1.0}


def test_exported_implementation_comes_before_overloads_and_what_is_not_exported() -> None:
    minor = PLAIN._replace(path="a.py", name="get", defines=("get",), minor=("get",))
    whole = PLAIN._replace(path="z.py", name="get", defines=("get",))
    assert order("get()", minor, whole) == [1, 0]


def test_other_spelling_is_worth_half_of_the_name_as_written() -> None:
    context = QueryContext(parse_query("getUser()"), [1.0])
    values = [
        rules.definition(context, PLAIN._replace(name=name)) for name in ("getUser", "get_user")
    ]
    assert values == [1.0, 0.5]


def test_definition_that_words_stand_beside_is_worth_less_than_one_asked_for_alone() -> None:
    pair = [PLAIN, PLAIN._replace(id=2, path="src/z.py", name="parse_url")]
    bases, covered = [1.0, 0.0], [1.0, 0.0]
    alone = score(parse_query("parse_url"), pair, bases, covered)
    beside = score(parse_query("what happens before parse_url is called"), pair, bases, covered)
    assert [alone[0].candidate.id, beside[0].candidate.id] == [2, 1]


def test_further_chunks_of_a_file_make_room_for_other_files() -> None:
    same = [PLAIN._replace(id=n, start_line=n * 30, end_line=n * 30 + 20) for n in (1, 2, 3)]
    others = [PLAIN._replace(id=9, path="src/z.py"), PLAIN._replace(id=10, path="src/zz.py")]
    bases = [1.0, 0.95, 0.9, 0.93, 0.0]
    ranked = score(parse_query("login"), [*same, *others], bases, [0.0] * 5)
    assert [item.candidate.id for item in ranked][:2] == [1, 9]


def test_ties_are_broken_by_project_file_and_line() -> None:
    chunks = [
        PLAIN._replace(project="b"),
        PLAIN._replace(project="a", path="z.py"),
        PLAIN._replace(project="a", path="a.py", start_line=50, end_line=70),
        PLAIN._replace(project="a", path="a.py", start_line=9, end_line=29),
    ]
    weights = dict.fromkeys(WEIGHTS, 0.0)
    assert order("q", *chunks, weights=weights) == [3, 2, 1, 0]


@given(
    bases=st.lists(st.floats(-5.0, 5.0, allow_nan=False), min_size=1, max_size=30),
    text=st.text(max_size=40),
)
def test_scores_descend_from_one_and_nothing_is_lost(bases: list[float], text: str) -> None:
    chunks = [
        PLAIN._replace(id=n, path=f"src/f{n % 5}.py", start_line=n, end_line=n + 9, name=text[:9])
        for n in range(len(bases))
    ]
    ranked = score(parse_query(text), chunks, bases, [0.5] * len(bases))
    scores = [item.score for item in ranked]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert {item.candidate.id for item in ranked} == set(range(len(bases)))


def test_no_candidates_are_no_results() -> None:
    assert score(parse_query("q"), [], [], []) == []


def test_every_rule_has_a_name_of_its_own() -> None:
    names = [rule.name for rule in (*rules.BOOSTS, *rules.PENALTIES)]
    assert len({*names, *rules.PATH_PENALTIES}) == len(names) + len(rules.PATH_PENALTIES)
    assert isinstance(Ranked(PLAIN, 1.0), tuple)


def test_every_rule_of_a_candidate_is_one_of_the_preferences() -> None:
    names = {rule.name for rule in (*rules.BOOSTS, *rules.PENALTIES)}
    assert {rule for _, rule, _, _ in PREFERENCES} == names | rules.PATH_PENALTIES.keys()
    assert rules._KINDS.keys() == rules.PATH_PENALTIES.keys() >= query._INTENTS.keys()


@given(
    texts=st.sampled_from(["validate_token", "retry payments", "who calls parse_url in tests"]),
    picked=st.lists(
        st.tuples(
            st.sampled_from(["validate_token", "retry_payment", "parse_url", ""]),
            st.sampled_from(["src/token.py", "tests/test_url.py", "docs/retry.md"]),
            st.integers(1, 40),
            st.integers(0, 5),
        ),
        min_size=1,
        max_size=12,
        unique_by=lambda one: one[1:3],
    ),
)
def test_effects_of_the_rules_make_the_score(
    texts: str, picked: list[tuple[str, str, int, int]]
) -> None:
    query = parse_query(texts)
    candidates = [
        PLAIN._replace(id=index, name=name, path=path, start_line=line, end_line=line + length)
        for index, (name, path, line, length) in enumerate(picked)
    ]
    base = [float(line % 7) for _, _, line, _ in picked]
    coverage = [length / 5 for _, _, _, length in picked]
    ranked = score(query, candidates, base, coverage, explain=True)
    made = [
        sum(one.adds for one in item.effects) * prod(one.times for one in item.effects)
        for item in ranked
    ]
    best = max(made)
    for item, value in zip(ranked, made, strict=True):
        assert item.score == pytest.approx(value / best if best > 0 else 0.0, abs=1e-6)
    unexplained = score(query, candidates, base, coverage)
    assert [(item.candidate, item.score) for item in ranked] == [item[:2] for item in unexplained]
    assert not any(item.effects for item in unexplained)


def test_effects_are_of_the_rules_that_hold() -> None:
    asked = PLAIN._replace(name="validate_token", path="tests/tokens.py")
    [ranked] = score(parse_query("validate_token"), [asked], [1.0], [0.0], explain=True)
    by_rule = {one.rule: one for one in ranked.effects}
    assert by_rule.keys() == {"base", "definition", "name_words", "tests", "file_stem"}
    assert by_rule["definition"].adds == WEIGHTS["definition"]
    assert by_rule["tests"].times == pytest.approx(1 - WEIGHTS["tests"])
