"""Callers of methods on what containers hold, callables give, and objects have."""

import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository

KIT = """\
from collections.abc import Callable, Iterator
from typing import Self

class Item:
    def go(self): ...

class Other:
    def go(self): ...

class Repo:
    items: list[Item]
    by_name: dict[str, Item]
    either: Item | Other
    make: Callable[[], Item]

    def all(self) -> list[Item]: ...
    def __getitem__(self, name: str) -> Item: ...
    def __iter__(self) -> Iterator[Item]: ...
    def me(self) -> Self: ...
    def first(self) -> Item: ...

def stream() -> Iterator[Item]: ...
def pair() -> tuple[Item, Other]: ...
def maker() -> Callable[[], Item]: ...
def decorate(function) -> Callable[..., Item]: ...
_item = Item()
def shared():
    return _item
ITEMS: list[Item] = []
"""


def python(*bodies: str) -> None:
    """A repository `app` whose function `run` uses the library, in a file for each body."""
    repository(
        "kit",
        {
            "pyproject.toml": pyproject("acme-kit"),
            "acme_kit/__init__.py": "",
            "acme_kit/api.py": KIT,
        },
    )
    text = (
        "from acme_kit.api import Item, ITEMS, Other, Repo, decorate, maker, pair, shared, stream\n"
    )
    repository(
        "app",
        {
            "pyproject.toml": pyproject("acme-app", "acme-kit"),
            **{
                f"app/{name}.py": f"{text}def run(repo: Repo):\n{textwrap.indent(body, '    ')}\n"
                for name, body in named(bodies)
            },
        },
    )


def named(bodies: Sequence[str]) -> list[tuple[str, str]]:
    """Each with the name of its file: `main`, or of several `main01` and so on."""
    if len(bodies) == 1:
        return [("main", bodies[0])]
    return [(f"main{number:02}", body) for number, body in enumerate(bodies, 1)]


def bodies_of(callers: Sequence[str], bodies: Sequence[str]) -> dict[str, str]:
    """The body of each caller, and what is said after its file."""
    texts = dict(named(bodies))
    return {texts[Path(place).stem]: rest for place, _, rest in (x.partition(":") for x in callers)}


ITEM_USES = (
    "for x in repo.items: x.go()",
    "repo.items[0].go()",
    "repo.by_name['a'].go()",
    "repo.by_name.get('a').go()",
    "for name, x in repo.by_name.items(): x.go()",
    "[x.go() for x in repo.all()]",
    "repo['a'].go()",
    "for x in repo: x.go()",
    "repo.me().first().go()",
    "repo.make().go()",
    "for n, x in enumerate(stream()): x.go()",
    "x, y = pair(); x.go()",
    "maker()().go()",
    "shared().go()",
    "ITEMS[0].go()",
    "for x in ITEMS: x.go()",
    "next(iter(repo.all())).go()",
    "x = next((i for i in repo if i), None); x.go()",
    "sorted(repo.items)[0].go()",
    "x = max(repo.by_name.values(), key=len); x.go()",
)


def test_item_of_a_library_is_followed(callers: Callers) -> None:
    python(*ITEM_USES)
    found = callers("Item.go")
    assert len(found) == len(ITEM_USES)
    assert bodies_of(found, ITEM_USES) == dict.fromkeys(ITEM_USES, "3 run high")
    assert callers("Other.go") == []


def test_each_class_of_a_union_is_possible(callers: Callers) -> None:
    python("repo.either.go()")
    assert callers("Item.go") == callers("Other.go") == ["app/app/main.py:3 run medium"]


def test_union_of_a_parameter_is_possible_too(callers: Callers) -> None:
    python("def inner(x: Item | Other): x.go()")
    assert callers("Item.go") == callers("Other.go") == ["app/app/main.py:3 run.inner medium"]


def test_decorated_function_gives_what_its_decorator_says(callers: Callers) -> None:
    python("pass")
    text = (
        "from acme_kit.api import decorate\n\n@decorate\ndef made(): ...\n\n"
        "def run():\n    made().go()\n"
    )
    manifest = pyproject("acme-other", "acme-kit")
    repository("other", {"pyproject.toml": manifest, "other/main.py": text})
    assert callers("Item.go") == ["other/other/main.py:7 run high"]


def test_decorated_method_gives_what_its_decorator_says(callers: Callers) -> None:
    python("pass")
    text = (
        "from acme_kit.api import Item, Other, decorate\n\nclass Maker:\n"
        "    @decorate\n    def made(self): ...\n    @decorate\n    def told(self) -> Other: ...\n"
        "    @property\n    def own(self): ...\n    @own.setter\n    def own(self, x): ...\n\n"
        "def run(maker: Maker):\n    maker.made().go()\n    maker.told().go()\n"
        "    maker.own.go()\n\nclass Sub(Maker):\n    def f(self): self.made().go()\n"
    )
    manifest = pyproject("acme-other", "acme-kit")
    repository("other", {"pyproject.toml": manifest, "other/main.py": text})
    assert callers("Item.go") == [
        "other/other/main.py:14 run high",
        "other/other/main.py:19 Sub.f high",
    ]
    assert callers("Other.go") == ["other/other/main.py:15 run high"]


def test_decorator_that_tells_nothing_leaves_the_function_unknown(
    ask: Callable[..., object],
) -> None:
    python("import outside\n@outside.made\ndef made(): ...\nmade().part.go()")
    answer = ask("callers", symbol="Item.go").json()  # type: ignore[attr-defined]
    assert (answer["callers"], answer["receipt"]["unresolved"]["count"]) == ([], 1)


