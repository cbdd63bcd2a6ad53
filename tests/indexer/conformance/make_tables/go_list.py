"""Modules, their versions and packages by `go`, from a proxy of files that this script writes."""

import json
import subprocess
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

from tests.indexer.conformance.make_tables.writing import write, written

Files = Mapping[str, str]
_PUBLISHED = {
    "example.org/a": ["v1.0.0", "v1.1.0", "v1.2.0-rc.1", "v1.2.0"],
    "example.org/a/v2": ["v2.0.0", "v2.1.0"],
    "example.org/other": ["v1.0.0"],
    "example.org/b": ["v0.1.0", "v0.2.0", "v0.0.0-20240101000000-abcdefabcdef"],
    "example.org/fork": ["v1.0.5", "v1.9.0"],
    "gopkg.in/c.v1": ["v1.0.0", "v1.4.2"],
    "example.org/old": ["v2.0.0+incompatible", "v3.1.0+incompatible"],
}


def _publish(proxy: Path) -> None:
    for path, versions in _PUBLISHED.items():
        folder = proxy / path / "@v"
        folder.mkdir(parents=True)
        (folder / "list").write_text("\n".join(versions) + "\n")
        for version in versions:
            mod = f"module {path.removesuffix('+incompatible')}\n"
            (folder / f"{version}.mod").write_text(mod)
            info = {"Version": version, "Time": "2024-01-01T00:00:00Z"}
            (folder / f"{version}.info").write_text(json.dumps(info))
            with zipfile.ZipFile(folder / f"{version}.zip", "w") as archive:
                archive.writestr(f"{path}@{version}/go.mod", mod)
                archive.writestr(f"{path}@{version}/all.go", "package all\n")


_HEAD = "module example.org/app\n\ngo 1.24\n\n"
_REPLACES = {
    "none": "",
    "any": "replace example.org/a => example.org/a v1.2.0\n",
    "this": "replace example.org/a v1.1.0 => example.org/a v1.0.0\n",
    "other": "replace example.org/a v1.0.0 => example.org/a v1.2.0\n",
    "fork": "replace example.org/a => example.org/fork v1.0.5\n",
    "directory": "replace example.org/a => ./near\n",
    "this directory": "replace example.org/a v1.1.0 => ./near\n",
    "other directory": "replace example.org/a v1.2.0 => ./near\n",
    "both": "replace (\n\texample.org/a => example.org/a v1.2.0\n"
    "\texample.org/a v1.1.0 => example.org/fork v1.9.0 // this one\n)\n",
    "quoted": 'replace "example.org/a" v1.1.0 => "example.org/a" v1.0.0\n',
}
_REQUIRES = {
    "line": "require example.org/a v1.1.0\n",
    "block": "require (\n\texample.org/b v0.1.0 // indirect\n\texample.org/a v1.1.0\n)\n",
    "twice": "require example.org/a v1.0.0\nrequire example.org/a v1.1.0\n",
    "majors": "require (\n\texample.org/a v1.1.0\n\texample.org/a/v2 v2.1.0\n)\n",
    "prerelease": "require example.org/a v1.2.0-rc.1\n",
}
_NEAR = "module example.org/a\n\ngo 1.24\n"
_OTHERS: dict[str, Files] = {
    "pseudo-version": {
        "go.mod": _HEAD + "require example.org/b v0.0.0-20240101000000-abcdefabcdef\n"
    },
    "gopkg.in": {"go.mod": _HEAD + "require gopkg.in/c.v1 v1.4.2\n"},
    "incompatible": {"go.mod": _HEAD + "require example.org/old v3.1.0+incompatible\n"},
    "tool": {
        "go.mod": _HEAD + "tool example.org/b/cmd/gen\n\nrequire example.org/b v0.2.0 // indirect\n"
    },
    "tools": {
        "go.mod": _HEAD
        + "tool (\n\texample.org/b/cmd/gen\n)\n\nrequire (\n\texample.org/b v0.2.0\n)"
    },
    "exclude": {"go.mod": _HEAD + "exclude example.org/a v1.0.0\n\nrequire example.org/a v1.1.0\n"},
    "retract": {
        "go.mod": _HEAD + "retract (\n\tv1.0.0\n\t[v1.1.0, v1.2.0] // bad\n)\n"
        "require example.org/a v1.1.0\n"
    },
    "toolchain and godebug": {
        "go.mod": _HEAD + "godebug (\n\tdefault=go1.22\n)\nrequire example.org/a v1.1.0\n"
    },
    "comment in a block": {
        "go.mod": _HEAD
        + "require ( // both\n\t// example.org/b v0.2.0\n\texample.org/a v1.1.0\n)\n"
    },
    "module in a block": {"go.mod": "module (\n\texample.org/app\n)\n\ngo 1.24\n"},
    "deprecated": {
        "go.mod": "// Deprecated: use another.\nmodule example.org/app // here\n\ngo 1.24\n"
    },
    "quoted": {"go.mod": 'module "example.org/app/v3"\n\ngo 1.24\n'},
    "carriage returns": {
        "go.mod": "module example.org/app\r\n\r\ngo 1.24\r\n\r\nrequire example.org/a v1.1.0\r\n"
    },
    "nested module": {
        "go.mod": _HEAD + "require example.org/a v1.1.0\n",
        "tools/go.mod": "module example.org/app/tools\n\ngo 1.24\n\nrequire example.org/b v0.2.0\n",
    },
    "nested modules ask for different versions": {
        "go.mod": _HEAD + "require example.org/a v1.1.0\n",
        "tools/go.mod": "module example.org/app/tools\n\ngo 1.24\n\nrequire example.org/a v1.0.0\n",
    },
    "second major in a directory": {
        "go.mod": _HEAD,
        "v2/go.mod": "module example.org/app/v2\n\ngo 1.24\n\nrequire example.org/app v1.0.0\n\n"
        "replace example.org/app => ../\n",
    },
}


