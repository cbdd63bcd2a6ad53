"""Projects of .NET, versions in one place, and the lock file."""

from indexer.records.manifests import Dependency, Pin
from tests.indexer.ecosystems.reading import read


def test_a_project_is_named_by_itself_or_by_its_file() -> None:
    project = "<Project><PropertyGroup>{}</PropertyGroup></Project>"
    named = read("src/A.csproj", project.format("<PackageId>Acme.Sheets</PackageId>"))
    assert named.name == "acme.sheets"
    assembled = read("src/A.csproj", project.format("<AssemblyName>Acme.B</AssemblyName>"))
    assert assembled.name == "acme.b"
    assert read("src/Acme.C.csproj", project.format("")).name == "acme.c"


def test_packages_and_projects_that_it_refers_to() -> None:
    manifest = read(
        "Acme.Reports.csproj",
        """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><Version>1.2.0</Version></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Acme.Sheets" Version="2.0.4" />
    <PackageReference Include="Ranged"><Version>[1,2)</Version></PackageReference>
    <PackageReference Include="Central" />
    <ProjectReference Include="..\\Core\\Acme.Core.csproj" />
  </ItemGroup>
</Project>""",
    )
    assert manifest.version == "1.2.0"
    assert manifest.dependencies == (
        Dependency("acme.sheets", "2.0.4"),
        Dependency("ranged", "[1,2)"),
        Dependency("central", ""),
        Dependency("acme.core", ""),
    )
    assert manifest.pins == (Pin("acme.sheets", "2.0.4"),)


def test_versions_may_be_kept_in_one_place_or_locked() -> None:
    item = '<PackageVersion Include="Central" Version="3.1" />'
    central = f"<Project><ItemGroup>{item}</ItemGroup></Project>"
    assert read("Directory.Packages.props", central).pins == (Pin("central", "3.1"),)
    locked = {"version": 1, "dependencies": {"net8.0": {"Acme.Sheets": {"resolved": "2.0.5"}}}}
    assert read("packages.lock.json", locked).pins == (Pin("acme.sheets", "2.0.5"),)
