# Everything a person or CI does here. `make help` lists it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
# Where this is set, each of the thousand processes that the tests start would compile Django again.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup demo check test acceptance serve bench lint format schema lock dist clean

help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Make .venv with everything, from the hashed locks

$(STAMP): requirements/bootstrap.txt requirements/dev.txt pyproject.toml
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { echo "Python 3.11 or newer is needed: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV) …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt
	@$(BIN)/uv pip sync --system-certs --quiet --python $(BIN)/python --require-hashes requirements/bootstrap.txt requirements/dev.txt
	@$(BIN)/uv pip install --system-certs --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP) ## The main job on the embedded default: index, search, trace, merge, rewrite history, walk the knowledge graph
	@$(BIN)/python scripts/demo.py

check: $(STAMP) ## For every change, within a minute: style, layers, migrations, and the quick half of the tests (tests/README.md)
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports
	@DJANGO_SETTINGS_MODULE=central.settings.test $(BIN)/python manage.py makemigrations --check --dry-run
	@HYPOTHESIS_PROFILE=fast $(BIN)/python -m pytest -q -m "not slow" --numprocesses 2 --dist loadfile --no-loadscope-reorder

test: $(STAMP) ## The tests, but for those of `make acceptance` (those whose tool is absent are named and left out)
	@$(BIN)/python -m pytest -q -m "not acceptance" --numprocesses 3 --dist loadfile --no-loadscope-reorder

acceptance: $(STAMP) ## The tests that kill, restore, install, crawl or attack a whole service, in some minutes more
	@$(BIN)/python -m pytest -q -m acceptance --numprocesses 3 --dist loadfile --no-loadscope-reorder

serve: $(STAMP) ## Run the embedded service (AETERNA_DATA_DIR, AETERNA_BIND)
	@exec $(BIN)/python -m central.serve

bench: $(STAMP) ## Measure; prints a table and writes build/bench.json
	@$(BIN)/python -m benchmarks

lint: $(STAMP) ## Style, types, layers, migrations, schema
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@export DJANGO_SETTINGS_MODULE=central.settings.test; \
	  $(BIN)/python manage.py makemigrations --check --dry-run && \
	  $(BIN)/python manage.py spectacular --validate --fail-on-warn --file /dev/null

format: $(STAMP) ## Format the code
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

lock: $(STAMP) ## Compile requirements/*.in to pinned, hashed files
	@for name in bootstrap indexer "indexer indexer-openai indexer-qdrant cli" central dev chunkhound; do \
	  $(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-header --no-emit-index-url --no-emit-find-links \
	    $$(printf 'requirements/%s.in ' $$name) -o requirements/$${name##* }.txt; done; \
	for name in openai qdrant; do \
	  $(BIN)/uv pip compile --quiet --generate-hashes --universal --python-version 3.11 \
	    --no-header --no-emit-index-url --no-emit-find-links --constraints requirements/central.txt \
	    requirements/indexer-$$name.in -o requirements/indexer-$$name.txt; done

dist: $(STAMP) ## Build the wheel and the sdist into build/dist, the same bytes for the same commit, and check them
	@$(BIN)/python -m scripts.distributions build/dist
	@$(BIN)/twine check --strict build/dist/*

clean: ## Remove what the targets made (not var/, which is data)
	@rm -rf $(VENV) build .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
