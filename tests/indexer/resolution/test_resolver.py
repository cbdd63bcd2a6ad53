"""How far what a file tells of a value goes on: over members, calls and types of several."""

import pytest

from indexer.resolution.value import MAX_CHAIN
from tests.indexer.resolution.test_file_relations import uses


def calls(path: str, text: str, name: str) -> list[str]:
    """The references that end in `name`."""
    return [use for use in uses(path, text) if use.endswith(f" {name}")]


def test_members_of_members_follow_a_typed_root() -> None:
    text = "from m import App\ndef f(app: App):\n    app.router.add_get()\n"
    assert calls("a.py", text, "add_get") == ["call import:App.router instance add_get"]


def test_calls_of_what_calls_give_are_followed() -> None:
    text = "import { Client } from 'm'\nnew Client().getCache().all.find(x).go()\n"
    assert calls("a.ts", text, "find") == ["call import:Client.getCache.all instance find"]
    assert calls("a.ts", text, "go") == ["call import:Client.getCache.all.find result go"]


def test_local_holds_what_several_calls_give() -> None:
    text = "from m import App\napp = App()\nr = app.make(')').router\nr.add()\n"
    assert calls("a.py", text, "add") == ["call import:App.make.router instance add"]


def test_field_of_a_base_in_another_file_is_followed() -> None:
    text = (
        "from m import Base\nclass A(Base):\n    def f(self):\n        self.trace.on_end.send()\n"
    )
    assert calls("a.py", text, "send") == ["call local:A.trace.on_end instance send"]


def test_field_of_which_its_own_file_knows_nothing_is_unknown() -> None:
    text = "class A:\n    def __init__(self, x):\n        self.x = x\n        self.x.y.go()\n"
    assert calls("a.py", text, "go") == ["call unknown: path go"]


def test_what_is_indexed_or_called_twice_is_a_part() -> None:
    text = "from m import App\napp = App()\napp.all()[0].go()\napp.make()().go()\n"
    assert calls("a.py", text, "go") == [
        "call import:App.all.[] instance go",
        "call import:App.make.() instance go",
    ]


def test_chain_ends_somewhere() -> None:
    text = "from m import App\nApp()" + ".next" * (MAX_CHAIN + 2) + ".go()\n"
    assert calls("a.py", text, "go") == ["call unknown: path go"]


def test_field_has_the_type_of_the_member_that_it_is_set_to() -> None:
    text = "from m import App\nclass A:\n    def f(self, app: App):\n        self.r = app.router\n"
    assert "type import:App.router instance" in uses("a.py", text)


def test_each_overload_tells_a_type() -> None:
    text = (
        "import { A, B } from 'm'\nexport function make(a: string): A\n"
        "export function make(a: number): B\nexport function make(a: any) { return a }\n"
    )
    given_back = "type local:make.=.0=a path"
    assert uses("a.ts", text) == ["type import:A instance", "type import:B instance", given_back]


def test_alias_of_an_intersection_tells_the_first_type_with_a_name() -> None:
    text = "import { A } from 'm'\nexport type T = { x: 1 } & A<string>\n"
    assert uses("a.ts", text) == ["type import:A instance"]


@pytest.mark.parametrize("written", ["A<x> & { y: 1 } & { z: 1 }", "A & {" + " " * 400 + "}", "A"])
def test_alias_tells_a_type_however_much_follows(written: str) -> None:
    text = f"import {{ A }} from 'm'\nexport type T = {written}\n"
    assert uses("a.ts", text) == ["type import:A instance"]


def test_function_is_given_with_type_arguments() -> None:
    text = "import { f, g } from 'm'\nf(g<string>)\n"
    assert "value import:g path g" in uses("a.ts", text)


def test_parameter_of_a_written_class_is_not_the_class_around() -> None:
    text = "from m import A\nclass T:\n    def f(self, cls: type[A]):\n        cls().go()\n"
    assert uses("a.py", text) == ["call import:A path A", "call import:A instance go"]


def test_class_method_has_the_class_around() -> None:
    text = "class T:\n    @classmethod\n    def f(cls):\n        cls().go()\n"
    assert calls("a.py", text, "go") == ["call local:T instance go"]


def test_generic_class_may_have_a_name_with_its_arguments() -> None:
    text = "from m import Signal\nNamed = Signal[int]\ndef f(x: Named[str]):\n    x.send()\n"
    assert calls("a.py", text, "send") == ["call import:Signal instance send"]


def test_item_is_not_what_it_was_taken_from() -> None:
    text = "from m import Signals\nsignal = Signals[0]\nsignal.send()\n"
    assert calls("a.py", text, "send") == ["call import:Signals.[] instance send"]
