#!/bin/sh
# The first argument selects the process of the container. The process replaces this shell, so that
# signals reach it.
set -eu

role=${1:-web}
[ $# -eq 0 ] || shift

case $role in
  web) exec python -m central.serve --of entrypoint.sh "$@" ;;
  worker)
    exec celery -A central worker --concurrency "${AETERNA_WORKER_CONCURRENCY:-2}" \
      --without-gossip --without-mingle "$@"
    ;;
  backfill)
    command -v git >/dev/null || {
      echo "This image cannot clone repositories: it has no git and no parsers. Start backfill from the image" \
        "aeterna-code-search-backfill (docker build --file deploy/Dockerfile --target backfill)." >&2
      exit 69
    }
    exec celery -A central worker --queues backfill --concurrency "${AETERNA_BACKFILL_AT_ONCE:-2}" \
      --hostname backfill@%h --without-gossip --without-mingle "$@"
    ;;
  beat) exec celery -A central beat --scheduler central.observability.celery:BeatScheduler --pidfile= "$@" ;;
  migrate) exec python "${0%/*}/manage.py" migrate --no-input "$@" ;;
  manage) exec python "${0%/*}/manage.py" "$@" ;;
  sidecar) exec codesearch sidecar --bind "${CODESEARCH_SIDECAR_BIND:-127.0.0.1:8765}" "$@" ;;
  health) exec python -m central.healthcheck "$@" ;;
  *)
    echo "Say what to be: web, worker, beat, migrate, backfill, sidecar, manage COMMAND, health PROCESS." >&2
    exit 64
    ;;
esac
