#!/usr/bin/env bash
# Replaces itself with the indexer. -I: ignores the repository's files and PYTHON*; -B: writes nothing into the
# action's own checkout. An empty input means its default.
set -euo pipefail

repository=("--path=${DIRECTORY:-.}")
case ${COMMAND:=run} in
  run) arguments=("${repository[@]}" "--mode=${MODE:-auto}" ${REF:+"--ref=$REF"}) ;;
  impact) arguments=("${repository[@]}") ;;
  comment) arguments=() ;;
  *)
    echo "::error title=Aeterna Code Search::The input command must be run, impact or comment."
    exit 2
    ;;
esac

export -n REPORT=${REPORT:-}  # standard input has it
exec "$VENV/bin/python" -I -B -m indexer "$COMMAND" ${arguments[@]+"${arguments[@]}"} <<<"$REPORT"
