"""What one file of a C# project imports for all, and types without a namespace."""

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import repository

_PROJECT = "<Project><ItemGroup>{}</ItemGroup></Project>"
_KIT = """
    namespace Acme.Kit;
    public class Clock
    {
        public static int Now() => 1;
    }
"""
_USE = """
    namespace {0};
    class Use
    {{
        int Run() => Clock.Now();
        void Check() {{ Guard.Ok(); }}
    }}
"""
_GUARD = """
    static class Guard
    {
        public static void Ok() {}
    }
"""


def test_all_files_of_a_project_see_its_global_usings_and_no_other_project_does(
    callers: Callers,
) -> None:
    reference = '<ProjectReference Include="../Kit/Kit.csproj" />'
    repository(
        "shop",
        {
            "Kit/Kit.csproj": _PROJECT.format(""),
            "Kit/Clock.cs": _KIT,
            "Shop/Shop.csproj": _PROJECT.format(reference),
            "Shop/GlobalUsings.cs": "global using Acme.Kit;\n",
            "Shop/Guard.cs": _GUARD,
            "Shop/Use.cs": _USE.format("Acme.Shop"),
            "Shop.Web/Shop.Web.csproj": _PROJECT.format(reference),
            "Shop.Web/Use.cs": _USE.format("Acme.Web"),
        },
    )
    assert callers("Clock.Now") == ["shop/Shop/Use.cs:5 Use.Run high"]
    assert callers("Guard.Ok") == ["shop/Shop/Use.cs:6 Use.Check high"]


def test_a_namespace_that_several_packages_have_leads_to_what_comes_along(callers: Callers) -> None:
    repository(
        "logs",
        {
            "Acme.csproj": _PROJECT.format(""),
            "Log.cs": "namespace Acme;\npublic class Log\n{\n    public void Info() {}\n}\n",
        },
    )
    package = '<PackageReference Include="Acme" Version="1.0" />'
    project = '<ProjectReference Include="../Sink/Sink.csproj" />'
    repository(
        "sink",
        {
            "Sink/Sink.csproj": _PROJECT.format(package),
            "Sink/Extra.cs": "namespace Acme;\npublic class Extra {}\n",
            "Tests/Tests.csproj": _PROJECT.format(project),
            "Tests/Use.cs": "namespace Acme.Tests;\nclass Use\n{\n"
            "    void Run(Log log) { log.Info(); }\n}\n",
        },
    )
    assert callers("Log.Info") == ["sink/Tests/Use.cs:4 Use.Run high"]


_CLOCK = "namespace {0};\npublic class Clock\n{{\n    public static int Now() => 1;\n}}\n"


def test_a_type_of_the_own_namespace_goes_before_an_alias_of_the_file(callers: Callers) -> None:
    repository(
        "shop",
        {
            "Shop.csproj": _PROJECT.format(""),
            "Other.cs": _CLOCK.format("Acme.Other"),
            "Own.cs": _CLOCK.format("Acme.Shop"),
            "Use.cs": "using Clock = Acme.Other.Clock;\n" + _USE.format("Acme.Shop"),
            "Far.cs": "using Clock = Acme.Other.Clock;\n" + _USE.format("Acme.Far"),
        },
    )
    assert callers("Clock.Now", file="Own.cs") == ["shop/Use.cs:6 Use.Run high"]
    assert callers("Clock.Now", file="Other.cs") == ["shop/Far.cs:6 Use.Run high"]


def test_where_a_using_stands_tells_whether_it_goes_before_a_namespace_around(
    callers: Callers,
) -> None:
    repository(
        "shop",
        {
            "Shop.csproj": _PROJECT.format(""),
            "Other.cs": _CLOCK.format("Acme.Other"),
            "Outer.cs": _CLOCK.format("Acme.Shop"),
            "Use.cs": "using Acme.Other;\n" + _USE.format("Acme.Shop.Sub"),
            "Plain.cs": _USE.format("Acme.Shop.Sub"),
        },
    )
    assert callers("Clock.Now", file="Outer.cs") == [
        "shop/Plain.cs:5 Use.Run high",
        "shop/Use.cs:6 Use.Run medium",
    ]
    assert callers("Clock.Now", file="Other.cs") == ["shop/Use.cs:6 Use.Run medium"]
