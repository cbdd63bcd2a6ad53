#!/usr/bin/env bash
# packageurl-python 0.17.6 (PyPI) and packageurl-js 2.0.1 (npm), run on 2026-11-28.
# One would guess: the canonical text of a package URL is one text, so it can be a key that two services share.
# What happens: a `+` in a version is written as `%2B` by one and left by the other, and each changes the other's text.
# The name `zope.interface` and `zope-interface`, one project on PyPI, stay two in both. Given the Go pseudo-tag `v1`,
# the JavaScript library fails with a ReferenceError of its own (a misspelt variable), not with its parse error.
# Seen: python=pkg:pypi/torch@2.1.0%2Bcpu js=pkg:pypi/torch@2.1.0+cpu dots_kept=True,true go_v1=pkg:golang/example.com/m@v1,ReferenceError
# Why it matters: joining an SBOM to an index by purl drops each local and build version.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" packageurl-python==0.17.6
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" packageurl-js@2.0.1 >/dev/null
cd "$tmp/tool"
IFS='|' read -r py_torch py_dots py_go < <(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from packageurl import PackageURL
read = lambda text: PackageURL.from_string(text).to_string()
print(read("pkg:pypi/torch@2.1.0+cpu"), read("pkg:pypi/zope.interface") != read("pkg:pypi/zope-interface"), read("pkg:golang/example.com/m@v1"), sep="|")
PY
)
IFS='|' read -r js_torch js_dots js_go < <(node -e '
const { PackageURL } = require("packageurl-js"), read = text => { try { return PackageURL.fromString(text).toString() } catch (error) { return error.name } };
console.log([read("pkg:pypi/torch@2.1.0%2Bcpu"), read("pkg:pypi/zope.interface") !== read("pkg:pypi/zope-interface"), read("pkg:golang/example.com/m@v1")].join("|"));')
seen="python=$py_torch js=$js_torch dots_kept=$py_dots,$js_dots go_v1=$py_go,$js_go"
want='python=pkg:pypi/torch@2.1.0%2Bcpu js=pkg:pypi/torch@2.1.0+cpu dots_kept=True,true go_v1=pkg:golang/example.com/m@v1,ReferenceError'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
