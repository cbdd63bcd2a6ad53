#!/usr/bin/env bash
# Replaces itself with the indexer. -I: ignores the repository's files and PYTHON*; -B: writes nothing into the
# action's own checkout. An empty input means its default.
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
