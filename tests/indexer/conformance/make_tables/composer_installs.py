"""Packages and locked versions of composer.json and composer.lock, by Composer.

`COMPOSER_AUTOLOAD` is the autoloader of Composer's own classes, `Composer/autoload.php` in Debian.
"""

import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

from tests.indexer.conformance.make_tables.writing import write, written

_PROGRAM = r"""
require $argv[1];
$said = new Composer\IO\NullIO();
$composer = Composer\Factory::create($said, "composer.json", true);
$root = $composer->getPackage();
$needs = array_merge($root->getRequires(), $root->getDevRequires());
$locker = $composer->getLocker();
$locked = $locker->isLocked() ? $locker->getLockedRepository(true)->getPackages() : [];
$pins = [];
foreach ($needs as $name => $link) {
    if (!str_contains($name, "/")) continue;
    $pins[$name] = "";
    foreach ($locked as $one) {
        if ($one->getName() === $name && !($one instanceof Composer\Package\AliasPackage)) {
            $pins[$name] = ltrim($one->getPrettyVersion(), "v");
        }
    }
}
$version = $root->getPrettyVersion();
$known = isset(json_decode(file_get_contents("composer.json"), true)["version"]);
echo json_encode([Composer\Composer::VERSION, $root->getName(), $known ? $version : "",
    (object) $pins]);
"""


def _entry(name: str, version: str, **more: Any) -> dict[str, Any]:
    dist = {"type": "zip", "url": f"https://example.org/{name}.zip", "reference": "1a2b"}
    return {"name": name, "version": version, "type": "library", "dist": dist, **more}


def _lock(*packages: Any, development: tuple[Any, ...] = (), **more: Any) -> dict[str, Any]:
    return {
        "packages": list(packages),
        "packages-dev": list(development),
        "aliases": [],
        "minimum-stability": "stable",
        "stability-flags": {},
        "prefer-stable": False,
        "prefer-lowest": False,
        "platform": {},
        "platform-dev": {},
        **more,
    }


_LOG = _entry("acme/log", "1.4.0")
_WEB = _entry("acme/web", "v2.1.0")
_ALIAS = {
    "package": "acme/log",
    "version": "dev-main",
    "alias": "1.5.0",
    "alias_normalized": "1.5.0.0",
}
_INPUTS: Mapping[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "plain": ({"require": {"acme/log": "^1.2"}}, _lock(_LOG)),
    "version with v": ({"require": {"acme/web": "^2"}}, _lock(_WEB)),
    "development": ({"require-dev": {"acme/log": "^1.2"}}, _lock(development=(_LOG,))),
    "both": (
        {"require": {"acme/web": "*"}, "require-dev": {"acme/log": "~1.2"}},
        _lock(_WEB, development=(_LOG,)),
    ),
    "capitals in the lock file": (
        {"require": {"acme/log": "^1.2"}},
        _lock(_entry("Acme/Log", "1.4.0")),
    ),
    "platform": ({"require": {"php": ">=8", "ext-json": "*", "acme/log": "*"}}, _lock(_LOG)),
    "branch": ({"require": {"acme/log": "dev-main"}}, _lock(_entry("acme/log", "dev-main"))),
    "branch of a version": (
        {"require": {"acme/log": "1.x-dev"}},
        _lock(_entry("acme/log", "1.x-dev")),
    ),
    "alias of a branch": (
        {"require": {"acme/log": "dev-main as 1.5.0"}},
        _lock(_entry("acme/log", "dev-main"), aliases=[_ALIAS]),
    ),
    "branch with an alias of its own": (
        {"require": {"acme/log": "^1.5@dev"}},
        _lock(
            _entry("acme/log", "dev-main", extra={"branch-alias": {"dev-main": "1.5.x-dev"}}),
        ),
    ),
    "prerelease": (
        {"require": {"acme/log": "^2.0@beta"}},
        _lock(_entry("acme/log", "2.0.0-beta3")),
    ),
    "four numbers": ({"require": {"acme/log": "1.2.3.4"}}, _lock(_entry("acme/log", "1.2.3.4"))),
    "replaced": (
        {"require": {"acme/log": "^1"}},
        _lock(_entry("acme/all", "1.9.0", replace={"acme/log": "self.version"})),
    ),
    "provided": (
        {"require": {"psr/log-implementation": "^1"}},
        _lock(_entry("acme/log", "1.4.0", provide={"psr/log-implementation": "1.0"})),
    ),
    "not locked": ({"require": {"acme/log": "^1", "acme/web": "^2"}}, _lock(_LOG)),
    "path": (
        {
            "require": {"acme/near": "@dev"},
            "repositories": [{"type": "path", "url": "packages/near"}],
        },
        _lock(
            _entry(
                "acme/near",
                "dev-main",
                dist={"type": "path", "url": "packages/near", "reference": "1"},
            )
        ),
    ),
    "exact without a lock file": ({"require": {"acme/log": "1.4.0"}}, None),
    "range without a lock file": ({"require": {"acme/log": "^1.4"}}, None),
    "own version": ({"version": "3.1.0", "require": {"acme/log": "*"}}, _lock(_LOG)),
    "own version with v": ({"version": "v3.1.0", "require": {}}, None),
    "metapackage": (
        {"require": {"acme/all": "1.0.*"}},
        _lock(_LOG, {"name": "acme/all", "version": "1.0.7", "type": "metapackage"}),
    ),
    "several constraints": ({"require": {"acme/log": "^1.2 || ^2"}}, _lock(_LOG)),
    "equals": ({"require": {"acme/log": "=1.4.0"}}, None),
    "commit": (
        {"require": {"acme/log": "dev-main#1a2b3c"}},
        _lock(_entry("acme/log", "dev-main")),
    ),
}


def main() -> None:
    packages, pins = [], []
    version = ""
    for name, (manifest, lock) in _INPUTS.items():
        document = {"name": "acme/app", **manifest}
        files = {"composer.json": json.dumps(document)}
        if lock is not None:
            files["composer.lock"] = json.dumps(lock)
        with written(files) as folder:
            said = subprocess.run(
                ["php", "-r", _PROGRAM, os.environ["COMPOSER_AUTOLOAD"]],
                cwd=folder,
                env={**os.environ, "COMPOSER_HOME": str(folder), "COMPOSER_ALLOW_SUPERUSER": "1"},
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            ).stdout
        version, package, own, pinned = json.loads(said)
        packages.append({"name": name, "files": files, "says": {"": [package, own]}})
        if pinned and lock is not None:
            pins.append({"name": name, "files": files, "says": {"": pinned}})
    tool = {"tool": "Composer", "version": version, "ecosystem": "composer"}
    write("composer_packages", question="packages", rows=packages, **tool)
    write("composer_pins", question="pins", rows=pins, **tool)


if __name__ == "__main__":
    main()
