"""Every call of a member has a reference, whatever stands before the member's name."""

from hypothesis import given
from hypothesis import strategies as st

from tests.indexer.calls_in_source import read_calls
from tests.indexer.resolution.test_file_relations import record_of
from tests.property_settings import examples

ASKED = ("first", "second", "Third", "Fourth")
NAMES = st.sampled_from(ASKED)


def forms(*texts: str) -> st.SearchStrategy[str]:
    """Draw one of the forms."""
    return st.sampled_from(texts)


def filled(form: str, receivers: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Fill `R` by receivers and `N` by names."""
    parts = st.tuples(*[receivers if one == "R" else NAMES for one in form if one in "RN"])

    def fill(values: tuple[str, ...]) -> str:
        found = iter(values)
        return "".join(next(found) if one in "RN" else one for one in form)

    return parts.map(fill)


def receivers(first: st.SearchStrategy[str], *longer: str) -> st.SearchStrategy[str]:
    """Draw expressions, and what may be done to them."""
    return st.recursive(
        first,
        lambda inner: st.one_of([filled(form, inner) for form in longer]),
        max_leaves=4,
    )


def programs(
    head: str, statements: tuple[str, ...], values: st.SearchStrategy[str], end: str
) -> st.SearchStrategy[str]:
    """Draw a function of some statements after the head."""
    drawn = st.one_of([filled(form, values) for form in statements])
    return st.lists(drawn, min_size=1, max_size=5).map(
        lambda lines: head + "\n    ".join(lines) + end
    )


def assert_every_call_is_read(path: str, text: str) -> None:
    """Look each call of a member up among the references.

    The programs call no member of a value that the language's own type has: `[1].first()`.
    """
    found = {(one.line, one.column, one.name) for one in record_of(path, text.encode()).references}
    for one in read_calls(path, text.encode()):
        is_asked = one.receiver and one.name in ASKED
        assert not is_asked or (one.line, one.column, one.name) in found, one


PYTHON = programs(
    """\
import beta
from alpha import Fourth, make
class Third(Fourth):
    field: Gone
    other: Fourth | None = None
async def run(self, x, y: Third, z: list[tuple[Third, Fourth]]):
    """,
    (
        "R.N()",
        "(R.N)()",
        "v = R.N()",
        "v, w = R",
        "v: Third = R",
        "v = R",
        "with R.N() as v: v.N()",
        "async with R as v: v.N()",
        "for v in R: v.N()",
        "[v.N() for v in R if v.N()]",
        "print(R.N(), key=R.N())",
        "if isinstance(v, Third): v.N()",
        "w.N()",
    ),
    receivers(
        forms("x", "y", "z[0][1]", "v", "w", "self", "beta", "make()", "Third", "Fourth()",
              "unbound"),
        "R.N", "R.field", "R.N()", "R[0]", "R['k']", "R[1:]", "R.N[0]", "next(R)", "(await R)",
        "(R or R)", "(R if R else R)", "type(R)", "getattr(R, 'a')", "max(R, R)", "super()",
        "(lambda: R)()",
        "R()", "R.field.encode()",
    ),
    "\n",
)  # fmt: skip


@examples(300)
@given(PYTHON)
def test_every_call_of_python_is_read(text: str) -> None:
    assert_every_call_is_read("a.py", text)


TYPESCRIPT = programs(
    """\
import beta, { Fourth, make } from 'alpha'
import * as ns from './gamma'
class Third extends Fourth { field: Gone = make(); other?: Fourth }
const maps = new Map<string, Third>(), refs = new WeakMap()
async function run(
  this: any, x, y: Third, z: Map<string, Third>, u: unknown, a: any, p: Promise<Third>,
) {
    """,
    (
        "R.N()",
        "(R.N)()",
        "R.N!()",
        "(R.N as any)()",
        "R?.N()",
        "const v = R.N()",
        "let v = R",
        "const { N, w } = R",
        "const [v, w] = R",
        "for (const v of R) v.N()",
        "R.forEach((v) => v.N())",
        "if (v instanceof Third) { v.N() }",
        "new Promise((v) => R.N())",
        "Fourth.prototype.N = function () { this.N(); return R.N() }",
        "const o = { N() { this.N() }, first: R }; o.N()",
        "w.N()",
    ),
    receivers(
        forms("x", "y", "z.get(1)", "u", "a", "p", "v", "w", "this", "beta", "ns", "make()",
              "Third", "new Fourth()",
              "globalThis", "window", "unbound"),
        "R.N", "R.field", "R.N()", "R[0]", "R!", "(R as Third)", "(await R)", "(R ?? R)",
        "(x ? R : R)",
        "R.get(x)", "(maps as any).get(R).N", "(refs as any).get(R).N", "Object.assign(R, R)",
        "R()", "R.N<Third>()",
        "R?.N?.()", "new Proxy(R, {})", "structuredClone(R)",
    ),
    "\n}\n",
)  # fmt: skip


@examples(300)
@given(TYPESCRIPT, st.sampled_from(["a.ts", "a.tsx"]))
def test_every_call_of_typescript_is_read(text: str, path: str) -> None:
    assert_every_call_is_read(path, text)


GO = programs(
    """\
package p
import "acme.example/kit"
type Third struct { kit.Fourth; Field Gone; Other *kit.Fourth }
func run(x any, y *Third, z map[string]Third, c chan Third, f func() Third) {
    """,
    (
        "R.N()",
        "(R.N)()",
        "v := R.N()",
        "v, w := R.N(), R",
        "var v Third = R",
        # In these heads a literal needs parentheses: its brace would begin the block.
        "for _, v := range (R) { v.N() }",
        "if v, ok := (R).(Third); ok { v.N() }",
        "switch v := (R).(type) { case Third: v.N() }",
        "go R.N()",
        "defer func() { R.N() }()",
        "v := make(Third, 1); v.N()",
        "w.N()",
    ),
    receivers(
        forms("x", "y", "z", "c", "v", "w", "kit", "kit.Make()", "Third{}", "(&Third{})",
              "unbound"),
        "R.N", "R.Field", "R.N()", "R[0]", "R[\"k\"]", "(*R)", "R.(Third)", "R()", "new(Third)",
        "append(R, R)[0]",
        "min(R, R)", "(<-R)", "kit.Pointer[Third]{}", "R.N[0]",
    ),
    "\n}\n",
)  # fmt: skip


@examples(300)
@given(GO)
def test_every_call_of_go_is_read(text: str) -> None:
    assert_every_call_is_read("a.go", text)
