"""`python -P -m cli`: `codesearch` where its script is not installed."""

from cli.main import main_codesearch

if __name__ == "__main__":
    main_codesearch()
