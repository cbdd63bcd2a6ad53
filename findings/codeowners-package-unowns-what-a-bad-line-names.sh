#!/usr/bin/env bash
# codeowners 0.9.0 (PyPI), run on 2026-11-30.
# One would guess: it answers as GitHub does, which skips a line that it cannot read (docs.github.com, "About code owners":
# "that line will be skipped"), so that the file keeps the owners of the rule above; and takes no [ ] for a range.
# What happens: a line whose owner has no @ becomes a rule without owners: the last rule that matches counts, so the file has
# none. A heading of GitLab's sections, `[Docs] @acme/docs`, is a range of letters that owns files named D, o, c or s.
# Seen: app.js has no owner, D is owned by @acme/docs
# Why it matters: a slip of the pen in one line takes a file's reviewers away in the tool, and not at GitHub.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" codeowners==0.9.0
seen=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from codeowners import CodeOwners
owners = CodeOwners("* @acme/everybody\n*.js js-team\n[Docs] @acme/docs\n")
def named(path):
    found = [name for _, name in owners.of(path)]
    return f"is owned by {found[0]}" if found else "has no owner"
print(f"app.js {named('app.js')}, D {named('D')}")
PY
)
want='app.js has no owner, D is owned by @acme/docs'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