PACKAGE = '{"name": "@acme/kit", "main": "src/index.ts"}'
TYPESCRIPT = """\
export class Item { go(): void {} }
export function helper(): Item { return new Item(); }
export interface Props { item: Item; make: () => Item; go: (x: number) => void }
export class Repo { items: Item[] = []; named: Map<string, Item>; }
export function build() { const item = new Item(); return { item, helper }; }
export const space = { helper, item: new Item(), renamed: helper, made: Item };
export function useItem(x?: Item) { const other = outside(x); if (x) return x; return other; }
"""


def typescript(*bodies: str) -> None:
    """A repository `app` whose function `run` uses the library, in a file for each body."""
    repository("kit", {"package.json": PACKAGE, "src/index.ts": TYPESCRIPT})
    names = "Item, Props, Repo, build, helper, space, useItem"
    repository(
        "app",
        {
            "package.json": '{"name": "app", "dependencies": {"@acme/kit": "1"}}',
            **{
                f"src/{name}.ts": f'import {{ {names} }} from "@acme/kit";\n{body}\n'
                for name, body in named(bodies)
            },
        },
    )


TYPESCRIPT_USES = (
    "function run(p: Props) { p.item.go() }",
    "function run({ item }: Props) { item.go() }",
    "function run({ make }: Props) { make().go() }",
    "function run(r: Repo) { r.items.forEach((x) => x.go()) }",
    "function run(r: Repo) { for (const x of r.items) x.go() }",
    "function run(r: Repo) { const { items } = r; items[0].go() }",
    "function run(r: Repo) { r.named.get('a')?.go() }",
    "function run() { const { item } = build(); item.go() }",
    "function run() { space.helper().go() }",
    "function run() { space.item.go() }",
    "function run() { useItem().go() }",
    "async function run() { const x = await helper<string>(); x.go() }",
)


def test_item_of_a_typescript_library_is_followed(callers: Callers) -> None:
    typescript(*TYPESCRIPT_USES)
    found = callers("Item.go")
    assert len(found) == len(TYPESCRIPT_USES)
    assert bodies_of(found, TYPESCRIPT_USES) == dict.fromkeys(TYPESCRIPT_USES, "2 run high")


def test_member_of_an_object_is_the_function(callers: Callers) -> None:
    typescript("function run() { space.helper() }")
    assert "app/src/main.ts:2 run high" in callers("helper")


@pytest.mark.parametrize(
    "body",
    ["space.renamed()", "const { renamed } = space; renamed()", "const r = space.renamed; r()"],
)
def test_member_of_another_name_is_the_function(body: str, callers: Callers) -> None:
    typescript(f"function run() {{ {body} }}")
    assert "app/src/main.ts:2 run high" in callers("helper")


@pytest.mark.parametrize("body", ["space.renamed().go()", "new space.made().go()"])
def test_result_of_a_member_of_another_name_is_followed(body: str, callers: Callers) -> None:
    typescript(f"function run() {{ {body} }}")
    assert callers("Item.go") == ["app/src/main.ts:2 run high"]


def test_method_as_a_value_is_the_method(callers: Callers) -> None:
    typescript("function run(p: Props) { const f = p.item.go; f(); const { go } = p.item; go() }")
    assert callers("Item.go") == ["app/src/main.ts:2 run high"] * 2


def test_property_of_function_type_is_a_method(callers: Callers) -> None:
    typescript("function run(p: Props) { p.go(1) }")
    assert callers("Props.go") == ["app/src/main.ts:2 run high"]


def test_names_of_a_dynamic_import_are_bound(callers: Callers) -> None:
    typescript("async function run() { const { helper: h } = await import('@acme/kit'); h() }")
    assert "app/src/main.ts:2 run high" in callers("helper")


GO = """\
package kit

type Item struct{}

func (i *Item) Go() {}

type Items []*Item

type Store struct {
	Items  []*Item
	ByName map[string]*Item
	Queue  chan *Item
	Named  Items
}

func (s *Store) All() []*Item { return s.Items }
"""


@pytest.mark.parametrize(
    "body",
    [
        "for _, x := range s.Items { x.Go() }",
        "for _, x := range s.ByName { x.Go() }",
        "for x := range s.Queue { x.Go() }",
        "for _, x := range s.All() { x.Go() }",
        "for _, x := range s.Named { x.Go() }",
        "s.Items[0].Go()",
        "x := <-s.Queue; x.Go()",
        "all := s.All(); all[0].Go()",
    ],
)
def test_item_of_a_go_library_is_followed(body: str, callers: Callers) -> None:
    repository("kit", {"go.mod": "module example.com/kit\n", "kit.go": GO})
    text = f'package app\n\nimport "example.com/kit"\n\nfunc run(s *kit.Store) {{ {body} }}\n'
    go_mod = "module example.com/app\n\nrequire example.com/kit v1.0.0\n"
    repository("app", {"go.mod": go_mod, "main.go": text})
    assert callers("Item.Go") == ["app/main.go:5 run high"]


def test_cast_value_is_of_its_type(callers: Callers) -> None:
    typescript(
        "function run(x: unknown) { (x as Item).go(); (x as unknown as Repo).items[0].go(); }"
    )
    assert callers("Item.go") == ["app/src/main.ts:2 run high"] * 2
    java = "class A { void go() {} }\nclass B { void run(Object x) { ((A) x).go(); } }\n"
    repository("own", {"pom.xml": "<project/>", "A.java": java})
    assert callers("A.go") == ["own/A.java:2 B.run high"]
