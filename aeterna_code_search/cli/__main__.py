"""`python -P -m aeterna_code_search.cli`: runs `codesearch` without its installed script."""

from aeterna_code_search.cli.main import main_codesearch

if __name__ == "__main__":
    main_codesearch()
