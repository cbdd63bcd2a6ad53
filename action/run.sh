#!/usr/bin/env bash
# Becomes the indexer. -I: neither the repository's files nor PYTHON* may be imported or obeyed; -B: the action's
# own checkout stays as it is. An input that is given empty is its default.
set -euo pipefail

arguments=("--path=${DIRECTORY:-.}")
case ${COMMAND:=run} in
  run) arguments+=("--mode=${MODE:-auto}") ;;
  impact) ;;
  *)
    echo "::error title=Aeterna Code Search::The input command must be run or impact."
    exit 2
    ;;
esac

exec "$VENV/bin/python" -I -B -m indexer "$COMMAND" "${arguments[@]}"
