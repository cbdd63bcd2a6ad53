"""`python -P -m cli`: runs `codesearch` without its installed script."""

from cli.main import main_codesearch

if __name__ == "__main__":
    main_codesearch()
