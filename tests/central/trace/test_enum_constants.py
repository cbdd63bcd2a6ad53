"""A constant of an enumeration is an instance of it, where enumerations have methods."""

from collections.abc import Mapping

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_JAVA = {
    "acme/Color.java": """
        package acme;
        public enum Color {
          RED(1), BLUE { String hex() { return ""; } };
          Color(int i) {}
          String hex() { return name(); }
          void own() { RED.hex(); }
        }
    """,
    "acme/Size.java": "package acme;\nenum Size { RED; String hex() { return null; } }\n",
    "acme/Use.java": """
        package acme;
        import static acme.Color.BLUE;
        class Use {
          void a() { Color.RED.hex(); BLUE.hex(); }
          void b() { var x = Color.BLUE; x.hex(); }
          void c() { Size.RED.hex(); Color.RED.name().hex(); Color.GREEN.hex(); }
        }
    """,
}
_KOTLIN = {
    "acme/Color.kt": """
        package acme
        enum class Color(val i: Int) {
          RED(1), BLUE(2);
          fun hex() = name
          fun own() { RED.hex() }
        }
    """,
    "acme/Use.kt": """
        package acme
        enum class Size { RED; fun hex() = 1 }
        fun a() { Color.RED.hex() }
        fun b() { val x = Color.BLUE; x.hex() }
        fun c() { Size.RED.hex(); Color.GREEN.hex() }
    """,
}
_RUST = {
    "Cargo.toml": '[package]\nname = "app"\nversion = "1.0.0"\n',
    "src/color.rs": """
        pub enum Color { Red, Rgb(i32) }
        impl Color {
            pub fn hex(&self) {}
            fn own() { Self::Red.hex(); }
        }
        pub enum Size { Red }
        impl Size { pub fn hex(&self) {} }
    """,
    "src/lib.rs": """
        pub mod color;
        use crate::color::{Color, Size};
        fn a() { Color::Red.hex(); Color::Rgb(1).hex(); }
        fn b() { let x = Color::Red; x.hex(); }
        fn c() { Size::Red.hex(); Color::Green.hex(); }
    """,
}
_PHP = {
    "composer.json": '{"name": "acme/app", "autoload": {"psr-4": {"Acme\\\\": "src/"}}}',
    "src/Color.php": """
        <?php
        namespace Acme;
        enum Color: string {
            case Red = 'r';
            case Blue = 'b';
            public function hex() {}
            public function own() { self::Red->hex(); }
        }
    """,
    "src/use.php": """
        <?php
        namespace Acme;
        enum Size { case Red; public function hex() {} }
        function a() { Color::Red->hex(); }
        function b() { $x = Color::Blue; $x->hex(); }
        function c() { Size::Red->hex(); Color::Green->hex(); }
    """,
}
_SWIFT = {
    "Package.swift": 'let package = Package(name: "app", targets: [.target(name: "App")])\n',
    "Sources/App/Color.swift": """
        public enum Color {
          case red, blue
          case rgb(Int)
          func hex() {}
          func own() { Color.red.hex() }
        }
    """,
    "Sources/App/Use.swift": """
        enum Size { case red; func hex() {} }
        func a() { Color.red.hex(); Color.rgb(1).hex() }
        func b() { let x = Color.blue; x.hex() }
        func c() { Size.red.hex(); Color.green.hex() }
    """,
}
_SCALA = {
    "build.sbt": 'name := "app"\n',
    "acme/Color.scala": """
        package acme
        enum Color(val i: Int):
          case Red extends Color(1)
          case Blue extends Color(2)
          def hex() = 1
          def own() = Color.Red.hex()
    """,
    "acme/Use.scala": """
        package acme
        enum Size:
          case Red
          def hex() = 1
        object Use {
          def a() = Color.Red.hex()
          def b() = { val x = Color.Blue; x.hex() }
          def c() = { Size.Red.hex(); Color.Green.hex() }
        }
    """,
}


@pytest.mark.parametrize(
    ("files", "calls"),
    [
        pytest.param(_JAVA, 4, id="java"),
        pytest.param(_KOTLIN, 3, id="kotlin"),
        pytest.param(_RUST, 4, id="rust"),
        pytest.param(_PHP, 3, id="php"),
        pytest.param(_SWIFT, 4, id="swift"),
        pytest.param(_SCALA, 3, id="scala"),
    ],
)
def test_methods_of_constants_are_those_of_the_enumeration(
    callers: Callers, files: Mapping[str, str], calls: int
) -> None:
    """Not of another one, of a constant that is not there, or of what a method gives."""
    repository("app", files)
    found = [row.split() for row in callers("Color.hex")]
    assert {name.rpartition(".")[2] for _, name, _ in found} == {"own", "a", "b"}
    assert [confidence for *_, confidence in found] == ["high"] * calls
    assert len(callers("Size.hex")) == 1
