#!/usr/bin/env bash
# DuckDB 1.5.4 with its full-text extension (PyPI duckdb-extension-fts 1.5.4), run on 2026-11-28.
# One would guess: searching for `sha1` finds texts with the word sha1.
# What happens: by default everything but the letters a to z separates words, so digits are never indexed: `sha1`,
# `sha256` and `sha512` are the word `sha`, `http500` finds `http404`, and a text such as `v2 v3` cannot be found by its
# numbers, since `v` alone is a stop word.
# Seen: sha1=uses sha256 http500=http404 page utf16=utf8 text v2=nothing
# Why it matters: in code the digit is the point: protocol versions, error numbers and hash names give wrong hits with
# full scores.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" duckdb==1.5.4 duckdb-extensions==1.5.4 duckdb-extension-fts==1.5.4
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import duckdb
from duckdb_extensions import import_extension
import_extension("fts")
db = duckdb.connect(); db.execute("load fts"); db.execute("create table t (id int, body varchar)")
db.executemany("insert into t values (?, ?)", list(enumerate(["uses sha256", "http404 page", "utf8 text", "v2 v3"])))
db.execute("pragma create_fts_index($$t$$, $$id$$, $$body$$)")
def find(word):
    rows = db.execute("select body from (select body, fts_main_t.match_bm25(id, ?) s from t) where s is not null", [word]).fetchall()
    return ",".join(r[0] for r in rows) or "nothing"
print(*(f"{word}={find(word)}" for word in ("sha1", "http500", "utf16", "v2")))
PY
)
want='sha1=uses sha256 http500=http404 page utf16=utf8 text v2=nothing'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
