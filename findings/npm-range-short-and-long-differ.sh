#!/usr/bin/env bash
# semver 7.8.6 (npm, the ranges of npm itself), run on 2026-11-28.
# One would guess: `^2` and `^2.0.0` are the same range, as are `<2` and `<2.0.0`.
# What happens: with `includePrerelease` the short form begins at the first prerelease of 2.0.0 and the long form at the
# release. 2.0.0-rc.1 is in `^2` and `2.x`, not in `^2.0.0`; it is in `<2.0.0`, not in `<2`.
# Without the option all four say no.
# Seen: with: ^2=true 2.x=true ^2.0.0=false <2=false <2.0.0=true | without: ^2=false 2.x=false ^2.0.0=false <2=false <2.0.0=false
# Why it matters: "which of our repositories can get this prerelease" or "is it still below 2" is answered by whether
# somebody wrote the zeros.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" semver@7.8.6 >/dev/null
cd "$tmp/tool"
seen=$(node - <<'JS'
const { satisfies } = require("semver"), ranges = ["^2", "2.x", "^2.0.0", "<2", "<2.0.0"];
const all = includePrerelease => ranges.map(r => r + "=" + satisfies("2.0.0-rc.1", r, { includePrerelease })).join(" ");
console.log("with: " + all(true) + " | without: " + all(false));
JS
)
want='with: ^2=true 2.x=true ^2.0.0=false <2=false <2.0.0=true | without: ^2=false 2.x=false ^2.0.0=false <2=false <2.0.0=false'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