def _module(name: str, requires: str, more: str = "") -> str:
    return f"module example.org/{name}\n\ngo 1.24\n\n{requires}{more}"


def _work(name: str, head: str, one: str, other: str) -> tuple[str, Files]:
    files = {
        "go.work": f"go 1.24\n\n{head}",
        "one/go.mod": _module("one", one),
        "other/go.mod": _module("other", other),
        "near/go.mod": _NEAR,
    }
    return f"work: {name}", files


_USE = "use (\n\t./one\n\t./other // the second\n)\n"
_WORKS = (
    _work("same", _USE, "require example.org/a v1.0.0\n", "require example.org/a v1.0.0\n"),
    _work("highest", _USE, "require example.org/a v1.0.0\n", "require example.org/a v1.2.0\n"),
    _work(
        "highest is no prerelease",
        _USE,
        "require example.org/a v1.2.0\n",
        "require example.org/a v1.2.0-rc.1\n",
    ),
    _work(
        "one alone",
        "use ./one\n",
        "require example.org/a v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "members ask for one another",
        _USE,
        "require example.org/other v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "replace",
        _USE + "replace example.org/a => example.org/a v1.1.0\n",
        "require example.org/a v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "replace of the highest",
        _USE + "replace example.org/a v1.2.0 => example.org/a v1.1.0\n",
        "require example.org/a v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "replace of what is not chosen",
        _USE + "replace example.org/a v1.0.0 => example.org/a v1.1.0\n",
        "require example.org/a v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "replace by a directory",
        _USE + "replace example.org/a => ./near\n",
        "require example.org/a v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "a member replaces for all",
        _USE,
        "require example.org/a v1.0.0\nreplace example.org/a => example.org/a v1.1.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "the workspace replaces before its members",
        _USE + "replace example.org/a => example.org/a v1.2.0\n",
        "require example.org/a v1.0.0\nreplace example.org/a => example.org/a v1.1.0\n",
        "require example.org/a v1.0.0\n",
    ),
    _work(
        "a member of the module's name",
        _USE + "use ./near\n",
        "require example.org/a v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
    _work(
        "quoted",
        'use "./one"\nuse "./other"\n',
        "require example.org/a v1.0.0\n",
        "require example.org/a v1.2.0\n",
    ),
)


_PACKAGES = {
    "all.go": "package all\n",
    "all_test.go": "package all\n",
    "all_outside_test.go": "package all_test\n",
    "retry/retry.go": "package again\n",
    "retry/internal/wait/wait.go": "package wait\n",
    "internal/internal.go": "package internal\n",
    "a/b/c/c.go": "package c\n",
}


def _below(root: str, module: str) -> Files:
    mod = {"go.mod": f"module {module}\n\ngo 1.24\n"}
    return {f"{root}{path}": text for path, text in {**mod, **_PACKAGES}.items()}


_MODULES: dict[str, Files] = {
    "one module": _below("", "example.org/app"),
    "second major": _below("", "example.org/app/v2"),
    "gopkg.in": _below("", "gopkg.in/app.v3"),
    "module in a directory": _below("go/", "example.org/app"),
    "second major in a directory": {
        **_below("", "example.org/app"),
        **_below("v2/", "example.org/app/v2"),
    },
    "module inside of a module": {
        **_below("", "example.org/app"),
        **_below("a/b/", "example.org/app/a/b"),
    },
    "module of another name inside": {
        **_below("", "example.org/app"),
        **_below("lib/", "example.com/other"),
    },
}


def _inputs() -> Iterator[tuple[str, Files]]:
    for (required, text), (replaced, more) in product(_REQUIRES.items(), _REPLACES.items()):
        yield (
            f"{required}, replace {replaced}",
            {
                "go.mod": _HEAD + text + more,
                "near/go.mod": _NEAR,
            },
        )
    yield from _OTHERS.items()
    yield from _WORKS


def _json_stream(text: str) -> Iterator[Any]:
    decoder, place = json.JSONDecoder(), 0
    while text[place:].strip():
        place += len(text[place:]) - len(text[place:].lstrip())
        found, place = decoder.raw_decode(text, place)
        yield found


def _go(folder: Path, proxy: Path, *arguments: str) -> str:
    is_work = any((one / "go.work").exists() for one in (folder, folder.parent))
    environment = {
        "PATH": "/usr/local/go/bin:/usr/bin:/bin",
        "HOME": str(proxy.parent),
        "GOPROXY": f"file://{proxy}",
        "GOSUMDB": "off",
        "GONOSUMDB": "*",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-modcacherw" + ("" if is_work else " -mod=mod"),
        "GOMODCACHE": str(proxy.parent / "cache"),
    }
    return subprocess.run(
        ["go", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    ).stdout


def _module_of(folder: Path, proxy: Path, root: str) -> str:
    return json.loads(_go(folder / root, proxy, "mod", "edit", "-json"))["Module"]["Path"]


def _pinned(folder: Path, proxy: Path, root: str) -> dict[str, str]:
    """Return the versions of what the go.mod of a directory requires."""
    place = folder / root
    mod = json.loads(_go(place, proxy, "mod", "edit", "-json"))
    wanted = {one["Path"] for one in mod.get("Require") or ()}
    return {
        one["Path"]: "" if one.get("Main") else one.get("Replace", one).get("Version", "")
        for one in _json_stream(_go(place, proxy, "list", "-m", "-json", "all"))
        if one["Path"] in wanted
    }


def _imported(folder: Path, proxy: Path, roots: Iterable[str]) -> dict[str, list[str]]:
    """Return the path by which other modules import each file, none if they may not."""
    found = {}
    for root in roots:
        for one in _json_stream(_go(folder / root, proxy, "list", "-json", "./...")):
            directory = Path(one["Dir"]).relative_to(folder.resolve())
            is_public = "internal" not in one["ImportPath"].split("/")
            for name in one.get("GoFiles", ()):
                found[str(directory / name)] = [one["ImportPath"]] if is_public else []
            for name in [*one.get("TestGoFiles", ()), *one.get("XTestGoFiles", ())]:
                found[str(directory / name)] = []
    return dict(sorted(found.items()))


def _rows(proxy: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, files in _inputs():
        with written(files) as folder:
            roots = [path.removesuffix("go.mod").rstrip("/") for path in files if "go.mod" in path]
            used = _used(folder, proxy) if "go.work" in files else roots
            pinned = {root: _pinned(folder, proxy, root) for root in roots if root in used}
            declared = {root: [_module_of(folder, proxy, root), ""] for root in roots}
        yield "packages", {"name": name, "files": files, "says": declared}
        yield "pins", {"name": name, "files": files, "says": pinned}
    for name, files in _MODULES.items():
        with written(files) as folder:
            roots = [path.removesuffix("go.mod").rstrip("/") for path in files if "go.mod" in path]
            yield (
                "modules",
                {"name": name, "files": files, "says": _imported(folder, proxy, roots)},
            )


def _used(folder: Path, proxy: Path) -> list[str]:
    edited = json.loads(_go(folder, proxy, "work", "edit", "-json"))
    return [one["DiskPath"].removeprefix("./") for one in edited["Use"]]


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        proxy = Path(made) / "proxy"
        _publish(proxy)
        version = _go(Path(made), proxy, "env", "GOVERSION").strip().removeprefix("go")
        rows = list(_rows(proxy))
    tool = {"tool": "go", "version": version, "ecosystem": "go"}
    for question in ("packages", "pins", "modules"):
        found = [row for kind, row in rows if kind == question]
        write(f"go_{question}", question=question, rows=found, **tool)


if __name__ == "__main__":
    main()
