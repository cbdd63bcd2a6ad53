"""Small projects, with the specifiers that are asked of files in them."""

import json
from typing import Any, Final

Project = tuple[dict[str, str], dict[str, list[str]]]


def _project(files: dict[str, Any], asked: dict[str, list[str]]) -> Project:
    """Objects become JSON; each file that asks is there."""
    texts = {
        path: text if isinstance(text, str) else json.dumps(text) for path, text in files.items()
    }
    return {**dict.fromkeys(asked, "export {}\n"), **texts}, asked


def _config(options: dict[str, Any] | None = None, **top: Any) -> dict[str, Any]:
    chosen = {"module": "esnext", "moduleResolution": "bundler", **(options or {})}
    return {**top, "compilerOptions": chosen}


_CODE: Final = "export const x = 1\n"

TYPESCRIPT: Final = {
    "configDir": _project(
        {
            "tsconfig.base.json": _config(
                {"paths": {"@/*": ["${configDir}/src/*"], "~gen": ["${configDir}/gen/all.ts"]}}
            ),
            "web/tsconfig.json": {"extends": "../tsconfig.base.json"},
            "api/tsconfig.json": {"extends": "../tsconfig.base"},
            "web/package.json": {"name": "web"},
            "api/package.json": {"name": "api"},
            "web/src/session/open.ts": _CODE,
            "api/src/session/open.ts": _CODE,
            "web/gen/all.ts": _CODE,
            "api/src/only.ts": _CODE,
        },
        {
            "web/src/main.ts": ["@/session/open", "~gen", "./session/open", "@/only"],
            "api/src/main.ts": ["@/session/open", "@/only"],
        },
    ),
    "paths relative to the file that has them": _project(
        {
            "config/base.json": {},
            "config/tsconfig.base.json": _config({"paths": {"#shared/*": ["../shared/*"]}}),
            "app/tsconfig.json": {"extends": "../config/tsconfig.base.json"},
            "shared/log.ts": _CODE,
            "shared/deep/index.ts": _CODE,
        },
        {"app/main.ts": ["#shared/log", "#shared/deep", "#shared/deep/index"]},
    ),
    "several extended": _project(
        {
            "a.tsconfig.json": _config({"paths": {"one": ["./first.ts"]}}),
            "tsconfig.a.json": _config({"paths": {"one": ["./first.ts"], "two": ["./two.ts"]}}),
            "tsconfig.b.json": _config({"paths": {"one": ["./second.ts"]}}),
            "tsconfig.json": {"extends": ["./tsconfig.a.json", "./tsconfig.b.json"]},
            "first.ts": _CODE,
            "second.ts": _CODE,
            "two.ts": _CODE,
        },
        {"main.ts": ["one", "two"]},
    ),
    "several extended, base of one and paths of another": _project(
        {
            "tsconfig.a.json": _config({"baseUrl": "./lib"}),
            "tsconfig.b.json": _config({"paths": {"k/*": ["kit/*"]}}),
            "app/tsconfig.json": {"extends": ["../tsconfig.a.json", "../tsconfig.b.json"]},
            "lib/kit/open.ts": _CODE,
            "lib/plain.ts": _CODE,
        },
        {"app/main.ts": ["k/open", "plain", "kit/open"]},
    ),
    "a package's configuration": _project(
        {
            "packages/conf/package.json": {"name": "@acme/conf", "version": "1.0.0"},
            "packages/conf/tsconfig.json": _config({"paths": {"@/*": ["${configDir}/src/*"]}}),
            "packages/conf/tsconfig.strict.json": {
                "extends": "./tsconfig.json",
                "compilerOptions": {"strict": True},
            },
            "web/tsconfig.json": {"extends": "@acme/conf/tsconfig.strict.json"},
            "api/tsconfig.json": {"extends": "@acme/conf"},
            "web/package.json": {"name": "web"},
            "api/package.json": {"name": "api"},
            "web/src/log.ts": _CODE,
            "api/src/log.ts": _CODE,
        },
        {"web/src/main.ts": ["@/log"], "api/src/main.ts": ["@/log"]},
    ),
    "rootDirs": _project(
        {
            "tsconfig.json": _config({"rootDirs": ["src", "generated/out"]}),
            "src/views/page.ts": _CODE,
            "generated/out/views/types.ts": _CODE,
            "generated/out/top.ts": _CODE,
        },
        {
            "src/views/main.ts": ["./types", "./page", "../top"],
            "generated/out/views/other.ts": ["./page"],
        },
    ),
    "moduleSuffixes": _project(
        {
            "tsconfig.json": _config({"moduleSuffixes": [".ios", ".native", ""]}),
            "button.ios.ts": _CODE,
            "card.native.ts": _CODE,
            "plain.ts": _CODE,
        },
        {"main.ts": ["./button", "./card", "./plain", "./button.ios"]},
    ),
    "baseUrl": _project(
        {
            "tsconfig.json": _config({"baseUrl": "src"}),
            "src/util/log.ts": _CODE,
            "src/util/index.ts": _CODE,
            "src/page.tsx": _CODE,
        },
        {"src/main.ts": ["util/log", "util", "page", "./page", "src/page"]},
    ),
    "baseUrl of the configuration above": _project(
        {
            "tsconfig.json": _config({"baseUrl": "."}),
            "app/tsconfig.json": {"extends": "../tsconfig.json"},
            "shared/log.ts": _CODE,
            "app/here.ts": _CODE,
        },
        {"app/main.ts": ["shared/log", "app/here", "here"]},
    ),
    "fallbacks and the longest pattern": _project(
        {
            "tsconfig.json": _config(
                {
                    "paths": {
                        "@/*": ["./src/*", "./generated/*"],
                        "@/ui/*": ["./packages/ui/*"],
                        "lib": ["./lib/main.ts"],
                        "*.css": ["./styles/*.ts"],
                    }
                }
            ),
            "src/a.ts": _CODE,
            "generated/b.ts": _CODE,
            "packages/ui/button.ts": _CODE,
            "lib/main.ts": _CODE,
            "styles/base.ts": _CODE,
        },
        {"main.ts": ["@/a", "@/b", "@/ui/button", "lib", "base.css", "lib/main", "@/c"]},
    ),
    "packages by paths": _project(
        {
            "tsconfig.json": _config({"paths": {"@acme/*": ["./packages/*/src"]}}),
            "packages/log/package.json": {"name": "@acme/log", "main": "dist/index.js"},
            "packages/log/src/index.ts": _CODE,
            "packages/kit/package.json": {"name": "@acme/kit", "exports": "./src/kit.ts"},
            "packages/kit/src/kit.ts": _CODE,
            "packages/kit/src/index.ts": _CODE,
        },
        {"app/main.ts": ["@acme/log"]},
    ),
    "a package's exports and imports": _project(
        {
            "tsconfig.json": _config(),
            "packages/log/package.json": {
                "name": "@acme/log",
                "exports": {
                    ".": {"types": "./src/index.ts", "default": "./dist/index.js"},
                    "./levels": "./src/levels.ts",
                    "./deep/*": "./src/deep/*.ts",
                    "./deep/private/*": None,
                },
                "imports": {"#own": "./src/own.ts", "#in/*": "./src/in/*.ts"},
            },
            "packages/log/src/index.ts": _CODE,
            "packages/log/src/levels.ts": _CODE,
            "packages/log/src/deep/one.ts": _CODE,
            "packages/log/src/deep/private/two.ts": _CODE,
            "packages/log/src/own.ts": _CODE,
            "packages/log/src/in/side.ts": _CODE,
            "app/package.json": {
                "name": "app",
                "imports": {
                    "#log": "@acme/log", "#lv": "@acme/log/levels", "#d/*": "@acme/log/deep/*",
                },
                "dependencies": {"@acme/log": "1", "log": "npm:@acme/log@1"},
            },
        },
        {
            "app/main.ts": [
                "@acme/log", "@acme/log/levels", "@acme/log/deep/one", "@acme/log/src/levels",
                "@acme/log/deep/private/two", "log", "log/levels", "log/deep/one", "#log", "#lv",
                "#d/one", "#none",
            ],
            "packages/log/src/main.ts": ["#own", "#in/side", "@acme/log", "@acme/log/levels"],
        },
    ),
    "endings": _project(
        {
            "tsconfig.json": _config(),
            "a.ts": _CODE, "b.tsx": _CODE, "c.mts": _CODE, "d.d.ts": _CODE, "e/index.tsx": _CODE,
            "f.config.ts": _CODE, "g/package.json": {"main": "inner.ts"}, "g/inner.ts": _CODE,
        },
        {
            "main.ts": [
                "./a", "./a.js", "./a.ts", "./b", "./b.js", "./b.jsx", "./c.mjs", "./d", "./e",
                "./e/index", "./e/index.js", "./f.config", "./g", "./none",
            ]
        },
    ),
}  # fmt: skip

