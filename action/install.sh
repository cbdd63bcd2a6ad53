#!/usr/bin/env bash
# Creates the indexer's virtual environment from the hashed locks, unless a complete one exists.
set -euo pipefail

root=$(cd "$GITHUB_ACTION_PATH/.." && pwd -P)
stamp=$VENV/files  # the number of files; written last
cd "$RUNNER_TEMP"  # uv would obey a uv.toml of the repository
unset PYTHONPATH PYTHONHOME  # venv starts a Python that would obey variables of an earlier step

read -ra locks <<<"$REQUIREMENTS"
locks=("${locks[@]/#/$root/requirements/}")

count_files() {
  find "$VENV" -type f ! -path "$stamp" ! -name aeterna.pth | wc -l
}

is_whole() {
  [[ -f $stamp && $(<"$stamp") == "$(count_files)" ]]
}

# The runner's package index settings for pip apply to uv, and the reverse.
share_settings() {
  local index=${UV_DEFAULT_INDEX:-${UV_INDEX_URL:-}}
  local pip_index=${PIP_INDEX_URL:-$("$VENV/bin/python" -I -m pip config get global.index-url 2>/dev/null || true)}
  [[ -z $pip_index ]] || export PIP_INDEX_URL=$pip_index UV_DEFAULT_INDEX=${index:-$pip_index}
  [[ -z $index || -n $pip_index ]] || export PIP_INDEX_URL=$index
  local certificates=${SSL_CERT_FILE:-${PIP_CERT:-${REQUESTS_CA_BUNDLE:-}}}
  [[ -z $certificates ]] || export SSL_CERT_FILE=$certificates
}

make_venv() {
  rm -rf "$VENV"
  "$PYTHON" -I -m venv "$VENV"
  share_settings
  # uv is not installed into the environment: it is as large as all other packages, and not needed later.
  local tools
  tools=$(mktemp -d "$RUNNER_TEMP/aeterna-code-search/tools-XXXXXX")
  awk '/^[^ #]/ { wanted = /^uv==/ } wanted' "$root/requirements/bootstrap.txt" >"$tools/uv.txt"
  "$VENV/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-deps \
    --only-binary :all: --require-hashes --target "$tools" -r "$tools/uv.txt"
  UV_HTTP_RETRIES=${UV_HTTP_RETRIES:-5} "$tools/bin/uv" pip sync --quiet --system-certs --compile-bytecode --require-hashes \
    --python "$VENV/bin/python" "${locks[@]}"
  rm -rf "$tools"
  count_files >"$stamp"
}

explain() {
  local status=$?
  ((status == 0 || status > 128)) || echo "::error title=Aeterna Code Search::The indexer could not be \
installed: see the lines above. A runner without the public package index needs PIP_INDEX_URL or UV_INDEX_URL."
}
trap explain EXIT

if ! is_whole; then make_venv; fi

# Written each time: a cached environment may come from another version's checkout.
for site_packages in "$VENV"/lib/python3.*/site-packages; do
  echo "$root" >"$site_packages/aeterna.pth"
done
