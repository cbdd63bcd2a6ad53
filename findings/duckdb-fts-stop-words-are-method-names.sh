#!/usr/bin/env bash
# DuckDB 1.5.4 with its full-text extension (PyPI duckdb-extension-fts 1.5.4), run on 2026-11-28.
# One would guess: English stop words are the thirty or so usual ones: the, of, and.
# What happens: its list has 571, among them the most usual names of code. A text that is only such words cannot be found,
# and nothing says so. `get_value` is cut at its underscore and lost as well.
# Seen: lost=get,value,self,new,next,last,first,try,use,help,sub,get_value kept=set,prev,list
# Why it matters: a search for `next` or `self value` answers "nothing"; turning off stop words takes rebuilding the index.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" duckdb==1.5.4 duckdb-extensions==1.5.4 duckdb-extension-fts==1.5.4
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import duckdb
from duckdb_extensions import import_extension
import_extension("fts")
words = "get value self new next last first try use help sub get_value set prev list".split()
db = duckdb.connect(); db.execute("load fts"); db.execute("create table t (id int, body varchar)")
db.executemany("insert into t values (?, ?)", list(enumerate(words)))
db.execute("pragma create_fts_index($$t$$, $$id$$, $$body$$)")
lost = [w for w in words if not db.execute("select 1 from (select fts_main_t.match_bm25(id, ?) s from t) where s is not null", [w]).fetchall()]
print("lost=" + ",".join(lost), "kept=" + ",".join(w for w in words if w not in lost))
PY
)
want='lost=get,value,self,new,next,last,first,try,use,help,sub,get_value kept=set,prev,list'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
