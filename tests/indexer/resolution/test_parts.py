"""What is in containers, what callables give, and the members of objects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.indexer.resolution.test_file_relations import uses
from tests.indexer.resolution.test_resolver import calls

PYTHON = """\
from typing import Callable, Self, cast
import typing as t
from m import Item, Other, Box

class Repo:
    items: list[Item]
    by_name: dict[str, Item]
    either: Item | Other

    def all(self) -> list[Item]: ...
    def me(self) -> t.Self: ...
    def f(self):
        {self}

def g(items: list[Item], pair: tuple[Item, Other], make: Callable[[], Item], x: Item | Other,
      repo: Repo, o):
    {body}
"""


@pytest.mark.parametrize(
    "body",
    [
        "for x in items: x.go()",
        "[x.go() for x in items]",
        "items[0].go()",
        "first = items[0]; first.go()",
        "for n, x in enumerate(sorted(items)): x.go()",
        "for a, x in zip(o, reversed(items)): x.go()",
        "items.pop().go()",
        "next(iter(items)).go()",
        "next(iter(items), None).go()",
        "next(iter(repo.by_name.values())).go()",
        "next(x for x in items if x.ok(')')).go()",
        "x = next((x for x in items if x.ok), None); x.go()",
        "x = next(iter(items)); x.go()",
        "max(items, key=len).go()",
        "x = min(filter(None, items)); x.go()",
        "sorted(items, key=len)[0].go()",
        "some = list(items); some[0].go()",
        "some = sorted(repo.items); [x.go() for x in some]",
        "for x in list(filter(None, items)): x.go()",
        "for x in [y for y in items if y.ok]: x.go()",
        "for n, x in enumerate(list(items)): x.go()",
        "for k, v in sorted(repo.by_name.items()): v.go()",
        "make().go()",
        "a, b = pair; a.go()",
        "a, b = (items[0], o); a.go()",
        "for x in repo.items: x.go()",
        "for k, v in repo.by_name.items(): v.go()",
        "for v in repo.by_name.values(): v.go()",
        "repo.by_name['a'].go()",
        "repo.by_name.get('a').go()",
        "if isinstance(o, Item): o.go()",
        "o is None or isinstance(o, Item) and o.go()",
        "assert isinstance(o, Item); o.go()",
        "y = cast(Item, o); y.go()",
        "if (y := repo.by_name['a']): y.go()",
    ],
)
def test_item_is_an_instance_of_what_is_written(body: str) -> None:
    text = PYTHON.format(self="pass", body=body)
    assert calls("a.py", text, "go") == ["call import:Item instance go"]


@pytest.mark.parametrize(
    ("body", "root"),
    [
        ("for x in self.all(): x.go()", "local:Repo.all.*"),
        ("self.all()[0].go()", "local:Repo.all.[]"),
        ("self.me().go()", "local:Repo.me"),
        ("next(iter(self.all())).go()", "local:Repo.all.*"),
        ("some = list(self.all()); some[0].go()", "local:Repo.all.*"),
        ("self.either.go()", "local:<Item | Other>"),
        ("Box[int]().go()", "import:Box"),
        ("o = Box[dict[str, Item]](); o.go()", "import:Box"),
    ],
)
def test_what_another_definition_tells_is_left_to_its_type(body: str, root: str) -> None:
    text = PYTHON.format(self=body, body="pass")
    assert [one.rpartition(" ")[0].rpartition(" ")[0] for one in calls("a.py", text, "go")] == [
        f"call {root}"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "max(items, pair).go()",
        "next(o).go()",
        "list(items).go()",
        "list(repo.by_name)[0].go()",
        "next(enumerate(items)).go()",
        "next().go()",
        "filter(items).go()",
        "some = set(); some.go()",
        "def next(x): ...\n    next(items).go()",
    ],
)
def test_what_functions_over_items_do_not_give(body: str) -> None:
    text = PYTHON.format(self="pass", body=body)
    assert "call import:Item instance go" not in calls("a.py", text, "go")


@pytest.mark.parametrize("body", ["next(o).go()", "x = max(o, items); x.go()"])
def test_item_of_an_untold_value_is_unknown(body: str) -> None:
    text = PYTHON.format(self="pass", body=body)
    assert calls("a.py", text, "go") == ["call unknown: path go"]


_ITEMS = st.recursive(
    st.sampled_from(["items", "repo.items", "repo.by_name.values()"]),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["list", "sorted", "iter", "set", "reversed"]), inner).map(
            lambda one: f"{one[0]}({one[1]})"
        ),
        inner.map("sorted({}, key=lambda x: (x.a, ')'))".format),
        inner.map("filter(None, {})".format),
        inner.map("(y for y in {} if y.ok(1))".format),
        inner.map("[y for y in {}]".format),
    ),
    max_leaves=4,
)


@given(
    _ITEMS,
    st.sampled_from(
        [
            "next(iter({})).go()",
            "max({}, key=len).go()",
            "x = next(iter({}), None); x.go()",
            "for x in {}: x.go()",
            "[x.go() for x in {}]",
            "for n, x in enumerate({}): x.go()",
            "x = list({})[0]; x.go()",
            "some = tuple({}); some[0].go()",
        ]
    ),
)
def test_items_keep_their_type_through_functions_over_them(items: str, use: str) -> None:
    text = PYTHON.format(self="pass", body=use.format(items))
    assert calls("a.py", text, "go") == ["call import:Item instance go"]


def test_result_that_is_an_item_is_a_type() -> None:
    text = "from m import A\ndef f(items: list[A]):\n    return next(iter(items))\n"
    assert uses("a.py", text) == ["type import:A instance"]


def test_alias_of_a_container_has_its_parts() -> None:
    text = (
        "from typing import Any, Callable\nfrom m import A\nMake = Callable[..., A]\n"
        "Names = dict[str, A]\ndef f(make: Make, names: Names, x: Any):\n"
        "    make().go()\n    names['a'].go()\n    x.go()\n"
    )
    assert calls("a.py", text, "go") == [
        "call import:A instance go",
        "call import:A instance go",
        "call unknown: path go",
    ]


def test_quoted_type_is_an_argument() -> None:
    text = "from m import Signal\nNamed = Signal['App']\ndef f(x: Named):\n    x.send()\n"
    assert calls("a.py", text, "send") == ["call import:Signal instance send"]


def test_narrowed_name_is_what_it_was_outside() -> None:
    text = "from m import A\ndef f(x):\n    if isinstance(x, A):\n        pass\n    x.go()\n"
    assert calls("a.py", text, "go") == ["call unknown: path go"]


def test_several_classes_are_a_definition_of_the_file() -> None:
    text = "from m import A, B\ndef f(x: A | B, y: B | A | None):\n    x.go()\n    y.go()\n"
    assert uses("a.py", text) == [
        "call local:<A | B> instance go",
        "call local:<B | A> instance go",
        "type import:A instance",
        "type import:B instance",
        "type import:B instance",
        "type import:A instance",
    ]


def test_union_with_builtins_is_its_class() -> None:
    text = "from m import A\ndef f(x: str | A | None):\n    x.go()\n"
    assert calls("a.py", text, "go") == ["call import:A instance go"]


def test_item_of_a_container_that_tells_nothing_is_unknown() -> None:
    text = "def f(x: list, y: dict[str, int]):\n    x[0].go()\n    y['a'].go()\n"
    assert calls("a.py", text, "go") == ["call unknown: path go"]


TYPESCRIPT = """\
import { Item, Other, create, helper } from "./m";
interface Props { item: Item; run: (x: number) => Item }
type Options = { item: Item; list: Item[] };
class Repo {
  items: Item[] = [];
  named = new Map<string, Item>();
  typed: Map<string, Item>;
  constructor() { this.handle = this.handle.bind(this); }
  handle() {}
  f() { %s }
}
function build() { const item = new Item(); return { item, made: new Item() }; }
const space = { helper, item: new Item() };
function g({ item, run }: Props, o: Options, list: Array<Item>, u: unknown, repo: Repo) { %s }
"""


@pytest.mark.parametrize(
    "body",
    [
        "for (const x of list) x.go()",
        "list[0]?.go()",
        "list.forEach((x) => x.go())",
        "list.filter((x) => x.ok).map((x) => { x.go() })",
        "list.find((x) => x.ok)!.go()",
        "repo.items[0].go()",
        "const { items } = repo; items[0].go()",
        "const { items: found } = repo; found[0].go()",
        "repo.typed.get('a')?.go()",
        "for (const [k, v] of repo.typed) v.go()",
        "for (const [k, v] of repo.typed.entries()) v.go()",
        "if (u instanceof Item) { u.go() }",
        "const y = u as Item; y.go()",
        "space.item.go()",
    ],
)
def test_item_in_typescript_is_an_instance_of_what_is_written(body: str) -> None:
    assert calls("a.ts", TYPESCRIPT % ("", body), "go") == ["call import:Item instance go"]


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("item.go()", "call import:Item instance go"),
        ("run(1).go()", "call local:Props.run result go"),
        ("o.list[0].go()", "call local:Options.list.[] instance go"),
        ("const { made } = build(); made.go()", "call local:build.made instance go"),
        ("const [a, b] = create(); b.go()", "call import:create.1 instance go"),
        (
            "const v = await create<Item>(); v.go()",
            "call local:<create(<create>/0=Item)> instance go",
        ),
        ("space.helper().go()", "call import:helper result go"),
    ],
)
def test_what_a_pattern_takes_has_the_type_of_the_member(body: str, use: str) -> None:
    assert calls("a.ts", TYPESCRIPT % ("", body), "go") == [use]


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("for i, (a, b) in make(): b.go()", "call import:make.*.1.1 instance go"),
        ("a, (b, *c) = make(); b.go()", "call import:make.1.0 instance go"),
        ("(a, b), c = make(); b.go()", "call import:make.0.1 instance go"),
        ("*a, b = make(); a.go()", "call unknown: path go"),
    ],
)
def test_name_of_an_inner_pattern_is_what_its_places_take(body: str, use: str) -> None:
    text = f"from m import go, make\ndef f():\n    {body}\n"
    assert calls("a.py", text, "go") == [use]


def test_name_of_an_inner_pattern_is_not_the_import() -> None:
    text = "from m import go, make\nfor i, (go, b) in make():\n    go()\n"
    assert calls("a.py", text, "go") == []


@pytest.mark.parametrize("name", ["auto [k, v]", "auto& [k, v]", "const auto& [k, v]"])
def test_structured_binding_of_a_loop_takes_a_part_of_the_item(name: str) -> None:
    text = f"void f(std::map<int, Item> m) {{ for ({name} : m) {{ v.go(); }} }}\n"
    assert calls("a.cpp", text, "go") == ["call free:Item instance go"]


@pytest.mark.parametrize("body", ["(u as any).go()", "(<any>u).go()", "(u as T).go()"])
def test_cast_that_tells_nothing_is_unknown(body: str) -> None:
    text = TYPESCRIPT % ("", f"function inner<T>() {{ {body} }}")
    assert calls("a.ts", text, "go") == ["call unknown: path go"]


@pytest.mark.parametrize("bound", ["object", "Record<string, Item>", "Array<Item>"])
def test_type_parameter_that_the_language_bounds_is_unknown(bound: str) -> None:
    body = f"function inner<T extends {bound}>(x: T, y: () => Promise<T>) {{ x.go(); y().go(); }}"
    assert calls("a.ts", TYPESCRIPT % ("", body), "go") == ["call unknown: path go"] * 2


def test_method_bound_to_its_object_is_the_method() -> None:
    text = TYPESCRIPT % ("this.handle()", "")
    assert calls("a.ts", text, "handle") == [
        "value local:Repo instance handle",  # in `this.handle.bind(this)`
        "call local:Repo instance handle",
    ]


def test_generic_call_that_is_awaited_is_a_call() -> None:
    text = "import { f } from './m'\nexport async function g() { await f<string>() }\n"
    assert uses("a.ts", text) == ["call import:f path f"]


def test_dynamic_import_binds_its_names() -> None:
    text = "async function g() { const { f, h: k } = await import('./m'); f(); k() }\n"
    assert uses("a.ts", text) == ["call import:f path f", "call import:k path k"]


GO = """\
package p
import "example.com/m"
type Items []*m.Item
type Store struct {
	items []*m.Item
	names map[string]*m.Item
	queue chan *m.Item
	make  func() *m.Item
	inner struct{ item *m.Item }
}
func (s *Store) All() []*m.Item { return s.items }
func (s *Store) Use(list Items, other *m.Store) { %s }
"""


@pytest.mark.parametrize(
    "body",
    [
        "for _, x := range s.items { x.Go() }",
        "for k, x := range s.names { x.Go(k) }",
        "for x := range s.queue { x.Go() }",
        "s.items[1:][0].Go()",
        'x, ok := s.names["a"]; x.Go()',
        "x := <-s.queue; x.Go()",
        "select { case x := <-s.queue: x.Go() }",
        "s.make().Go()",
        "s.inner.item.Go()",
        "tests := []struct{ item *m.Item }{}; for _, tt := range tests { tt.item.Go() }",
    ],
)
def test_item_in_go_is_an_instance_of_what_is_written(body: str) -> None:
    assert calls("a.go", GO % body, "Go") == ["call import:m.Item instance Go"]


@pytest.mark.parametrize(
    ("body", "root"),
    [
        ("for _, x := range list { x.Go() }", "local:Items.*.1"),
        ("for _, x := range s.All() { x.Go() }", "local:Store.All.*.1"),
        ("for _, x := range other.Items { x.Go() }", "import:m.Store.Items.*.1"),
    ],
)
def test_item_of_a_named_type_is_a_part_of_it(body: str, root: str) -> None:
    assert calls("a.go", GO % body, "Go") == [f"call {root} instance Go"]


@pytest.mark.parametrize(
    "body",
    [
        "for x in [y" + " for y in y" * 5_000 + "]: x.go()",
        "for x in [y for y in (" + "a if b else " * 20_000 + "c)]: x.go()",
        "for "
        + "".join(f"(a{n}, " for n in range(400))
        + "x"
        + ")" * 400
        + " in "
        + "enumerate(" * 400
        + "items"
        + ")" * 400
        + ": x.go()",
    ],
    ids=["comprehensions", "conditions", "pairs"],
)
def test_hostile_items_are_read_in_a_moment(body: str) -> None:
    assert len(calls("a.py", f"def f(items):\n    {body}\n", "go")) == 1


def test_a_condition_in_a_string_ends_no_items() -> None:
    text = "from m import A\ndef f(a: dict[str, A]):\n    next(x for x in a[' if ('] if x).go()\n"
    assert calls("a.py", text, "go") == ["call import:A.* instance go"]


def test_what_is_taken_of_a_type_is_its_member_and_not_the_type() -> None:
    text = (
        "import { Item, Other } from 'm';\n"
        "interface Box<T> { item: Item; items: Item[]; pair: [Other, Item] }\n"
        "function f<K extends keyof Box<Other>>(a: Box<() => Other>['item'], b: Other['x'],\n"
        "    c: Box<Other>['items'][number], d: Box<Other>[K], e: Promise<Other['x']>) {\n"
        "  a.one(); b.of_other(); c.two(); d.unknown(); e.unknown();\n"
        "}\n"
        "function g<T extends Other>(all: { [K in keyof T]: T[K] }, own: Record<string, Item>) {\n"
        "  all.any.unknown(); own.any.four(); own.constructor.unknown();\n"
        "}\n"
    )
    of_member = {name: calls("a.ts", text, name) for name in ("one", "of_other", "two", "four")}
    assert of_member == {
        "one": ["call import:Item instance one"],
        "of_other": ["call import:Other.x instance of_other"],
        "two": ["call import:Item instance two"],
        "four": ["call import:Item instance four"],
    }
    assert calls("a.ts", text, "unknown") == ["call unknown: path unknown"] * 4


def test_constants_of_go_have_the_type_that_the_first_of_their_group_has() -> None:
    text = (
        "package a\n"
        "const (\n\tFirst Kind = iota\n\t// the next\n\tSecond\n\tThird\n"
        "\tOwn Other = iota\n\tFourth\n\tPlain = 3\n\tFifth\n)\n"
        "func f() { First.go1(); Second.go1(); Third.go1(); Own.go1(); Fourth.go1(); Plain.go1();"
        " Fifth.go1() }\n"
    )
    kinds = [use.split()[1] for use in calls("a.go", text, "go1")]
    assert kinds == ["free:Kind"] * 3 + ["free:Other"] * 2 + ["unknown:"] * 2
