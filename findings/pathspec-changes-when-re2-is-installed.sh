#!/usr/bin/env bash
# pathspec 1.1.1 and google-re2 1.1.20251105 (PyPI), run on 2026-11-28.
# One would guess: the patterns of a .gitignore mean the same whatever else is installed beside pathspec.
# What happens: pathspec uses RE2 by itself where it finds it. A POSIX class such as `[[:digit:]].py`, which git knows,
# matches nothing without RE2; with RE2 installed, perhaps by an unrelated package, loading the patterns raises an error
# of RE2's own class and none of the other lines counts either.
# Seen: git=ignored alone=not ignored,other line works with_re2=re2._re2.Error
# Why it matters: a tool that reads other people's .gitignore files starts to fail on one line after an update of
# something else, with an exception that a handler for pathspec's or `re`'s errors does not catch.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
git init -q "$tmp/repo"; printf '*.log\n[[:digit:]].py\n' > "$tmp/repo/.gitignore"; touch "$tmp/repo/1.py"
git=$(git -C "$tmp/repo" check-ignore -q 1.py && echo ignored || echo "not ignored")
install() { python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" "$1"; }
cat > "$tmp/read.py" <<'PY'
import sys, warnings
warnings.simplefilter("ignore")
import pathspec
try:
    spec = pathspec.GitIgnoreSpec.from_lines(open(sys.argv[1]))
    print("ignored" if spec.match_file("1.py") else "not ignored", "other line works" if spec.match_file("x.log") else "other line lost", sep=",")
except Exception as error:
    print(f"{type(error).__module__}.{type(error).__name__}")
PY
install pathspec==1.1.1; alone=$(PYTHONPATH="$tmp/lib" python3 "$tmp/read.py" "$tmp/repo/.gitignore")
install google-re2==1.1.20251105; both=$(PYTHONPATH="$tmp/lib" python3 "$tmp/read.py" "$tmp/repo/.gitignore" 2>/dev/null)
seen="git=$git alone=$alone with_re2=$both"
want='git=ignored alone=not ignored,other line works with_re2=re2._re2.Error'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