_LOG: Final = {
    "packages/log/src/index.js": "exports.x = 1\n",
    "packages/log/src/levels.js": "exports.x = 1\n",
    "packages/log/src/deep/one.js": "exports.x = 1\n",
}
_NAMES: Final = ["@acme/log", "@acme/log/levels", "@acme/log/src/levels.js", "@acme/log/deep/one"]


def _log(fields: dict[str, Any], **app: Any) -> dict[str, Any]:
    return {
        **_LOG,
        "packages/log/package.json": {"name": "@acme/log", "version": "1.0.0", **fields},
        "app/package.json": {"name": "app", "dependencies": {"@acme/log": "1"}, **app},
    }


NODE: Final = {
    "main": _project(_log({"main": "src/index.js"}), {"app/main.js": _NAMES}),
    "main without an ending": _project(_log({"main": "./src/index"}), {"app/main.js": _NAMES[:1]}),
    "main is a directory": _project(_log({"main": "src"}), {"app/main.js": _NAMES[:1]}),
    "no main": _project(
        {**_log({}), "packages/log/index.js": "exports.x = 1\n"}, {"app/main.js": _NAMES[:1]}
    ),
    "exports as a string": _project(_log({"exports": "./src/index.js"}), {"app/main.js": _NAMES}),
    "exports by subpath": _project(
        _log({"exports": {".": "./src/index.js", "./levels": "./src/levels.js"}}),
        {"app/main.js": _NAMES},
    ),
    "exports by condition": _project(
        _log(
            {
                "main": "none.js",
                "exports": {"node": {"require": "./src/index.js", "import": "./src/index.js"}},
            }
        ),
        {"app/main.js": _NAMES[:2]},
    ),
    "exports by pattern": _project(
        _log({"exports": {"./*": "./src/*.js", "./deep/*": "./src/deep/*.js"}}),
        {"app/main.js": _NAMES},
    ),
    "exports with a hidden subpath": _project(
        _log({"exports": {"./*": "./src/*.js", "./levels": None}}), {"app/main.js": _NAMES[1:2]}
    ),
    "exports with fallbacks": _project(
        _log({"exports": {".": ["./src/index.js", "./none.js"]}}), {"app/main.js": _NAMES[:1]}
    ),
    "exports of a directory's files with endings": _project(
        _log({"exports": {"./src/*.js": "./src/*.js"}}), {"app/main.js": _NAMES[2:3]}
    ),
    "an alias": _project(
        _log(
            {"exports": {".": "./src/index.js", "./levels": "./src/levels.js"}},
            dependencies={"log": "npm:@acme/log@1", "@x/log": "npm:@acme/log@^1.0.0"},
        ),
        {"app/main.js": ["log", "log/levels", "@x/log", "@x/log/levels", "log/none", "@x/none"]},
    ),
    "subpath imports": _project(
        {
            **_log(
                {"exports": {".": "./src/index.js", "./deep/*": "./src/deep/*.js"}},
                imports={
                    "#log": "@acme/log",
                    "#deep/*": "@acme/log/deep/*",
                    "#one": {"node": "@acme/log/deep/one", "default": "./own/one.js"},
                    "#own": "./own/one.js",
                    "#own/*": "./own/*.js",
                    "#hidden": None,
                },
            ),
            "app/own/one.js": "exports.x = 1\n",
        },
        {"app/main.js": ["#log", "#deep/one", "#one", "#own", "#own/one", "#hidden", "#other"]},
    ),
    "itself": _project(
        _log({"exports": {".": "./src/index.js", "./levels": "./src/levels.js"}}),
        {"packages/log/src/main.js": ["@acme/log", "@acme/log/levels", "./levels.js"]},
    ),
}

DIFFERS: Final = {
    "no main: app/main.js @acme/log": (
        "a package that names no entry may be built: src/index is one too"
    ),
    "configDir: web/src/main.ts @/only": (
        "a pattern is known in the whole repository; a file of the own package comes first"
    ),
    "endings: main.ts ./g": (
        "a directory's package.json without a name or dependencies is no package"
    ),
}
