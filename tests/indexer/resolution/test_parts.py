"""What is in containers, what callables give, and the members of objects."""

import pytest

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
        "make().go()",
        "a, b = pair; a.go()",
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
        ("const v = await create<Item>(); v.go()", "call import:create result go"),
        ("space.helper().go()", "call import:helper result go"),
    ],
)
def test_what_a_pattern_takes_has_the_type_of_the_member(body: str, use: str) -> None:
    assert calls("a.ts", TYPESCRIPT % ("", body), "go") == [use]


def test_method_bound_to_its_object_is_the_method() -> None:
    text = TYPESCRIPT % ("this.handle()", "")
    assert calls("a.ts", text, "handle") == ["call local:Repo instance handle"]


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
