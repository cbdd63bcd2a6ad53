#!/usr/bin/env bash
# gitlab-ci-local 4.61.1 (npm), run on 2026-12-01.
# One would guess: `workflow: rules`, by which GitLab decides whether there is a pipeline at all, decides it here, too: the tool
# validates the file against GitLab's schema and evaluates the rules of jobs.
# What happens: it is read and not applied. A job without rules of its own runs on a branch for which GitLab makes no pipeline; the
# same condition in the job's own rules leaves that job out.
# Seen: by-workflow=ran by-job=left out
# Why it matters: a guard that keeps secrets or a deployment off other branches looks broken here and works at GitLab, or the other
# way round: a local run that passes says nothing of whether GitLab would run it.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/tool" "$tmp/project"
npm install --silent --no-audit --no-fund --prefix "$tmp/tool" gitlab-ci-local@4.61.1 >/dev/null 2>&1
cd "$tmp/project"
git init -q -b feature .
git remote add origin git@gitlab.example.com:group/project.git
cat > .gitlab-ci.yml <<'YAML'
workflow:
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
by-workflow:
  script: [echo ran]
by-job:
  rules:
    - if: $CI_COMMIT_BRANCH == "main"
  script: [echo ran]
YAML
git add -A; git -c user.name=a -c user.email=a@example.org commit -qm first
"$tmp/tool/node_modules/.bin/gitlab-ci-local" --force-shell-executor --shell-executor-no-image >log 2>&1
state() { if grep -Eq "PASS .*$1" <(sed 's/\x1b\[[0-9;]*m//g' log); then echo ran; else echo left out; fi; }
seen="by-workflow=$(state by-workflow) by-job=$(state by-job)"
want='by-workflow=ran by-job=left out'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
