"""Which members of values are references: what is called always, what a call is given too."""

import pytest

from tests.indexer.resolution.test_file_relations import uses

HEAD = "from m import Task, run\nclass A:\n    def __init__(self):\n        self.data = load()\n"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("t = Task()\n        run(t.clean)", "value import:Task result clean"),
        ("run(key=self.other)", "value local:A instance other"),
        ("run(x.clean)", "value unknown: path clean"),
        ("run(x.y.clean)", "value unknown: path clean"),
    ],
)
def test_member_that_a_call_is_given_is_kept(written: str, expected: str) -> None:
    text = f"{HEAD}    def f(self, x):\n        {written}\n"
    assert expected in uses("a.py", text)


@pytest.mark.parametrize("written", ["run(self.data)", "run([x.clean])", "run(x)", "x.clean"])
def test_field_of_the_class_and_what_no_call_is_given_are_not(written: str) -> None:
    text = f"{HEAD}    def f(self, x):\n        {written}\n"
    assert not any(use.startswith("value") for use in uses("a.py", text))


@pytest.mark.parametrize(
    "written",
    [
        "getattr(x, 'a').go()",
        "def f(x: dict[int, tuple[A, B]]): x[1][0].go()",
        "vars(x).go()",
        "text = str(x).encode()\ntext.go()",
        "super().go()",
    ],
)
def test_what_the_language_gives_may_be_anything(written: str) -> None:
    assert "call unknown: path go" in uses("a.py", f"from gone import x, y\n{written}\n")


def test_method_of_a_value_of_the_language_is_no_reference() -> None:
    text = (
        "def f(x: str, y: list[int]):\n"
        "    x.join(y)\n    y.pop()\n    ','.join(y)\n    str.join(x)\n"
    )
    assert uses("a.py", text) == []


@pytest.mark.parametrize(
    "written",
    [
        "function f(x: any) { x.go() }",
        "function f(x: unknown) { (x as any).go() }",
        "window.go()",
        "const all = new Map<string, { one: A }>()\nall.get('a')!.two.go()",
        "const ref = new WeakRef(make())\nref.deref()?.go()",
        "new Proxy(x, {}).go()",
    ],
)
def test_objects_and_types_of_javascript_that_hold_anything_tell_nothing(written: str) -> None:
    assert "call unknown: path go" in uses("a.ts", written + "\n")


def test_member_of_a_constant_of_the_language_is_none() -> None:
    assert uses("a.ts", "console.log(JSON.parse(Math.PI), process.env.HOME)\n") == []


def test_base_whose_module_is_a_value_is_kept() -> None:
    text = "from m import load\nworker = load('x')\nclass A(worker.Base): ...\n"
    assert "inherit unknown: path Base" in uses("a.py", text)


def test_go_makes_and_converts_types() -> None:
    text = (
        "package p\ntype Names []string\nfunc (n Names) go1() {}\nfunc f(x any) {\n"
        "\tn := make(Names, 1)\n\tn.go1()\n\t_ = (*Names)(nil)\n\t_ = (Names)(x)\n}\n"
    )
    assert uses("a.go", text)[-4:] == [
        "new local:Names path Names",
        "call local:Names instance go1",
        "call local:Names path Names",
        "call local:Names path Names",
    ]


def test_java_hands_over_methods_and_classes() -> None:
    text = (
        "package p;\nclass A {\n  void f(Reader reader) {\n    run(reader::read);\n"
        "    run(Near.class, org.acme.Far.class, String.class);\n  }\n}\n"
    )
    assert [use for use in uses("A.java", text) if use.startswith("value")] == [
        "value free:Reader instance read",
        "value free:Near path Near",
        "value free:org.acme.Far path Far",
    ]


def test_this_in_a_function_of_a_prototype_is_an_instance() -> None:
    text = "class A {}\nA.prototype.run = function () { this.go() }\n"
    assert "call local:A instance go" in uses("a.ts", text)
