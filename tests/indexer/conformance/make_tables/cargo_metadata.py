"""Packages, versions and modules by `cargo` and `rustc`, from crates that this script writes."""

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.indexer.conformance.make_tables.writing import write, written

Files = Mapping[str, str]
_PUBLISHED = {
    "alpha": ["0.1.0", "0.1.5", "0.2.0", "1.0.0", "1.4.2", "2.0.0-rc.1"],
    "beta-x": ["0.3.0"],
    "gamma_y": ["1.0.0", "1.1.0"],
    "delta": ["0.0.3", "0.0.4"],
}
_NEEDS = {"beta-x": 'alpha = "0.1"\n', "gamma_y": 'alpha = "0.2"\n'}
_AT = "\npub const AT: (&str, &str) = (module_path!(), file!());\n"
_AT_FOUND = re.compile(r'AT: \(&str, &str\) =\s*\("([^"]+)",\s*"([^"]+)"\)')


def _publish(directory: Path) -> None:
    for name, versions in _PUBLISHED.items():
        for version in versions:
            crate = directory / f"{name}-{version}"
            (crate / "src").mkdir(parents=True)
            (crate / "src/lib.rs").write_text("")
            (crate / "Cargo.toml").write_text(
                f'[package]\nname = "{name}"\nversion = "{version}"\nedition = "2021"\n'
                f"[dependencies]\n{_NEEDS.get(name, '')}"
            )
            (crate / ".cargo-checksum.json").write_text('{"files": {}, "package": "00"}')


def _package(name: str, more: str = "", version: str = 'version = "1.2.3"\n') -> str:
    return f'[package]\nname = "{name}"\n{version}edition = "2021"\n\n{more}'


def _one(name: str, more: str, **other: str) -> tuple[str, Files]:
    return name, {"Cargo.toml": _package("app", more), "src/lib.rs": "", **other}


_RANGES = [
    '"1"',
    '"1.0"',
    '"=1.0.0"',
    '"= 1.0.0"',
    '"~1.0"',
    '"^0.1"',
    '"0.1.0"',
    '"<1"',
    '">=0.1, <0.2"',
    '"*"',
    '"1.*"',
    '"0.2.*"',
    '"=2.0.0-rc.1"',
    '"2.0.0-rc.1"',
    '{ version = "1" }',
    '{ version = "=0.1.5", default-features = false }',
    '{ version = "0.1", optional = true }',
]
_SECTIONS = [
    "dependencies",
    "dev-dependencies",
    "build-dependencies",
    "target.'cfg(unix)'.dependencies",
    "target.x86_64-unknown-linux-gnu.dev-dependencies",
    'target."cfg(windows)".build-dependencies',
]
_BETA = 'beta-x = "0.3"\n'
_SINGLE = (
    *(_one(f"range {one}", f"[dependencies]\nalpha = {one}\n") for one in _RANGES),
    *(
        _one(f"range {one}, another version beside", f"[dependencies]\nalpha = {one}\n{_BETA}")
        for one in _RANGES
    ),
    *(_one(f"in {one}", f'[{one}]\nalpha = "1"\ngamma_y = "1"\n') for one in _SECTIONS),
    *(
        _one(
            f"renamed in {one}", f'[{one}]\nother = {{ package = "alpha", version = "1" }}\n{_BETA}'
        )
        for one in _SECTIONS
    ),
    _one("dependency as a table", '[dependencies.alpha]\nversion = "0.2"\nfeatures = []\n'),
    _one("underscore for a dash", '[dependencies]\ngamma_y = "=1.0.0"\nbeta-x = "0.3"\n'),
    _one("several versions come along", '[dependencies]\nbeta-x = "0.3"\ngamma_y = "1"\n'),
    _one("zeros", '[dependencies]\ndelta = "0.0.3"\n'),
    _one(
        "same in two sections",
        '[dependencies]\nalpha = "1"\n[dev-dependencies]\nalpha = "1.0"\n' + "beta-x = '0.3'\n",
    ),
    ("without a version", {"Cargo.toml": _package("app", version=""), "src/lib.rs": ""}),
    ("name with an underscore", {"Cargo.toml": _package("my_app"), "src/lib.rs": ""}),
    ("old table", {"Cargo.toml": '[project]\nname = "app"\nversion = "0.1.0"\n', "src/lib.rs": ""}),
    _one(
        "by path",
        '[dependencies]\nnear = { path = "near" }\n',
        **{
            "near/Cargo.toml": _package("near", version='version = "0.7.0"\n'),
            "near/src/lib.rs": "",
        },
    ),
    _one(
        "by path under another name",
        '[dependencies]\nclose = { path = "near", package = "near" }\n',
        **{
            "near/Cargo.toml": _package("near", version='version = "0.7.0"\n'),
            "near/src/lib.rs": "",
        },
    ),
)


