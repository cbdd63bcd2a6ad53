#!/usr/bin/env bash
# grimp 3.19 (PyPI, the import graph under import-linter), run on 2026-11-28.
# One would guess: a folder without `__init__.py` inside of a package is a package too (Python imports it), so it is in the
# graph, or an import of it counts as one of something unknown.
# What happens: its modules are not in the graph, and an import of one of them is no import at all: a module that imports
# nothing else looks independent. There is no warning. The import itself works in Python.
# Seen: python=works modules=app,app.caller imports_of_caller=none
# Why it matters: a rule such as "this layer must not import that one" passes for all the code in such folders, and an
# impact analysis misses everything that hangs on them.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" grimp==3.19
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import contextlib, io, os, sys, tempfile
folder = tempfile.mkdtemp(dir=os.environ["PYTHONPATH"])
os.makedirs(folder + "/app/plain")
for path, text in {"app/__init__.py": "", "app/plain/inner.py": "value = 1\n", "app/caller.py": "from app.plain.inner import value\n"}.items():
    open(os.path.join(folder, path), "w").write(text)
sys.path.insert(0, folder)
import app.caller
import grimp
graph = grimp.build_graph("app", cache_dir=None)
print("python=works" if app.caller.value == 1 else "python=fails", "modules=" + ",".join(sorted(graph.modules)),
      "imports_of_caller=" + (",".join(sorted(graph.find_modules_directly_imported_by("app.caller"))) or "none"))
PY
)
want='python=works modules=app,app.caller imports_of_caller=none'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
