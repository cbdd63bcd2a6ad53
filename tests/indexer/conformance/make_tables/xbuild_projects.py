"""Names, versions and references of C#'s projects, by Mono's `xbuild`, an MSBuild of version 14.

It knows neither SDKs nor metadata as attributes: the script imports the files in the order in which
the SDK does, and inputs write `<Version>` as an element. Central versions are NuGet's, not asked.
"""

import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.indexer.conformance.make_tables.writing import write, written

_BEFORE = ("Directory.Build.props", "Directory.Packages.props")
_AFTER = "Directory.Build.targets"
_SAY = """<Project xmlns="http://schemas.microsoft.com/developer/msbuild/2003" ToolsVersion="14.0">
{imports}
  <Target Name="Say">
    <Message Importance="high" Text="SAY|package|$(PackageId)|$(Version)|" />
    <Message Importance="high"
      Text="SAY|need|%(PackageReference.Identity)|%(PackageReference.Version)|" />
  </Target>
</Project>
"""
_UNDEFINED = "a property that no file defines may be one of the SDK or of the environment"
_CONDITIONAL = "a condition is not evaluated: it may be false for another framework or command"


def _project(properties: str, items: str = "") -> str:
    group = f"<PropertyGroup>{properties}</PropertyGroup>"
    return f"<Project>{group}<ItemGroup>{items}</ItemGroup></Project>"


def _need(name: str, version: str, more: str = "") -> str:
    return (
        f'<PackageReference Include="{name}"{more}><Version>{version}</Version></PackageReference>'
    )


_OWN = "<PackageId>Acme.A</PackageId><Version>1.2.0</Version>"
_ONE = _need("x", "$(V)")
_INPUTS: Mapping[str, tuple[dict[str, str], str]] = {
    "plain": ({"A.csproj": _project(_OWN, _need("x", "1.0.0"))}, ""),
    "property": ({"A.csproj": _project(_OWN + "<V>3.1.0</V>", _ONE)}, ""),
    "property in a text": ({"A.csproj": _project(_OWN + "<V>3</V>", _need("x", "$(V).1.0"))}, ""),
    "property of a property": (
        {"A.csproj": _project(_OWN + "<M>3</M><V>$(M).2.0</V>", _ONE)},
        "",
    ),
    "property in other case": ({"A.csproj": _project(_OWN + "<v>3.1.0</v>", _ONE)}, ""),
    "property set twice": ({"A.csproj": _project(_OWN + "<V>1.0.0</V><V>2.0.0</V>", _ONE)}, ""),
    "property that is used before": (
        {"A.csproj": _project(_OWN + "<V>$(M).0.0</V><M>3</M>", _need("x", "1$(V)"))},
        _UNDEFINED,
    ),
    "version by a property": (
        {"A.csproj": _project("<M>4.5</M><PackageId>Acme.A</PackageId><Version>$(M).6</Version>")},
        "",
    ),
    "several in one item": ({"A.csproj": _project(_OWN, _need("x;y", "1.0.0"))}, ""),
    "blanks": ({"A.csproj": _project(_OWN, _need(" x ; y ", "1.0.0"))}, ""),
    "props above": (
        {
            "Directory.Build.props": _project("<V>5.0.0</V><Version>9.0.0</Version>"),
            "src/A.csproj": _project("<PackageId>Acme.A</PackageId>", _ONE),
        },
        "",
    ),
    "project over props": (
        {
            "Directory.Build.props": _project("<V>5.0.0</V>"),
            "src/A.csproj": _project(_OWN + "<V>6.0.0</V>", _ONE),
        },
        "",
    ),
    "nearest props": (
        {
            "Directory.Build.props": _project("<V>5.0.0</V>"),
            "src/Directory.Build.props": _project("<V>7.0.0</V>"),
            "src/A.csproj": _project(_OWN, _ONE),
        },
        "",
    ),
    "targets over the project": (
        {
            "Directory.Build.targets": _project("<Version>8.0.0</Version>"),
            "A.csproj": _project(_OWN),
        },
        "",
    ),
    "items of props": (
        {
            "Directory.Build.props": _project("", _need("y", "2.0.0")),
            "A.csproj": _project(_OWN, _need("x", "1.0.0")),
        },
        "",
    ),
    "items read properties at last": (
        {
            "Directory.Build.targets": _project("<V>8.0.0</V>"),
            "A.csproj": _project(_OWN + "<V>1.0.0</V>", _ONE),
        },
        "",
    ),
    "import": (
        {
            "versions.props": _project("<V>2.5.0</V>"),
            "A.csproj": '<Project><Import Project="versions.props" />'
            + _project(_OWN, _ONE).removeprefix("<Project>"),
        },
        "",
    ),
    "import of a directory above": (
        {
            "eng/versions.props": _project("<V>2.5.0</V>"),
            "src/A.csproj": '<Project><Import Project="..\\eng\\versions.props" />'
            + _project(_OWN, _ONE).removeprefix("<Project>"),
        },
        "",
    ),
    "default": (
        {"A.csproj": _project(_OWN + "<V Condition=\"'$(V)' == ''\">3.0.0</V>", _ONE)},
        "",
    ),
    "default that is not needed": (
        {
            "Directory.Build.props": _project("<V>5.0.0</V>"),
            "A.csproj": _project(_OWN + "<V Condition=\"'$(V)' == ''\">3.0.0</V>", _ONE),
        },
        "",
    ),
    "condition": (
        {"A.csproj": _project(_OWN + "<V>1.0.0</V><V Condition=\"'$(T)' == 'a'\">3.0.0</V>", _ONE)},
        _CONDITIONAL,
    ),
    "comments": (
        {"A.csproj": _project(_OWN, "<!-- " + _need("y", "1.0.0") + " -->" + _need("x", "2.0.0"))},
        "",
    ),
}


