#!/usr/bin/env bash
# unidiff 1.0.1, whatthepatch 1.0.7, patch-ng 1.19.1 (PyPI), parse-diff 0.12.0, diff 9.0.0 (npm), run on 2026-11-28.
# One would guess: the libraries that read git's diffs undo the quotes and octal numbers in which git writes a name that is
# not ASCII (`"b/caf\303\251.py"`), as git's own `apply` does.
# What happens: of five, one does. One keeps the quotes, one also the `b/`, one drops the quotes and keeps the numbers, and
# patch-ng takes the backslashes for folders: it gives a path of three levels. No reader complains.
# Seen: unidiff="caf\303\251.py" whatthepatch="b/caf\303\251.py" patch_ng=b/caf/303/251.py parse_diff=caf\303\251.py diff=b/café.py
# Why it matters: the changed file is not found in the index, so an update from diffs leaves the old content in place.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" unidiff==1.0.1 whatthepatch==1.0.7 patch-ng==1.19.1
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" parse-diff@0.12.0 diff@9.0.0 >/dev/null
git init -q "$tmp/repo"; cd "$tmp/repo"
for text in a b; do
  echo "$text" > "café.py"; git add .; git -c user.name=a -c user.email=a@example.org commit -qm "$text"
done
git -c core.quotePath=true diff HEAD~1 HEAD > "$tmp/change.diff"
python=$(PYTHONPATH="$tmp/lib" python3 - "$tmp/change.diff" <<'PY'
import logging, sys, patch_ng, unidiff, whatthepatch
logging.disable()
text = open(sys.argv[1]).read()
print("unidiff=" + unidiff.PatchSet(text)[0].path, "whatthepatch=" + next(iter(whatthepatch.parse_patch(text))).header.new_path,
      "patch_ng=" + patch_ng.fromstring(text.encode()).items[0].target.decode())
PY
)
cd "$tmp/tool"
js=$(node -e '
const text = require("fs").readFileSync(process.argv[1], "utf8");
console.log("parse_diff=" + require("parse-diff")(text)[0].to, "diff=" + require("diff").parsePatch(text)[0].newFileName);' "$tmp/change.diff")
seen="$python $js"
want='unidiff="caf\303\251.py" whatthepatch="b/caf\303\251.py" patch_ng=b/caf/303/251.py parse_diff=caf\303\251.py diff=b/café.py'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