def _workspace(name: str, head: str, **members: str) -> tuple[str, Files]:
    files = {"Cargo.toml": f'[workspace]\nresolver = "2"\nmembers = ["*"]\n{head}'}
    for member, more in members.items():
        version = (
            ""
            if "version." in more or "version =" in more.partition("[")[0]
            else 'version = "1.0.0"\n'
        )
        files[f"{member}/Cargo.toml"] = (
            f'[package]\nname = "{member}"\n{version}edition = "2021"\n{more}'
        )
        files[f"{member}/src/lib.rs"] = ""
    return f"workspace: {name}", files


_INHERIT = "version.workspace = true\n"
_GIVEN = '[workspace.package]\nversion = "4.5.6"\n'
_WORKSPACES = (
    _workspace(
        "versions of their own",
        "",
        a='[dependencies]\nalpha = "0.1"\n',
        b='[dependencies]\nalpha = "1"\n',
    ),
    _workspace(
        "three versions",
        "",
        a='[dependencies]\nalpha = "0.1"\n',
        b='[dependencies]\nalpha = "1"\n',
        c='[dependencies]\nalpha = "0.2"\n',
    ),
    _workspace("inherited version", _GIVEN, a=_INHERIT, b=""),
    _workspace("inherited version as a table", _GIVEN, a="version = { workspace = true }\n"),
    _workspace("version without a member that inherits it", _GIVEN, a="", b=""),
    _workspace(
        "inherited dependency",
        '[workspace.dependencies]\nalpha = "0.2"\n',
        a="[dependencies]\nalpha.workspace = true\n",
        b='[dependencies]\nalpha = "1"\n',
    ),
    _workspace(
        "inherited and exact",
        '[workspace.dependencies]\nalpha = "=0.1.0"\n',
        a="[dependencies]\nalpha = { workspace = true, optional = true }\n",
        b='[dependencies]\nalpha = "1"\n',
    ),
    _workspace(
        "inherited and renamed",
        '[workspace.dependencies]\nother = { package = "alpha", version = "0.2" }\nalpha = "1"\n',
        a="[dependencies]\nother.workspace = true\n",
        b="[dependencies]\nalpha.workspace = true\n",
    ),
    _workspace(
        "inherited in other sections",
        '[workspace.dependencies]\nalpha = "0.2"\ngamma_y = "1"\n',
        a="[dev-dependencies]\nalpha.workspace = true\n",
        b="[target.'cfg(unix)'.dependencies]\nalpha = { workspace = true }\n"
        "[build-dependencies]\ngamma_y.workspace = true\n",
        c='[dependencies]\nalpha = "1"\n',
    ),
    _workspace(
        "member by path",
        '[workspace.dependencies]\nb = { path = "b" }\n',
        a="[dependencies]\nb.workspace = true\n",
        b='[dependencies]\nalpha = "1"\n',
    ),
    _workspace(
        "member by path under another name",
        '[workspace.dependencies]\nstorage = { path = "b", package = "b", version = "1" }\n',
        a="[dependencies]\nstorage.workspace = true\n",
        b="",
    ),
    _workspace(
        "dependency without a member that inherits it",
        '[workspace.dependencies]\nalpha = "0.2"\n',
        a='[dependencies]\nalpha = "1"\n',
        b='[dependencies]\nalpha = "0.1"\n',
    ),
    (
        "workspace: the root is a package",
        {
            "Cargo.toml": '[workspace]\nmembers = ["a"]\n'
            + _GIVEN
            + '[workspace.dependencies]\nalpha = "0.1"\n'
            + _package("top", '[dependencies]\nalpha = "1"\n', _INHERIT),
            "src/lib.rs": "",
            "a/Cargo.toml": _package("a", "[dependencies]\nalpha.workspace = true\n", _INHERIT),
            "a/src/lib.rs": "",
        },
    ),
    (
        "workspace: a member takes no dependency of a root that is a package",
        {
            "Cargo.toml": '[workspace]\nmembers = ["a"]\n'
            + _package("top", '[dependencies]\nalpha = "=1.0.0"\n'),
            "src/lib.rs": "",
            "a/Cargo.toml": _package("a", '[dependencies]\nbeta-x = "0.3"\n'),
            "a/src/lib.rs": "",
        },
    ),
    (
        "workspace: a member elsewhere",
        {
            "ws/Cargo.toml": '[workspace]\nmembers = ["../a"]\n' + _GIVEN,
            "a/Cargo.toml": _package("a", '[dependencies]\nalpha = "1"\n', _INHERIT).replace(
                "edition", 'workspace = "../ws"\nedition'
            ),
            "a/src/lib.rs": "",
        },
    ),
)


