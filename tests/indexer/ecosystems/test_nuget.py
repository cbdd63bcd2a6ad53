"""Projects of .NET, versions in one place, and the lock file."""

import pytest

from indexer.ecosystems.base import PackageRoot
from indexer.records.manifests import Pin
from tests.indexer.ecosystems.reading import read
from tests.indexer.ecosystems.workspaces import workspace


def _properties(text: str) -> str:
    return f"<PropertyGroup>{text}</PropertyGroup>"


def _project(*parts: str) -> str:
    return f'<Project Sdk="Microsoft.NET.Sdk">{"".join(parts)}</Project>'


def _needs(*listed: str) -> str:
    items = (one.partition(" ") for one in listed)
    return "<ItemGroup>{}</ItemGroup>".format(
        "".join(f'<PackageReference Include="{name}" {rest}/>' for name, _, rest in items)
    )


def _central(**versions: str) -> str:
    items = "".join(
        f'<PackageVersion Include="{name}" Version="{one}" />' for name, one in versions.items()
    )
    managed = "<ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>"
    return _project(_properties(managed), f"<ItemGroup>{items}</ItemGroup>")


def _package(files: dict[str, str], root: str = "src") -> PackageRoot:
    return next(one for one in workspace(files).packages if one.root == root)


def _pinned(files: dict[str, str], root: str = "src") -> dict[str, str]:
    return {one.name: one.pinned for one in _package(files, root).dependencies}


@pytest.mark.parametrize(
    ("properties", "name"),
    [
        ("<PackageId>Acme.Sheets</PackageId>", "acme.sheets"),
        ("<AssemblyName>Acme.B</AssemblyName>", "acme.b"),
        ("<AssemblyName>$(Company).B</AssemblyName>", "acme.b"),
        ("<AssemblyName>$(Elsewhere).B</AssemblyName>", "acme.c"),
        ("<AssemblyName>Acme.$(MSBuildProjectName)</AssemblyName>", "acme.acme.c"),
        ("", "acme.c"),
    ],
)
def test_a_project_is_named_by_itself_or_by_its_file(properties: str, name: str) -> None:
    files = {
        "Directory.Build.props": _project(_properties("<Company>Acme</Company>")),
        "src/Acme.C.csproj": _project(_properties(properties)),
    }
    assert _package(files).name == name


def test_packages_and_projects_that_it_refers_to() -> None:
    files = {
        "Core/Core.fsproj": _project(_properties("<PackageId>Acme.Core</PackageId>")),
        "src/Acme.Reports.csproj": """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><Version>1.2.0</Version></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Acme.Sheets" Version="2.0.4" />
    <PackageReference Include="Ranged"><Version>[1,2)</Version></PackageReference>
    <PackageReference Include="Floating" Version="1.*" />
    <PackageReference Include="Central" />
    <ProjectReference Include="..\\Core\\Core.fsproj" />
    <ProjectReference Include="..\\Elsewhere\\Acme.Other.csproj" />
  </ItemGroup>
</Project>""",
    }
    package = _package(files)
    assert package.version == "1.2.0"
    assert [(one.name, one.required, one.pinned) for one in package.dependencies] == [
        ("acme.sheets", "2.0.4", "2.0.4"),
        ("ranged", "[1,2)", ""),
        ("floating", "1.*", ""),
        ("central", "", ""),
        ("acme.core", "", ""),
        ("acme.other", "", ""),
    ]


def test_versions_may_be_kept_in_one_place() -> None:
    files = {
        "Directory.Packages.props": _central(A="3.1", B="1.0", C="$(C)"),
        "Directory.Build.props": _project(_properties("<C>7.0</C>"), _needs("C")),
        "src/X.csproj": _project(_needs("A", 'B VersionOverride="2.0"', "D")),
    }
    assert _pinned(files) == {"c": "7.0", "a": "3.1", "b": "2.0", "d": ""}
    unmanaged = {"Directory.Packages.props": _central(A="3.1").replace("true", "false")}
    assert _pinned(files | unmanaged)["a"] == ""


def test_the_nearest_file_counts_and_may_import_the_one_above() -> None:
    above = '<Import Project="$([MSBuild]::GetPathOfFileAbove(Directory.Packages.props, ..))" />'
    nested = '<ItemGroup><PackageVersion Update="A" Version="9" /></ItemGroup>'
    files = {
        "Directory.Packages.props": _central(A="3.1", B="1.0"),
        "src/Directory.Packages.props": _project(above, nested),
        "src/X.csproj": _project(_needs("A", "B")),
    }
    assert _pinned(files) == {"a": "9", "b": "1.0"}
    files["src/Directory.Packages.props"] = _central(B="5")
    assert _pinned(files) == {"a": "", "b": "5"}


def test_conditions_make_a_version_unknown_but_for_defaults() -> None:
    properties = """<A Condition="'$(A)' == ''">1</A><B>2</B>
        <B Condition="'$(TargetFramework)' == 'net8.0'">3</B>"""
    on_two = "".join(
        f'<ItemGroup Condition="x"><PackageReference Include="C" Version="{one}" /></ItemGroup>'
        for one in "12"
    )
    needs = _needs('A Version="$(A)"', 'B Version="$(B)"')
    files = {"src/X.csproj": _project(_properties(properties), needs, on_two)}
    assert _pinned(files) == {"a": "1", "b": "", "c": ""}


def test_versions_may_be_locked_for_one_project() -> None:
    locked = {
        "version": 1,
        "dependencies": {
            "net8.0": {
                "Acme.Sheets": {"type": "Direct", "resolved": "2.0.5"},
                "Under": {"type": "Transitive", "resolved": "1.0"},
                "acme.core": {"type": "Project"},
            }
        },
    }
    manifest = read("packages.lock.json", locked)
    assert manifest.pins == (Pin("acme.sheets", "2.0.5"), Pin("under", "1.0"))


def test_packages_config_has_all_packages() -> None:
    files = {
        "src/packages.config": '<packages><package id="Acme.Sheets" version="2.0.4" /></packages>',
        "src/X.csproj": _project(),
    }
    assert _package(files).name == "x"
    assert _pinned(files) == {"acme.sheets": "2.0.4"}
