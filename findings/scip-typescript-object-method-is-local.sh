#!/usr/bin/env bash
# scip-typescript 0.4.0 (npm @sourcegraph/scip-typescript), run on 2026-11-28.
# One would guess: both members of an exported object, a method `save(x) {}` and an arrow function `load: k => k`, get
# global symbols, as both can be called from another file.
# What happens: only the arrow function does. The shorthand method is `local N`, and SCIP says that a local symbol is
# known in its own document only. The file that calls `api.save()` has a local with another number and no definition.
# Seen: load=defined,used,same-global save=local-in-both,different-numbers,undefined-where-used
# Why it matters: whoever joins definitions and references by symbol, as the format tells one to, finds no caller for
# such methods, or joins them to an unrelated local of the same number if it forgets the rule.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" @sourcegraph/scip-typescript@0.4.0 >/dev/null
mkdir -p "$tmp/app/src"; cd "$tmp/app"
echo '{"name": "app", "version": "1.0.0"}' > package.json
echo '{"compilerOptions": {"module": "nodenext", "target": "es2022"}, "include": ["src"]}' > tsconfig.json
echo 'export const api = { save(x: string) { return x }, load: (k: string) => k };' > src/api.ts
printf 'import { api } from "./api.js";\nconst own = { wipe() { return 1 } };\nown.wipe();\napi.save("a");\napi.load("b");\n' > src/use.ts
"$tmp/tool/node_modules/.bin/scip-typescript" index --output index.scip >/dev/null
seen=$(TOOL="$tmp/tool/node_modules/@sourcegraph/scip-typescript" node - <<'JS'
const fs = require("fs"), { scip } = require(process.env.TOOL + "/dist/src/scip.js");
const documents = scip.Index.deserializeBinary(fs.readFileSync("index.scip")).documents;
const find = (path, word) => {
  const document = documents.find(d => d.relative_path === path), lines = fs.readFileSync(path, "utf8").split("\n");
  const hit = document.occurrences.find(o => o.range.length === 3 && lines[o.range[0]].slice(o.range[1], o.range[2]) === word);
  return { symbol: hit.symbol, described: document.symbols.some(s => s.symbol === hit.symbol) };
};
const load = [find("src/api.ts", "load"), find("src/use.ts", "load")], save = [find("src/api.ts", "save"), find("src/use.ts", "save")];
const local = s => /^local \d+$/.test(s.symbol);
console.log("load=" + [load[0].described ? "defined" : "undefined", "used", load[0].symbol === load[1].symbol && !local(load[0]) ? "same-global" : "not-joined"],
  "save=" + [save.every(local) ? "local-in-both" : "global", save[0].symbol === save[1].symbol ? "same-number" : "different-numbers",
    save[1].described ? "defined-where-used" : "undefined-where-used"]);
JS
)
want='load=defined,used,same-global save=local-in-both,different-numbers,undefined-where-used'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
