#!/usr/bin/env bash
# bm25s 0.3.16 (PyPI), run on 2026-11-28.
# One would guess: `retrieve` gives at most k documents: those that hold a word of the query.
# What happens: it gives exactly k. A word that is in no document gets the last ones of the collection with the score 0.
# Words of one letter and `if`, `not`, `for`, `in` are dropped from documents and queries by default, so the document
# that is made of them cannot be found, and others are given in its place.
# Seen: unknown=3 documents, scores 0,0,0; keyword query answers 2 of which the one with the word is missing
# Why it matters: fused with vector search, each query adds k documents that have nothing to do with it, unless one
# filters by score; and half of the keywords of a programming language are no words.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" bm25s==0.3.16 numpy==2.4.6
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import bm25s
texts = ["if not in for", "def load(path): return path", "class Store: pass", "export default main"]
model = bm25s.BM25(); model.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
def ask(query, k):
    found, scores = model.retrieve(bm25s.tokenize(query, show_progress=False), k=k, show_progress=False)
    return found[0].tolist(), scores[0].tolist()
found, scores = ask("nosuchword", 3)
keyword, _ = ask("if not", 2)
missing = "missing" if 0 not in keyword else "there"
print(f"unknown={len(found)} documents, scores {chr(44).join(str(int(s)) for s in scores)};",
      f"keyword query answers {len(keyword)} of which the one with the word is {missing}")
PY
)
want='unknown=3 documents, scores 0,0,0; keyword query answers 2 of which the one with the word is missing'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
