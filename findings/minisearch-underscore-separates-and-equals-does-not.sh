#!/usr/bin/env bash
# minisearch 7.2.0 (npm), run on 2026-11-28.
# One would guess: the default tokenizer cuts words at all signs, or at those that end an identifier.
# What happens: it cuts at Unicode punctuation and space. The underscore is punctuation, so `get_user` is two words; but
# `=`, `+`, `<`, `>`, `$`, `|` and the backquote are symbols in Unicode, so `total=price+tax` is one word, which neither `price` nor
# `total` finds, and `$scope` is not found by `scope`.
# Seen: user=get_user total=none price=none whole=total=price+tax scope=none
# Why it matters: half of the operators of code glue the names around them together, while identifiers are split.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" minisearch@7.2.0 >/dev/null
cd "$tmp/tool"
seen=$(node - <<'JS'
const MiniSearch = require("minisearch");
const search = new MiniSearch({ fields: ["text"], storeFields: ["text"] });
["get_user", "total=price+tax", "$scope"].forEach((text, id) => search.add({ id, text }));
const find = word => search.search(word).map(r => r.text).join(",") || "none";
console.log("user=" + find("user"), "total=" + find("total"), "price=" + find("price"), "whole=" + find("total=price+tax"), "scope=" + find("scope"));
JS
)
want='user=get_user total=none price=none whole=total=price+tax scope=none'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
