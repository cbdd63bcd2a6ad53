"""A type parameter without a bound hides a class of its name: its members are unknown."""

import pytest

from indexer.pipeline.worker import extract_file

_SOURCES = {
    "a.cpp": "struct F { void go(); };\ntemplate <class F> void c(F f) { f.go(); }\n",
    "lambda.cpp": "struct F { void go(); };\nauto c = []<class F>(F f) { f.go(); };\n",
    "constrained.cpp": "struct F { void go(); };\ntemplate <Any F> void c(F f) { f.go(); }\n",
    "nested.cpp": "struct F { void go(); };\n"
    "template <class F> template <class U> void B<F>::c(F f) { f.go(); }\n",
    "concept.cpp": "struct F { void go(); };\nvoid c(F auto& f) { f.go(); }\n",
    "A.java": "class F { void go() {} }\nclass B { <F> void c(F f) { f.go(); } }\n",
    "a.cs": "class F { void go() {} }\nclass B { void c<F>(F f) { f.go(); } }\n",
    "a.rs": "struct F;\nimpl F { fn go(&self) {} }\nfn c<F>(f: F) { f.go(); }\n",
    "impl.rs": "struct F;\nimpl F { fn go(&self) {} }\nstruct B<T>(T);\n"
    "impl<F> B<F> { fn c(&self, f: F) { f.go(); } }\n",
    "class.ts": "class F { go() {} }\nclass B<F> { c(f: F) { f.go() } }\n",
    "function.py": "class F:\n    def go(self): ...\ndef c[F](f: F):\n    f.go()\n",
    "class.py": "class F:\n    def go(self): ...\n"
    "class B[F]:\n    def c(self, f: F):\n        f.go()\n",
    "a.scala": "class F { def go() = 1 }\nclass B { def c[F](f: F) = f.go() }\n",
}


def _bindings(path: str, source: str) -> list[str]:
    found = extract_file(path=path, mode="100644", blob="0" * 40, content=source.encode())
    return [one.binding.value for one in found.references if one.name == "go"]


@pytest.mark.parametrize("path", _SOURCES)
def test_a_type_parameter_is_no_class_of_its_name(path: str) -> None:
    assert _bindings(path, _SOURCES[path]) == ["unknown"]


def test_a_constrained_parameter_hides_a_class_in_its_template_alone() -> None:
    source = (
        "struct F { void go() {} };\ntemplate <Any F> void c(F f) {}\nvoid d(F f) { f.go(); }\n"
    )
    assert _bindings("a.cpp", source) == ["local"]


def test_an_object_of_scala_is_none_of_its_types() -> None:
    source = "object F { def go() = 1 }\nclass B { def c[F](f: F) = F.go() }\n"
    assert _bindings("a.scala", source) == ["local"]


def test_a_generator_is_not_what_it_yields() -> None:
    source = (
        "from typing import Iterator\nclass S:\n    def go(self): pass\n"
        "def f() -> Iterator[S]: yield S()\nit: Iterator[S] = f()\nit.go()\n"
        "for s in f():\n    s.go()\n"
    )
    assert _bindings("a.py", source) == ["import", "local"]