def _crate(toml: str, **files: str) -> Files:
    sources = {path: text + _AT for path, text in files.items()}
    return {"Cargo.toml": toml, **sources}


_APP = _package("my-app")
_AUTO = {"src/lib.rs": "pub mod a;", "src/a.rs": "pub mod b;", "src/a/b.rs": ""}
_MODULES: dict[str, Files] = {
    "library": _crate(_APP, **_AUTO),
    "library with mod.rs": _crate(
        _APP, **{"src/lib.rs": "pub mod a;", "src/a/mod.rs": "pub mod b;", "src/a/b/mod.rs": ""}
    ),
    "library and binaries": _crate(
        _APP,
        **_AUTO,
        **{
            "src/main.rs": "fn main() {}",
            "src/bin/tool.rs": "fn main() {}",
            "src/bin/other/main.rs": "mod config; fn main() {}",
            "src/bin/other/config.rs": "",
        },
    ),
    "library, tests, examples, benches and build script": _crate(
        _APP,
        **_AUTO,
        **{
            "build.rs": "fn main() {}",
            "tests/it.rs": "mod common;",
            "tests/common/mod.rs": "",
            "tests/big/main.rs": "mod part;",
            "tests/big/part.rs": "",
            "examples/show.rs": "fn main() {}",
            "examples/large/main.rs": "fn main() {}",
            "benches/fast.rs": "fn main() {}",
        },
    ),
    "modules called like directories of targets": _crate(
        _APP,
        **{
            "src/lib.rs": "pub mod tests; pub mod examples; pub mod benches;",
            "src/tests.rs": "pub mod deep;",
            "src/tests/deep.rs": "",
            "src/examples/mod.rs": "",
            "src/benches.rs": "",
        },
    ),
    "declared name": _crate(_APP + '[lib]\nname = "core"\n', **_AUTO),
    "declared path": _crate(
        _APP + '[lib]\npath = "lib/entry.rs"\n',
        **{"lib/entry.rs": "pub mod a;", "lib/a.rs": "pub mod b;", "lib/a/b.rs": ""},
    ),
    "declared path below src": _crate(
        _APP + '[lib]\npath = "src/core/entry.rs"\n',
        **{
            "src/core/entry.rs": "pub mod a;",
            "src/core/a/mod.rs": "",
            "src/main.rs": "fn main() {}",
        },
    ),
    "declared path at the top": _crate(
        _APP + '[lib]\npath = "lib.rs"\n',
        **{
            "lib.rs": "pub mod a;",
            "a.rs": "",
            "tests/it.rs": "",
            "build.rs": "fn main() {}",
            "examples/e.rs": "fn main() {}",
        },
    ),
    "declared path and name": _crate(
        _APP + '[lib]\nname = "named"\npath = "./source/lib.rs"\n',
        **{"source/lib.rs": "pub mod a;", "source/a.rs": ""},
    ),
    "declared binary beside the library": _crate(
        _APP + '[[bin]]\nname = "tool"\npath = "src/tool.rs"\n',
        **_AUTO,
        **{"src/tool.rs": "fn main() {}"},
    ),
    "declared binary in a directory": _crate(
        _APP + '[[bin]]\nname = "tool"\npath = "cli/run.rs"\n',
        **_AUTO,
        **{"cli/run.rs": "mod args; fn main() {}", "cli/args.rs": ""},
    ),
    "declared binary in a directory below src": _crate(
        _APP + '[[bin]]\nname = "tool"\npath = "src/cli/main.rs"\n',
        **_AUTO,
        **{"src/cli/main.rs": "mod args; fn main() {}", "src/cli/args.rs": ""},
    ),
    "declared test, example and bench": _crate(
        _APP
        + '[[test]]\nname = "t"\npath = "src/t.rs"\n[[example]]\nname = "e"\npath = "demo/e.rs"\n'
        '[[bench]]\nname = "b"\npath = "src/speed/b.rs"\n',
        **_AUTO,
        **{"src/t.rs": "", "demo/e.rs": "fn main() {}", "src/speed/b.rs": ""},
    ),
    "declared build script": _crate(
        _APP.replace("edition", 'build = "src/generate.rs"\nedition'),
        **_AUTO,
        **{"src/generate.rs": "fn main() {}"},
    ),
    "binary alone": _crate(_APP, **{"src/main.rs": "fn main() {}"}),
    "member of a workspace": {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n',
        "crates/auth/Cargo.toml": _package("auth-kit"),
        "crates/auth/src/lib.rs": "pub mod a;" + _AT,
        "crates/auth/src/a.rs": _AT,
        "crates/run/Cargo.toml": _package(
            "run", '[dependencies]\nauth-kit = { path = "../auth" }\n'
        ),
        "crates/run/src/main.rs": "fn main() {}" + _AT,
        "crates/run/src/lib.rs": _AT,
    },
}


