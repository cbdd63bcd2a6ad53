"""Names that look like others: `cls` of another class, methods of objects, names in types."""

import pytest

from tests.indexer.resolution.test_file_relations import record_of, uses


def calls(path: str, text: str) -> list[str]:
    """The calls and instantiations of a file."""
    return [use for use in uses(path, text) if not use.startswith("type")]


def method(written: str, *, before: str = "@classmethod") -> str:
    """A file with a class of which one method is written out."""
    return f"from m import B, Any\nclass A:\n    {before}\n    {written}\n"


@pytest.mark.parametrize(
    "written",
    [
        "def make(cls): cls()",
        "def make(cls, b: B): cls()",
        "def make(\n        cls,\n    ): cls()",
        "def make[T](cls: type[T]) -> T: cls()",
        "def make(cls, x): return [cls() for x in x]",
    ],
)
def test_first_parameter_of_a_method_is_its_class(written: str) -> None:
    assert calls("a.py", method(written))[-1] == "call local:A path A"


def test_class_of_a_type_variable_is_the_one_around() -> None:
    text = (
        "from typing import TypeVar\nT = TypeVar('T')\nclass A:\n    @classmethod\n"
        "    def make(cls: type[T]) -> T:\n        return cls()\n"
    )
    assert calls("a.py", text)[-1] == "call local:A path A"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("cls = B\n        cls()", "call import:B path B"),
        ("cls = cls.other()\n        cls.go()", "call local:A.other result go"),
        ("cls = B()\n        cls.go()", "call import:B result go"),
        ("for cls in cls.all():\n            cls.go()", "call local:A.all.* instance go"),
        ("def inner(cls):\n            cls.go()", "call unknown: path go"),
        ("(lambda cls: cls.go())", "call unknown: path go"),
    ],
)
def test_name_of_the_class_that_is_bound_anew_is_another(written: str, expected: str) -> None:
    found = calls("a.py", method(f"def make(cls):\n        {written}"))
    assert found[-1] == expected


def test_name_of_the_class_is_the_class_until_it_is_bound_anew() -> None:
    text = method("def make(cls):\n        cls.one()\n        cls = B\n        cls.two()")
    assert calls("a.py", text) == [
        "call local:A instance one",
        "call import:B.two path two",
    ]


@pytest.mark.parametrize(
    ("before", "written", "expected"),
    [
        ("@staticmethod", "def make(cls): cls.go()", "call unknown: path go"),
        ("@staticmethod", "def make(cls: type[B]): cls()", "call import:B path B"),
        ("@staticmethod", "def make(cls: B): cls.go()", "call import:B instance go"),
        ("x = 1", "def make(self, cls): cls.go()", "call unknown: path go"),
        ("x = 1", "def make(self, cls: type[B]): cls()", "call import:B path B"),
        ("@classmethod", "def make(cls: B): cls.go()", "call import:B instance go"),
        ("@classmethod", "def make(cls: Any): cls.go()", "call unknown: path go"),
    ],
)
def test_name_of_the_class_elsewhere_is_a_name(before: str, written: str, expected: str) -> None:
    assert calls("a.py", method(written, before=before))[-1] == expected


@pytest.mark.parametrize(
    "written",
    [
        "const o = { resolve() {} }\n",
        "use({ resolve() {} })\n",
        "export default { resolve() {} }\n",
        "const o = {}\no.resolve = () => {}\n",
        "const o = {}\no.resolve = function () {}\n",
    ],
)
@pytest.mark.parametrize("path", ["a.ts", "a.js", "a.tsx"])
def test_method_of_an_object_hides_no_import(written: str, path: str) -> None:
    text = f"import {{ resolve }} from 'x'\n{written}resolve('x')\n"
    assert calls(path, text)[-1] == "call import:resolve path resolve"


def test_method_of_an_object_in_a_function_hides_no_import() -> None:
    text = (
        "import { resolve } from 'x'\nfunction f() {\n  const o = { resolve() { resolve('y') } }\n"
        "  return resolve('x')\n}\n"
    )
    assert calls("a.ts", text) == ["call import:resolve path resolve"] * 2


