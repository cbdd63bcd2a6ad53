#!/bin/sh
# The image's steps, also run by tests/deploy: `requirements DIRECTORY` creates a virtual environment from
# the hashed locks, `project DIRECTORY` installs this project into it. Needs python3, and uv as in
# requirements/bootstrap.txt.
set -eu

step=$1
environment=$2
cd "$(dirname "$0")/.."

case $step in
  requirements)
    python3 -m venv --without-pip "$environment"
    uv pip sync --quiet --system-certs --require-hashes --python "$environment/bin/python" \
      requirements/central.txt requirements/cli.txt
    ;;
  project)
    wheels=$(mktemp -d)
    python3 -c 'import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])' \
      "$wheels" >/dev/null
    uv pip install --quiet --offline --no-deps --python "$environment/bin/python" "$wheels"/*.whl
    rm -r "$wheels"
    ;;
esac