class _Cargo:
    """Cargo with the published crates in a directory."""

    def __init__(self, crates: Path) -> None:
        self._crates = crates
        self.version = self._run(Path(), "--version").split()[1]

    def lock(self, folder: Path) -> None:
        self._run(folder, "generate-lockfile", "--offline")

    def metadata(self, folder: Path) -> Any:
        return json.loads(self._run(folder, "metadata", "--format-version=1", "--offline"))

    def expanded(self, folder: Path, package: str) -> str:
        arguments = ["-p", package, "--lib", "--offline", "--", "-Zunpretty=expanded"]
        return self._run(folder, "rustc", *arguments)

    def _run(self, folder: Path, command: str, *arguments: str) -> str:
        settings = [
            "--config",
            'source.crates-io.replace-with="written"',
            "--config",
            f'source.written.directory="{self._crates}"',
        ]
        return subprocess.run(
            ["cargo", *settings, command, *arguments],
            cwd=folder,
            check=True,
            env={**os.environ, "RUSTC_BOOTSTRAP": "1"},
            capture_output=True,
            text=True,
        ).stdout


def _directory(folder: Path, path: str) -> str:
    found = Path(path).relative_to(folder.resolve()).as_posix()
    return "" if found == "." else found


def _dashed(name: str) -> str:
    return name.replace("_", "-")


def _decided(cargo: _Cargo, start: Path, folder: Path) -> Iterator[tuple[str, Any]]:
    found = cargo.metadata(start)
    packages = {one["id"]: one for one in found["packages"]}
    own = {one["id"]: one for one in found["packages"] if not one["source"]}
    places = {
        key: _directory(folder, str(Path(one["manifest_path"]).parent)) for key, one in own.items()
    }
    yield (
        "packages",
        {places[key]: [_dashed(one["name"]), one["version"]] for key, one in own.items()},
    )
    yield (
        "pins",
        {
            places[node["id"]]: {
                _dashed(packages[one["pkg"]]["name"]): packages[one["pkg"]]["version"]
                for one in node["deps"]
            }
            for node in found["resolve"]["nodes"]
            if node["id"] in own
        },
    )


def _rows(cargo: _Cargo) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, files in (*_SINGLE, *_WORKSPACES):
        start = "ws" if "ws/Cargo.toml" in files else ""
        with written(files) as folder:
            cargo.lock(folder / start)
            lock = f"{start}/Cargo.lock".lstrip("/")
            whole = {**files, lock: (folder / lock).read_text()}
            for question, says in _decided(cargo, folder / start, folder):
                yield question, {"name": name, "files": whole, "says": says}
    for name, files in _MODULES.items():
        with written(files) as folder:
            yield "modules", {"name": name, "files": files, "says": _modules(cargo, folder, files)}
            shutil.rmtree(folder / "target", ignore_errors=True)


def _modules(cargo: _Cargo, folder: Path, files: Files) -> dict[str, list[str]]:
    """Return the path by which other crates mean each file, none if it is of no library."""
    found: dict[str, list[str]] = {path: [] for path in files if path.endswith(".rs")}
    for package in cargo.metadata(folder)["packages"]:
        kinds = {kind for target in package["targets"] for kind in target["kind"]}
        if "lib" in kinds:
            for module, path in _AT_FOUND.findall(cargo.expanded(folder, package["name"])):
                found[path] = [module.replace("::", ".")]
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as made:
        _publish(Path(made))
        cargo = _Cargo(Path(made))
        rows = list(_rows(cargo))
    tool = {"tool": "cargo", "version": cargo.version, "ecosystem": "cargo"}
    for question in ("packages", "pins", "modules"):
        found = [row for kind, row in rows if kind == question]
        write(f"cargo_{question}", question=question, rows=found, **tool)


if __name__ == "__main__":
    main()
