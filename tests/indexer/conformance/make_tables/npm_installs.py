"""Versions that npm, pnpm, Yarn, Bun and Deno install, by what node then finds from each package.

Run with the tools' command lines in the environment: NPM_INSTALLERS is a JSON object of name, of
the table, and [command, its version, files that configure it, names of its lock files].
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from tests.indexer.conformance.make_tables.writing import write

_PACKAGES = {
    "ms": ["^2.0.0", "2.0.0", "<2", "1.x", "*", ">=0.7 <1.1", "~2.1.0"],
    "semver": ["^5.1.0", "^6.0.0", "7.5.0 - 7.6", "~5.7.0 || ~6.3.0", "5"],
    "isarray": ["0.0.1", "^1.0.0", "^2.0.0", "1 || 2"],
    "depd": ["~1.1.0", "^2.0.0", ">1"],
    "debug": ["^2.6.0", "~3.1.0", "4.1.x"],
    "@types/estree": ["^0.0.50", "^1.0.0", "1.0.5"],
}
_HOST = re.compile(r"https?://[^/\"]+/")
_SECTIONS = ["dependencies", "devDependencies", "optionalDependencies"]
_FIND = """
const { createRequire } = require("module");
const fs = require("fs");
const found = {};
for (const [directory, names] of Object.entries(JSON.parse(process.argv[1]))) {
  found[directory] = {};
  for (const [name, real] of Object.entries(names)) {
    for (let at = require("path").resolve(directory); ; at = require("path").dirname(at)) {
      const file = `${at}/node_modules/${name}/package.json`;
      if (fs.existsSync(file)) {
        found[directory][real] = JSON.parse(fs.readFileSync(file, "utf-8")).version;
        break;
      }
      if (at === process.cwd()) { found[directory][real] = ""; break; }
    }
  }
}
console.log(JSON.stringify(found));
"""


def _dependencies(random: Random, aliased: bool) -> dict[str, dict[str, str]]:
    sections: dict[str, dict[str, str]] = {}
    for name in random.sample(sorted(_PACKAGES), random.randint(1, 4)):
        wanted = random.choice(_PACKAGES[name])
        local = name
        if aliased and random.random() < 0.25:
            local, wanted = f"old-{name.strip('@').replace('/', '-')}", f"npm:{name}@{wanted}"
        section = random.choice(_SECTIONS[: random.choice([1, 2, 3])])
        sections.setdefault(section, {})[local] = wanted
    return sections


def _project(random: Random, tool: str) -> dict[str, dict[str, Any]]:
    """Return the manifests by directory: one package, or a workspace."""
    root: dict[str, Any] = {"name": "root", "version": "1.0.0", "private": True}
    manifests = {"": root | _dependencies(random, aliased=True)}
    members = random.choice([0, 0, 2, 3]) if tool != "npm_1" else 0
    for number in range(members):
        name = random.choice([f"m{number}", f"@acme/m{number}"])
        member = {"name": name, "version": f"1.{number}.0"}
        manifests[f"packages/m{number}"] = member | _dependencies(random, aliased=True)
    if members:
        manifests[""]["workspaces"] = ["packages/*"]
        first = manifests["packages/m0"]
        protocol = "workspace:*" if tool.startswith(("pnpm", "yarn_4", "bun")) else "^1.0.0"
        manifests["packages/m1"].setdefault("dependencies", {})[first["name"]] = protocol
    return manifests


def _real(local: str, wanted: str) -> str:
    return wanted[4:].rpartition("@")[0] if wanted.startswith("npm:") else local


def _row(number: int, tool: str, settings: list[Any]) -> dict[str, Any] | None:
    command, _, configuration, locks = settings
    manifests = _project(Random(f"{tool}{number}"), tool)  # noqa: S311
    where = Path(tempfile.mkdtemp())
    files = {f"{path}/package.json".lstrip("/"): json.dumps(one) for path, one in manifests.items()}
    if "workspaces" in manifests[""]:
        files |= configuration
    for path, text in files.items():
        (where / path).parent.mkdir(parents=True, exist_ok=True)
        (where / path).write_text(text)
    if tool == "yarn_4":
        (where / ".yarnrc.yml").write_text("nodeLinker: node-modules\n")
        (where / "yarn.lock").write_text("")
    try:
        subprocess.run(command, cwd=where, check=True, capture_output=True, timeout=120)
        asked = {
            path or ".": {
                local: _real(local, wanted)
                for section in _SECTIONS
                for local, wanted in one.get(section, {}).items()
            }
            for path, one in manifests.items()
        }
        found = json.loads(
            subprocess.run(
                ["node", "-e", _FIND, json.dumps(asked)],
                cwd=where, check=True, capture_output=True, text=True,
            ).stdout
        )  # fmt: skip
        for lock in locks:
            files[lock] = _HOST.sub("https://registry.example/", (where / lock).read_text())
    except (subprocess.SubprocessError, OSError) as error:
        sys.stderr.write(f"{tool} {number} {error} {getattr(error, 'stdout', b'')[-300:]}\n")
        return None
    finally:
        shutil.rmtree(where)
    says = {"" if path == "." else path: pinned for path, pinned in found.items()}
    return {"name": f"{tool} {number}", "files": files, "says": says}


def main() -> None:
    for tool, settings in json.loads(os.environ["NPM_INSTALLERS"]).items():
        found = [_row(number, tool, settings) for number in range(int(os.environ["ROWS"]))]
        write(
            f"npm_installed_by_{tool}",
            tool=tool.partition("_")[0],
            version=settings[1],
            question="pins",
            ecosystem="npm",
            rows=[row for row in found if row],
        )


if __name__ == "__main__":
    main()
