#!/usr/bin/env bash
# flexsearch 0.8.212 (npm), run on 2026-11-28.
# One would guess: without any option a word is found by its own spelling, case aside.
# What happens: doubled letters count as one, so `fo`, `foo` and `fooo` are one word and `bokeper` finds `bookkeeper`.
# Words are cut between letters and digits, and longer numbers into groups of three digits:
# `sha256sum` is found by `256`, the number 1234567 by `123` and not by `234`.
# Seen: fo=foo,fooo bokeper=bookkeeper 256=sha256sum 123=1234567 234=none
# Why it matters: different identifiers fall together, and a count of exact matches is wrong.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" flexsearch@0.8.212 >/dev/null
cd "$tmp/tool"
seen=$(node - <<'JS'
const { Index } = require("flexsearch");
const texts = ["foo", "fooo", "bookkeeper", "sha256sum", "1234567"], index = new Index();
texts.forEach((text, i) => index.add(i, text));
const find = word => index.search(word).map(i => texts[i]).sort().join(",") || "none";
console.log(["fo", "bokeper", "256", "123", "234"].map(w => w + "=" + find(w)).join(" "));
JS
)
want='fo=foo,fooo bokeper=bookkeeper 256=sha256sum 123=1234567 234=none'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
