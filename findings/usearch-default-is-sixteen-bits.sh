#!/usr/bin/env bash
# usearch 2.26.6 (PyPI), run on 2026-11-28.
# One would guess: float32 vectors that are added come back as they were, and a search for one of them finds it first.
# What happens: without `dtype` the index keeps bfloat16, about three digits. 1000.3 comes back as 1000, its neighbour
# 1001.2 as well; both are at distance 0 from the query and the wrong one may come first. `dtype="f32"` gives what one
# expects.
# Seen: default=bf16 stored=1000.0 distances=0.0,0.0 f32_stored=1000.3 f32_distances=0.0,0.8
# Why it matters: recall measured against an exact search drops for no visible reason, and near-duplicates (two versions
# of one file) become the same point.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" usearch==2.26.6 numpy==2.4.6
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import numpy as np
from usearch.index import Index
vectors = np.array([[1000.3, 0], [1001.2, 0]], dtype=np.float32)
def try_out(**options):
    index = Index(ndim=2, metric="l2sq", **options); index.add(np.arange(2), vectors)
    hits = index.search(vectors[0], 2)
    return index, round(float(index.get(0)[0]), 1), ",".join(str(round(float(h.distance), 1)) for h in hits)
default, stored, distances = try_out()
_, exact_stored, exact_distances = try_out(dtype="f32")
print(f"default={default.dtype.name.lower()} stored={stored} distances={distances} f32_stored={exact_stored} f32_distances={exact_distances}")
PY
)
want='default=bf16 stored=1000.0 distances=0.0,0.0 f32_stored=1000.3 f32_distances=0.0,0.8'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
