#!/usr/bin/env bash
# cytoscape 3.35.0 (npm), run on 2026-11-29 with Node 20 or later, headless.
# One would guess: the layout `cose` with `randomize: false` gives the same picture of the same graph each time.
# What happens: nodes without a position all begin at one place, and those that overlap, then or later, are moved apart by
# chance, so each run gives other positions. Positions of one's own for the beginning help only while nothing overlaps.
# Seen: two runs differ
# Why it matters: a picture that is another one at each load cannot be remembered, linked to, or compared by a test.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp" cytoscape@3.35.0
cat > "$tmp/run.js" <<'JS'
const cytoscape = require("cytoscape");
const count = 40;
function placed() {
  const elements = [];
  for (let index = 0; index < count; index++)
    elements.push({ data: { id: `n${index}` } });
  for (let index = 1; index < count; index++)
    elements.push({ data: { source: `n${index}`, target: `n${index % 7}` } });
  const graph = cytoscape({ headless: true, styleEnabled: true, elements });
  graph.layout({ name: "cose", animate: false, randomize: false }).run();
  return JSON.stringify(graph.nodes().map((node) => node.position()));
}
console.log(`two runs ${placed() === placed() ? "agree" : "differ"}`);
process.exit();
JS
seen=$(cd "$tmp" && node run.js)
want='two runs differ'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
