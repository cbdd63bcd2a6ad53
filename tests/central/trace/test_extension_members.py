"""Members that a type has from elsewhere: found by the receiver's type, one of the language too."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

Ask = Callable[..., Any]

_KOTLIN_TEXT = """
    package com.acme.text
    class Order(val id: Int)
    fun String.label(): String = lowercase()
    infix fun Int.upTo(other: Int): IntRange = this..other
    fun Order.isPaid(): Boolean = id > 0
    fun CharSequence.words(): Int = 1
    fun <T> T.logged(): T = this
"""
_KOTLIN_NUMBERS = """
    package com.acme.text
    fun Int.label(): String = "x"
"""
_KOTLIN_APP = """
    package com.acme.app
    import com.acme.text.Order
    import com.acme.text.isPaid
    import com.acme.text.label
    import com.acme.text.label as tag
    import com.acme.text.logged
    import com.acme.text.upTo
    import com.acme.text.words

    fun path(title: String, order: Order): String {
        order.isPaid()
        1 upTo 3
        title.words()
        order.logged()
        val local: String = title
        local.label()
        5.label()
        return "Some Title".label() + title.tag()
    }
    fun all(orders: List<Order>) = orders.filter { it.isPaid() }
    fun safe(o: Order?) = o?.isPaid()
"""
_KOTLIN_OTHER = """
    package com.acme.other
    fun String.label(): String = "other"
    fun here(title: String) = title.label()
