#!/usr/bin/env bash
# pytest 9.2.0 with pytest-xdist 3.8.0 (PyPI), run on 2026-11-29.
# One would guess: where a worker's process ends and `--max-worker-restart=0` ends the run, the exit code says that the run
# was interrupted (2), and `--last-failed` runs what was left as well.
# What happens: the exit code is 1, as after ordinary failures. Only the test that was running counts as failed, and the
# next `--last-failed` selects it alone: if it passes, the exit code is 0 although most tests have not run at all.
# Seen: first=1 ran=1/4 again=0 reran=1/4 never=2
# Why it matters: "run it, and on failure run --last-failed" is what many a CI does to save time. A crash early in the
# first run makes it green with nearly nothing tested.
set -euo pipefail
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
python3 -m venv "$tmp/env"
"$tmp/env/bin/pip" install -q --disable-pip-version-check pytest==9.2.0 pytest-xdist==3.8.0
cat >"$tmp/test_it.py" <<'PY'
import os, pathlib
import pytest
here = pathlib.Path(__file__).parent
@pytest.mark.parametrize("number", range(4))
def test_it(number):
    if number == 1 and not (here / "again").exists():
        os._exit(3)
    (here / f"ran{'-again' if (here / 'again').exists() else ''}-{number}").touch()
PY
cd "$tmp"
run() { set +e; "$tmp/env/bin/pytest" -q -n 1 --dist loadfile --max-worker-restart=0 "$@" >/dev/null 2>&1; code=$?; set -e; }
run; first=$code; ran=$(find . -name 'ran-[0-9]' | wc -l)
touch again; run --last-failed; again=$code; reran=$(find . -name 'ran-again-*' | wc -l)
seen="first=$first ran=$ran/4 again=$again reran=$reran/4 never=$(for n in 0 1 2 3; do [[ -e ran-$n || -e ran-again-$n ]] || echo "$n"; done | wc -l)"
want='first=1 ran=1/4 again=0 reran=1/4 never=2'
if [[ "$seen" != "$want" ]]; then echo "changed: $seen"; exit 1; fi
echo "seen: $seen"
