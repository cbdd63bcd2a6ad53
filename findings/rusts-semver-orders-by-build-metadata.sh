#!/usr/bin/env bash
# semver 1.0.27 (crates.io, the crate that Cargo uses) with cargo 1.95, beside semver 7.7.3 (npm), run on 2026-11-28.
# One would guess: SemVer 2 ignores what follows "+" in the order of versions, so 1.0.0+2 and 1.0.0+10 have equal precedence.
# What happens: Rust's `Version` orders by it, numbers by value, and a version without it comes first; npm's finds both equal.
# Seen: rust=Less,Less,Less npm=0,0,0
# Why it matters: "is the pinned version older than the indexed one" differs between two libraries that both say SemVer 2.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/src"
printf '[package]\nname = "order"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nsemver = "=1.0.27"\n' >"$tmp/Cargo.toml"
cat >"$tmp/src/main.rs" <<'RS'
use semver::Version;
fn main() {
    let pairs = [("1.0.0+2", "1.0.0+10"), ("1.0.0", "1.0.0+1"), ("1.0.0+1", "1.0.0+a")];
    let found: Vec<String> = pairs
        .iter()
        .map(|(one, other)| format!("{:?}", Version::parse(one).unwrap().cmp(&Version::parse(other).unwrap())))
        .collect();
    println!("{}", found.join(","));
}
RS
rust=$(cd "$tmp" && cargo run --quiet 2>/dev/null)
(cd "$tmp" && npm install --silent --no-audit --no-fund --no-package-lock semver@7.7.3 >/dev/null)
npm=$(cd "$tmp" && node -e '
const { compare } = require("semver");
const pairs = [["1.0.0+2", "1.0.0+10"], ["1.0.0", "1.0.0+1"], ["1.0.0+1", "1.0.0+a"]];
console.log(pairs.map(([one, other]) => compare(one, other)).join(","));')
seen="rust=$rust npm=$npm"
want='rust=Less,Less,Less npm=0,0,0'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
