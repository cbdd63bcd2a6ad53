"""Files that imports reach, by `ts.resolveModuleName`, node's `require.resolve` and `import`.

Run where `node` finds the package `typescript`. Packages of the repository are linked in
`node_modules` by name, and aliases as the row's manifests have them.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from tests.indexer.conformance.make_tables.resolution_projects import DIFFERS, NODE, TYPESCRIPT
from tests.indexer.conformance.make_tables.writing import write

_TYPESCRIPT = """
const ts = require("typescript"); const path = require("path");
const [file, specifier] = process.argv.slice(1);
const found = ts.findConfigFile(path.dirname(path.resolve(file)), ts.sys.fileExists);
const config = ts.getParsedCommandLineOfConfigFile(found, {}, { ...ts.sys,
  onUnRecoverableConfigFileDiagnostic() {} });
const answer = ts.resolveModuleName(specifier, path.resolve(file), config.options, ts.sys);
console.log(answer.resolvedModule ? answer.resolvedModule.resolvedFileName : "");
"""
_REQUIRE = """
const [file, specifier] = process.argv.slice(1);
try { console.log(require("module").createRequire(require("path").resolve(file))
  .resolve(specifier)); } catch { console.log(""); }
"""
_IMPORT = """
const [file, specifier] = process.argv.slice(2);
try { console.log(import.meta.resolve(specifier, "file://" + process.cwd() + "/" + file)); }
catch { console.log(""); }
"""


def _lay_out(files: dict[str, str]) -> Path:
    where = Path(tempfile.mkdtemp()).resolve()
    for path, text in files.items():
        (where / path).parent.mkdir(parents=True, exist_ok=True)
        (where / path).write_text(text)
    manifests = {
        Path(path).parent: json.loads(text)
        for path, text in files.items()
        if path.endswith("package.json")
    }
    named = {one["name"]: where / root for root, one in manifests.items() if "name" in one}
    links = dict(named)
    for one in manifests.values():
        for local, wanted in one.get("dependencies", {}).items():
            if wanted.startswith("npm:"):
                links[local] = named[wanted[4:].rpartition("@")[0]]
    for name, target in links.items():
        link = where / "node_modules" / name
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.exists():
            link.symlink_to(target)
    return where


def _rows(projects: dict[str, Any], command: list[str]) -> list[dict[str, Any]]:
    rows = []
    for name, (files, asked) in projects.items():
        where = _lay_out(files)
        for file, specifiers in asked.items():
            for specifier in specifiers:
                said = subprocess.run(
                    [*command, file, specifier],
                    cwd=where,
                    check=True,
                    capture_output=True,
                    text=True,
                ).stdout.strip()
                said = said.removeprefix("file://").removeprefix(f"{where}/")
                said = said if said in files else ""  # `import` does not look whether it is there
                known = {
                    one: text for one, text in files.items() if one in {file, said} or _is_read(one)
                }
                others = {one: "" for one in files if one not in known}
                row = {
                    "name": f"{name}: {file} {specifier}",
                    "files": known | others,
                    "says": {f"{file} {specifier}": said},
                }
                differs = DIFFERS.get(row["name"])
                rows.append(row | ({"differs": differs} if differs else {}))
        shutil.rmtree(where)
    return rows


def _is_read(path: str) -> bool:
    return path.endswith(("package.json", "tsconfig.json", ".base.json")) or "tsconfig" in path


def _version(script: str) -> str:
    found = subprocess.run(["node", "-p", script], capture_output=True, text=True, check=True)
    return found.stdout.strip()


def main() -> None:
    tool = {"question": "resolves", "ecosystem": "npm"}
    typescript = {"tool": "tsc", "version": _version("require('typescript').version")}
    write("tsc_resolves", **typescript, **tool, rows=_rows(TYPESCRIPT, ["node", "-e", _TYPESCRIPT]))
    node = {"tool": "node", "version": _version("process.versions.node")}
    write("node_requires", **node, **tool, rows=_rows(NODE, ["node", "-e", _REQUIRE]))
    with tempfile.NamedTemporaryFile("w", suffix=".mjs") as script:
        script.write(_IMPORT)
        script.flush()
        command = ["node", "--experimental-import-meta-resolve", script.name]
        write("node_imports", **node, **tool, rows=_rows(NODE, command))


if __name__ == "__main__":
    main()
