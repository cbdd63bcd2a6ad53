#!/usr/bin/env bash
# Finds the Python on the runner, and outputs the path of the environment and its cache key.
set -euo pipefail

fail() {
  echo "::error title=Aeterna Code Search::$1"
  exit 2
}

# GitHub masks its own secrets; this masks a token from another source.
for secret in "$TOKEN" "$OPENAI_API_KEY" "$QDRANT_API_KEY" "$FETCH_TOKEN"; do
  while IFS= read -r line; do
    [[ -z $line ]] || echo "::add-mask::${line//%/%25}"
  done <<<"$secret"
done

# Only packages that the organisation uses are installed. Each set has an environment of its own.
venv=$RUNNER_TEMP/aeterna-code-search/venv
requirements=(indexer.txt)
if [[ -n $OPENAI_API_KEY || -n ${OPENAI_API_KEY_FILE:-} ]]; then
  requirements+=(indexer-openai.txt)
  venv+=-openai
fi
vectors=${AETERNA_VECTORS:-${QDRANT_URL:+direct}}
if [[ $vectors == direct ]]; then
  requirements+=(indexer-qdrant.txt)
  venv+=-qdrant
fi
unset TOKEN OPENAI_API_KEY QDRANT_API_KEY FETCH_TOKEN

[[ $RUNNER_OS != Windows ]] || fail "Windows runners are not supported: set runs-on to a Linux or macOS label."
command -v git >/dev/null || fail "git is not on the PATH of this runner: install it."

found=""
for name in python3 python3.14 python3.13 python3.12 python3.11; do
  # -I: the working directory is the caller's repository.
  if found=$("$name" -I -B "$GITHUB_ACTION_PATH/fingerprint.py" "$venv" "${requirements[@]}" 2>/dev/null); then break; fi
done
[[ -n $found ]] || fail "Python 3.11 or newer with venv is not on the PATH of this runner: \
install it there, or, where your own job has this step, put one with actions/setup-python before it."

{
  echo "venv=$venv"
  echo "requirements=${requirements[*]}"
  echo "$found"
} >>"$GITHUB_OUTPUT"