def _nearest(name: str, project: Path, top: Path) -> list[Path]:
    found = [one / name for one in project.parents if one == top or top in one.parents]
    return [one for one in found if one.exists()][:1]


def _said(files: Mapping[str, str]) -> list[list[str]]:
    with written(files) as top:
        (project,) = top.rglob("*.csproj")
        imports = [path for name in _BEFORE for path in _nearest(name, project, top)]
        imports += [project, *_nearest(_AFTER, project, top)]
        lines = "\n".join(f'  <Import Project="{path}" />' for path in imports)
        say = top / "say.proj"
        say.write_text(_SAY.format(imports=lines), "utf-8")
        found = subprocess.run(
            ["xbuild", "/nologo", "/verbosity:minimal", "/target:Say", say],
            capture_output=True,
            text=True,
            check=True,
        )
    return [line.strip().split("|") for line in found.stdout.splitlines() if "SAY|" in line]


def main() -> None:
    packages: list[Any] = []
    pins: list[Any] = []
    for name, (files, differs) in _INPUTS.items():
        said = _said(files)
        root = next(path for path in files if path.endswith("proj")).rpartition("/")[0]
        own = [[name.lower(), version] for _, kind, name, version, _ in said if kind == "package"]
        needs = {name: version for _, kind, name, version, _ in said if kind == "need" and name}
        packages.append({"name": name, "files": files, "says": {root: own[0]}})
        if needs:
            row = {"name": name, "files": files, "says": {root: needs}}
            pins.append(row | ({"differs": differs} if differs else {}))
    found = subprocess.run(["xbuild", "/version"], capture_output=True, text=True, check=False)
    version = re.search(r"\d+\.\d+[\d.]*", found.stdout)
    tool = {"tool": "xbuild", "version": version[0] if version else "", "ecosystem": "nuget"}
    write("xbuild_packages", question="packages", rows=packages, **tool)
    write("xbuild_pins", question="pins", rows=pins, **tool)


if __name__ == "__main__":
    main()
