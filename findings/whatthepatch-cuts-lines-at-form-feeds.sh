#!/usr/bin/env bash
# whatthepatch 1.0.7 (PyPI, reads unified diffs), run on 2026-11-28.
# One would guess: a line of a diff ends at a line feed, and the changes hold the whole line.
# What happens: it also ends at a form feed, a vertical tab or U+2028. The rest of that line is gone from the changes,
# without an error, and a name with a space keeps the tab that git puts after it.
# Seen: changes=-int a;|+int b; (the diff says "int a;<FF>int x;") name="my file.c<TAB>"
# Why it matters: form feeds divide pages in C, Lisp and Python sources of the GNU kind. An index that is kept up to date from diffs
# then differs from one that was built from files.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" whatthepatch==1.0.7
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
import subprocess, os, tempfile, whatthepatch
os.chdir(tempfile.mkdtemp(dir=os.environ["PYTHONPATH"]))
git = lambda *words: subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words], check=True, capture_output=True, text=True).stdout
git("init", "-q")
for value in "ab":
    open("my file.c", "w").write(f"int {value};\fint x;\n"); git("add", "."); git("commit", "-qm", value)
diff, = whatthepatch.parse_patch(git("diff", "HEAD~1", "HEAD"))
changes = "|".join(("+" if c.old is None else "-" if c.new is None else " ") + c.line for c in diff.changes)
print(f"changes={changes} (the diff says \"int a;<FF>int x;\") name=\"{diff.header.new_path}\"".replace("\t", "<TAB>"))
PY
)
want='changes=-int a;|+int b; (the diff says "int a;<FF>int x;") name="my file.c<TAB>"'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
