#!/usr/bin/env bash
# pathspec 1.1.1 (its GitIgnoreSpec), pygit2 1.21.0 (libgit2), dulwich 1.2.21 (PyPI) against git 2.39.5, run on
# 2026-11-28. One would guess: the library that is in C and the ones that promise git's behaviour agree with git.
# What happens: a line that ends in a tab: git takes the tab as part of the name, pathspec and libgit2 cut it off, dulwich
# sides with git. `a[!b]c`: for pathspec a negated set also matches `/`. `a/**/`, folders below `a`: pathspec takes the
# files directly in `a` too.
# Seen: tab git=no pathspec=yes libgit2=yes dulwich=no | set git=no pathspec=yes libgit2=no dulwich=no | folders git=no pathspec=yes libgit2=no dulwich=no
# Why it matters: files are left out of an index that git itself tracks, and which ones depends on the reader.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m pip install -q --disable-pip-version-check --root-user-action=ignore --target "$tmp/lib" pathspec==1.1.1 pygit2==1.21.0 dulwich==1.2.21
seen=$(cd "$tmp" && PYTHONPATH="$tmp/lib" python3 - <<'PY'
import os, subprocess, pathspec, pygit2
from dulwich.ignore import IgnoreFilterManager
from dulwich.repo import Repo
parts = []
for name, line, path in [("tab", "notes\t", "notes"), ("set", "a[!b]c", "a/c"), ("folders", "a/**/", "a/file")]:
    subprocess.run(["git", "init", "-q", name], check=True)
    os.makedirs(os.path.dirname(f"{name}/{path}"), exist_ok=True)
    open(f"{name}/{path}", "w").close()
    with open(f"{name}/.gitignore", "w") as file:
        file.write(line + "\n")
    answers = {"git": subprocess.run(["git", "-C", name, "check-ignore", "-q", path]).returncode == 0,
               "pathspec": pathspec.GitIgnoreSpec.from_lines([line]).match_file(path),
               "libgit2": pygit2.Repository(name).path_is_ignored(path),
               "dulwich": bool(IgnoreFilterManager.from_repo(Repo(name)).is_ignored(path))}
    parts.append(name + " " + " ".join(f"{who}={'yes' if said else 'no'}" for who, said in answers.items()))
print(" | ".join(parts))
PY
)
want='tab git=no pathspec=yes libgit2=yes dulwich=no | set git=no pathspec=yes libgit2=no dulwich=no | folders git=no pathspec=yes libgit2=no dulwich=no'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
