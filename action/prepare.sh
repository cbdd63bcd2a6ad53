#!/usr/bin/env bash
# Finds what the indexer needs on the runner, and says where it is installed and what that depends on.
set -euo pipefail

fail() {
  echo "::error title=Aeterna Code Search::$1"
  exit 2
}

# GitHub hides secrets that it knows; a token from elsewhere is hidden from here on.
for secret in "$TOKEN" "$OPENAI_API_KEY" "$QDRANT_API_KEY" "$FETCH_TOKEN"; do
  while IFS= read -r line; do
    [[ -z $line ]] || echo "::add-mask::${line//%/%25}"
  done <<<"$secret"
done
unset TOKEN OPENAI_API_KEY QDRANT_API_KEY FETCH_TOKEN

[[ $RUNNER_OS != Windows ]] || fail "Windows runners are not supported: set runs-on to a Linux or macOS label."
command -v git >/dev/null || fail "git is not on the PATH of this runner: install it."

# Where it is, if it will do. -I: the working directory is somebody's repository.
examine() {
  "$1" -I -B -c '
import sys, ensurepip, venv
assert sys.version_info >= (3, 11)
print(sys.executable)' 2>/dev/null
}

python=""
for name in python3 python3.14 python3.13 python3.12 python3.11; do
  if python=$(examine "$name"); then break; fi
done
[[ -n $python ]] || fail "Python 3.11 or newer with venv is not on the PATH of this runner: \
add a step with actions/setup-python before this one."

venv=$RUNNER_TEMP/aeterna-code-search/venv
key=$("$python" -I -B - "$GITHUB_ACTION_PATH/../requirements" "$venv" <<'END'
import hashlib, pathlib, platform, sys, sysconfig
requirements = pathlib.Path(sys.argv[1])
depends_on = [
    *((requirements / name).read_text() for name in ("bootstrap.txt", "indexer.txt")),
    sys.version, sys.executable, sysconfig.get_platform(), *platform.libc_ver(), sys.argv[2],
]
print(hashlib.sha256("\0".join(depends_on).encode()).hexdigest())
END
)

{
  echo "python=$python"
  echo "venv=$venv"
  echo "key=aeterna-code-search-$RUNNER_OS-$RUNNER_ARCH-$key"
} >>"$GITHUB_OUTPUT"