"""


@pytest.fixture
def kotlin(db: None) -> None:
    build = {"build.gradle.kts": 'group = "com.acme"\nversion = "1.0"\n'}
    source = "src/main/kotlin"
    repository(
        "lib",
        {
            **build,
            "settings.gradle.kts": 'rootProject.name = "text"\n',
            f"{source}/Text.kt": _KOTLIN_TEXT,
            f"{source}/Numbers.kt": _KOTLIN_NUMBERS,
        },
    )
    repository(
        "app",
        {
            "settings.gradle.kts": 'rootProject.name = "app"\n',
            "build.gradle.kts": 'dependencies {\n    implementation("com.acme:text:1.0")\n}\n',
            f"{source}/Main.kt": _KOTLIN_APP,
            f"{source}/Other.kt": _KOTLIN_OTHER,
        },
    )


MAIN = "app/src/main/kotlin/Main.kt"


@pytest.mark.usefixtures("kotlin")
def test_kotlin_extensions_of_the_language_and_of_own_types(callers: Callers) -> None:
    assert callers("isPaid") == [
        f"{MAIN}:12 path high",
        f"{MAIN}:21 all high",
        f"{MAIN}:22 safe high",
    ]
    assert callers("upTo") == [f"{MAIN}:13 path high"]
    assert callers("words") == [f"{MAIN}:14 path high"]  # a String is a CharSequence
    assert callers("logged") == [f"{MAIN}:15 path medium"]  # of any type


@pytest.mark.usefixtures("kotlin")
def test_kotlin_extensions_of_one_name_are_told_apart_by_type(callers: Callers) -> None:
    text = "src/main/kotlin/Text.kt"
    of_strings = callers("label", project="lib", file=text)
    assert of_strings == [
        f"{MAIN}:17 path high",
        f"{MAIN}:19 path high",
        f"{MAIN}:19 path medium",  # by another name, which the imports give both
    ]
    of_numbers = callers("label", project="lib", file="src/main/kotlin/Numbers.kt")
    assert of_numbers == [f"{MAIN}:18 path high", f"{MAIN}:19 path medium"]
    other = "src/main/kotlin/Other.kt"
    assert callers("label", project="app", file=other) == [f"app/{other}:4 here high"]


def test_receiver_is_a_field_or_result_of_another_file(callers: Callers) -> None:
    repository(
        "shop",
        {
            "Text.cs": """
                namespace Acme;
                public static class Texts
                {
                    public static string Slug(this string value) => value;
                }
                public static class Numbers
                {
                    public static string Slug(this int value) => "1";
                }
            """,
            "Order.cs": """
                namespace Acme;
                public class Order
                {
                    public string Title { get; set; }
                    public int Number() => 1;
                }
            """,
            "Use.cs": """
                namespace Acme;
                public class Page
                {
                    public string Path(Order order)
                    {
                        order.Title.Slug();
                        order.Number().Slug();
                        return Name().Slug();
                    }
                    private string Name() => "x";
                }
            """,
        },
    )
    assert callers("Texts.Slug") == [f"shop/Use.cs:{line} Page.Path high" for line in (7, 9)]
    assert callers("Numbers.Slug") == ["shop/Use.cs:8 Page.Path high"]


@pytest.mark.usefixtures("kotlin")
def test_what_leads_to_another_extension_is_counted_elsewhere(ask: Ask) -> None:
    file = "src/main/kotlin/Other.kt"
    receipt = ask("callers", symbol="label", project="app", file=file).json()["receipt"]
    assert (receipt["unresolved"]["count"], receipt["elsewhere"]["count"]) == (0, 3)


@pytest.mark.usefixtures("kotlin")
def test_of_many_references_the_receivers_type_selects(
    callers: Callers, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [callers("isPaid"), callers("upTo"), callers("words")]
    monkeypatch.setattr("central.trace.candidates.MAX_RESOLVED", 0)
    assert [callers("isPaid"), callers("upTo"), callers("words")] == expected


_CSHARP = {
    "App.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    "Text.cs": """
        namespace Acme.Text;
        public interface IThing { }
        public static class Texts
        {
            public static string Slug(this string value) => value.ToLower();
            public static int Count<T>(this IEnumerable<T> items) => 1;
            public static string Describe(this IThing thing) => "x";
            public static T Tap<T>(this T item) => item;
            public static void AddAcme(this IServiceCollection services) { }
        }
        public static class Numbers
        {
            public static string Slug(this int value) => "1";
        }
        public static class Orders
        {
            extension(Order order)
            {
                public bool IsPaid() => true;
            }
        }
        public class Order : IThing
        {
            public string Own() => "x";
        }
        public static class More
        {
            public static string Own(this Order order) => "y";
        }
    """,
    "Use.cs": """
        using Acme.Text;
        namespace Acme.Web;
        public class Page
        {
            public string Path(string title, Order order, List<int> items, IServiceCollection all)
            {
                order.IsPaid();
                order.Describe();
                order.Own();
                order.Tap();
                items.Count();
                all.AddAcme();
                5.Slug();
                return title.Slug() + "a".Slug() + $"b {title}".Slug();
            }
        }
    """,
    "Global.cs": """
        namespace Other.Place;
        public class Home
        {
            public string Path(string title) => title.Slug();
        }
    """,
}


def test_csharp_extensions_by_parameter_and_block(callers: Callers) -> None:
    repository("shop", _CSHARP)
    assert callers("Texts.Slug") == [
        "shop/Global.cs:5 Home.Path high",  # a global using may be anywhere in the package
        *["shop/Use.cs:15 Page.Path high"] * 3,
    ]
    assert callers("Numbers.Slug") == ["shop/Use.cs:14 Page.Path high"]
    assert callers("Describe") == ["shop/Use.cs:9 Page.Path high"]
    assert callers("IsPaid") == ["shop/Use.cs:8 Page.Path high"]
    assert callers("Count") == ["shop/Use.cs:12 Page.Path high"]  # a list is an IEnumerable
    assert callers("AddAcme") == ["shop/Use.cs:13 Page.Path medium"]  # of a type outside
    assert callers("Tap") == ["shop/Use.cs:11 Page.Path medium"]
    assert callers("More.Own") == []  # a class's own member goes first
    assert callers("Order.Own") == ["shop/Use.cs:10 Page.Path high"]


def test_swift_extensions_of_the_language_and_of_other_modules(callers: Callers) -> None:
    package = """
        // swift-tools-version:6.0
        import PackageDescription
        let package = Package(name: "Sw", targets: [.target(name: "Sw"), .target(name: "App")])
    """
    repository(
        "sw",
        {
            "Package.swift": package,
            "Sources/Sw/Text.swift": """
                extension String {
                    public func hushed() -> String { return lowercased() }
                }
                extension Collection {
                    public func halved() -> Int { return 1 }
                }
                public struct Order {}
            """,
            "Sources/Sw/Numbers.swift": """
                extension Int {
                    public func hushed() -> Int { return self }
                }
            """,
            "Sources/App/Use.swift": """
                import Sw
                extension Order {
                    func isPaid() -> Bool { return true }
                }
                func one(_ name: String, order: Order, items: [Int]) -> String {
                    _ = order.isPaid()
                    _ = 5.hushed()
                    _ = name.halved()
                    _ = "X".hushed()
                    return name.hushed()
                }
            """,
        },
    )
    use = "sw/Sources/App/Use.swift"
    assert callers("String.hushed") == [f"{use}:{line} one high" for line in (10, 11)]
    assert callers("Int.hushed") == [f"{use}:8 one high"]
    assert callers("halved") == [f"{use}:9 one high"]
    assert callers("isPaid") == [f"{use}:7 one high"]


def test_scala_extensions(callers: Callers) -> None:
    repository(
        "sc",
        {
            "build.sbt": 'name := "sc"\nscalaVersion := "3.3.0"\n',
            "src/main/scala/Text.scala": """
                package acme
                class Order
                extension (s: String)
                  def hush(n: Int): String = s.toLowerCase
                  def twice(n: Int): String = s
                object Syntax {
                  extension (order: Order)
                    def paid(n: Int): Boolean = true
                }
            """,
            "src/main/scala/Numbers.scala": """
                package acme
                extension (n: Int)
                  def hush(other: Int): Int = n
            """,
            "src/main/scala/Use.scala": """
                package acme.web
                import acme.*
                import acme.Syntax.*
                def one(name: String, order: Order): String =
                  order.paid(1)
                  5.hush(1)
                  name.hush(1) + "X".twice(2)
            """,
        },
    )
    use = "sc/src/main/scala/Use.scala"
    text = "src/main/scala/Text.scala"
    assert callers("hush", project="sc", file=text) == [f"{use}:8 one high"]
    assert callers("twice") == [f"{use}:8 one high"]
    assert callers("paid") == [f"{use}:6 one high"]
    numbers = "src/main/scala/Numbers.scala"
    assert callers("hush", project="sc", file=numbers) == [f"{use}:7 one high"]


def test_rust_traits_of_types_from_elsewhere(callers: Callers) -> None:
    cargo = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2024"\n'
    repository(
        "text",
        {
            "Cargo.toml": cargo.format("acme-text"),
            "src/lib.rs": """
                pub trait Hush { fn hush(&self) -> String; }
                impl Hush for str { fn hush(&self) -> String { String::new() } }
                impl Hush for i32 { fn hush(&self) -> String { String::new() } }
                pub trait Total { fn total(&self) -> usize; }
                impl<T> Total for Vec<T> { fn total(&self) -> usize { 1 } }
                pub struct Order;
            """,
        },
    )
    repository(
        "app",
        {
            "Cargo.toml": cargo.format("app") + '[dependencies]\nacme-text = "0.1"\n',
            "src/paid.rs": """
                use acme_text::Order;
                pub trait Paid { fn paid(&self) -> bool; }
                impl Paid for Order { fn paid(&self) -> bool { true } }
            """,
            "src/main.rs": """
                mod paid;
                use acme_text::{Hush, Order, Total};
                use paid::Paid;
                fn one(s: &str, n: i32, items: Vec<u8>, order: &Order, owned: String) {
                    s.hush();
                    n.hush();
                    items.total();
                    order.paid();
                    "X".hush();
                    owned.hush();
                }
            """,
        },
    )
    use = "app/src/main.rs"
    assert callers("str.hush") == [f"{use}:{line} one medium" for line in (6, 10, 11)]
    assert callers("i32.hush") == [f"{use}:7 one medium"]
    assert callers("Vec.total") == [f"{use}:8 one medium"]
    assert callers("Order.paid") == [f"{use}:9 one high"]


def test_ruby_reopened_classes_of_the_language(callers: Callers) -> None:
    repository(
        "gem",
        {
            "acme.gemspec": 'Gem::Specification.new { |s| s.name = "acme" }\n',
            "lib/acme/text.rb": """
                class String
                  def shout = upcase
                end
                class Integer
                  def shout = self
                end
            """,
            "lib/acme/use.rb": """
                def one
                  "x".shout
                  5.shout
                end
            """,
        },
    )
    assert callers("String.shout") == ["gem/lib/acme/use.rb:3 one high"]
    assert callers("Integer.shout") == ["gem/lib/acme/use.rb:4 one high"]


def test_go_methods_of_a_defined_type(callers: Callers) -> None:
    repository(
        "temp",
        {
            "go.mod": "module github.com/acme/temp\n",
            "temp.go": """
                package temp
                type Celsius float64
                func (c Celsius) Hot() bool { return c > 30 }
                func one(c Celsius) bool { return c.Hot() }
            """,
        },
    )
    assert callers("Hot") == ["temp/temp.go:5 one high"]