@pytest.mark.parametrize(
    "written",
    [
        "interface A { cb: (value: T) => void }",
        "interface A { cb?: ((value: T) => void) | null }",
        "interface A { cb: new (value: T) => T }",
        "interface A { on: { (value: T): void } }",
        "interface A { on: { go(value: T): void } }",
        "interface A { (value: T): void }",
        "interface A { new (value: T): A }",
        "class A { cb: (value: T) => void }",
        "class A { go(value: T): void; go(value: unknown) {} }",
        "abstract class A { abstract go(value: T): void }",
    ],
)
def test_parameter_of_a_type_is_no_field(written: str) -> None:
    text = f"import {{ T }} from 'x'\n{written}\nfunction f(a: A) {{ a.value.go() }}\n"
    assert calls("a.ts", text) == ["call local:A.value instance go"]
    typed = {one.caller for one in record_of("a.ts", text.encode()).references if not one.name}
    assert typed <= {"A.cb.(0)", "A.go.(0)"}


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.rs", "fn go() {}\nfn run() { let go = go(); }", "call local:go path go"),
        ("a.kt", "fun go() = 1\nfun run() { val go = go() }", "call local:go path go"),
        ("a.swift", "func go() {}\nfunc run() { let go = go() }", "call local:go path go"),
        ("a.lua", "local function go() end\nlocal go = go()", "call local:go path go"),
        (
            "a.rb",
            "class A\n def go\n end\n def run\n  go = go(1)\n end\nend",
            "call local:A instance go",
        ),
        ("a.ts", "import { go } from './b';\nclass A { go = go(); }", "call import:go path go"),
        ("a.py", "from b import go\ngo = go(1)\n", "call import:go path go"),
    ],
)
def test_a_variable_is_not_the_function_whose_result_it_gets(
    path: str, text: str, expected: str
) -> None:
    assert calls(path, text)[-1] == expected


def test_imports_of_one_name_in_two_scopes_are_two() -> None:
    text = "from a import f\ndef g():\n    from b import f\n    f()\ndef h():\n    f()\n"
    assert calls("a.py", text) == ["call import:f^1 path f", "call import:f path f"]


def test_imports_of_one_name_in_one_scope_are_one() -> None:
    text = "try:\n    from a import f\nexcept ImportError:\n    from b import f\nf()\n"
    assert calls("a.py", text) == ["call import:f path f"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "from m import Kind\nclass A(Kind):\n    def Kind(self): ...\n"),
        ("a.ts", "import { Kind } from 'm';\nclass A extends Kind { Kind() {} }\n"),
    ],
)
def test_a_base_is_no_member_of_its_class(path: str, text: str) -> None:
    assert calls(path, text) == ["inherit import:Kind path Kind"]


def test_a_base_may_be_a_class_of_the_class_around() -> None:
    text = "class Out:\n    class A: ...\n    class B(A): ...\n"
    assert calls("a.py", text) == ["inherit local:Out.A path A"]


def test_a_test_of_a_path_gives_it_a_type_until_it_is_set() -> None:
    text = (
        "from m import A, B, C\n"
        "class Own:\n"
        "    box: A\n"
        "    def run(self, other: C, flag):\n"
        "        if isinstance(self.box, B) and flag:\n"
        "            self.box.inside()\n"
        "            self.box = A()\n"
        "            self.box.set()\n"
        "        if isinstance(self.box, B) or flag:\n"
        "            self.box.either()\n"
        "        self.box.after()\n"
        "        assert isinstance(other.box, B)\n"
        "        other.box.asserted()\n"
        "        other.box == 1\n"
        "        other.box.compared()\n"
        "        other = C()\n"
        "        other.box.changed()\n"
        "    def later(self):\n"
        "        self.box.later()\n"
    )
    of_b = [use for use in calls("a.py", text) if "import:B instance" in use]
    assert of_b == [
        "call import:B instance inside",
        "call import:B instance asserted",
        "call import:B instance compared",
    ]


def test_a_test_of_a_path_in_typescript() -> None:
    text = (
        "import { A, B } from 'm';\n"
        "class Own { box: A;\n"
        "  run() { if (this.box instanceof B) { this.box.inside(); } this.box.after(); } }\n"
    )
    assert calls("a.ts", text) == ["call import:B instance inside", "call import:A instance after"]
