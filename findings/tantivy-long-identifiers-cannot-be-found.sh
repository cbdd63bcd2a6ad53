#!/usr/bin/env bash
# tantivy 0.27.0 (PyPI, Python binding of the Rust search library), run on 2026-11-28.
# One would guess: a text field finds any word that it was given, as long as the spelling is the same.
# What happens: the default tokenizer drops words of 40 bytes or more, in documents and in queries. The query becomes an
# empty one and finds nothing, without an error; `get*` in turn is read as the plain word `get`, not as a prefix.
# Seen: length39=1 length40=0 query40=EmptyQuery star=get_user only
# Why it matters: generated names and test names (test_that_the_parser_refuses_an_empty_document) are that long, and
# "no result" cannot be told from a name that does not exist.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" tantivy==0.27.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import tantivy
builder = tantivy.SchemaBuilder(); builder.add_text_field("text", stored=True)
index = tantivy.Index(builder.build()); writer = index.writer()
names = ["a" * 39, "b" * 40, "get_user", "getUser"]
for name in names:
    writer.add_document(tantivy.Document(text=name))
writer.commit(); index.reload(); searcher = index.searcher()
def find(text):
    query = index.parse_query(text, ["text"])
    return [searcher.doc(address)["text"][0] for _, address in searcher.search(query, 10).hits], str(query)
long_hits, long_query = find("b" * 40)
print(f"length39={len(find(chr(97) * 39)[0])}", f"length40={len(long_hits)}", "query40=" + long_query.removeprefix("Query(").removesuffix(")"),
      "star=" + ",".join(find("get*")[0]), "only")
PY
)
want='length39=1 length40=0 query40=EmptyQuery star=get_user only'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
