"""Writes the facts of Linguist that the indexer uses: `python -m scripts.linguist_data CHECKOUT`.

CHECKOUT is a working copy of github-linguist at the tag of a release. Names, suffixes and
interpreters are of every language, patterns only of suffixes that a language of ours shares.
"""

import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from indexer.languages.registry import BY_LINGUIST, SUFFIXES

_TARGET: Final = Path(__file__).parents[1] / "indexer" / "linguist" / "data.json"
_LICENCE: Final = "MIT, Copyright (c) 2017 GitHub, Inc."
_REPEATS: Final = 256  # of a part of a pattern, so that no search takes quadratic time
_LEFT_OUT: Final = {".al", ".d"}  # a crafted file would keep their patterns busy for minutes
_UNSCOPED: Final = re.compile(r"\(\?([im]+)\)")
_REPEATED: Final = re.compile(r"\\.|\[(?:\\.|[^\]\\])+\]|[*+]")


def main() -> None:
    folder = Path(sys.argv[1]) / "lib" / "linguist"
    languages = _loaded(folder / "languages.yml")
    heuristics = _loaded(folder / "heuristics.yml")
    suffixes = _index(languages, "extensions")
    data = {
        "version": (folder / "VERSION").read_text("utf-8").strip(),
        "licence": _LICENCE,
        "aliases": _aliases(languages),
        "file_names": _index(languages, "filenames"),
        "interpreters": _index(languages, "interpreters"),
        "suffixes": suffixes,
        "generic_suffixes": _loaded(folder / "generic.yml")["extensions"],
        "rules": _rules(heuristics, suffixes),
    }
    parts = (f" {json.dumps(name)}: {_lines(value)}" for name, value in data.items())
    _TARGET.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")


def _loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text("utf-8"))


def _lines(value: Any) -> str:
    """Return JSON with an entry in a line."""
    if isinstance(value, str):
        return json.dumps(value)
    if isinstance(value, list):
        return json.dumps(value)
    entries = (f"  {json.dumps(name)}: {json.dumps(one)}" for name, one in value.items())
    return "{\n" + ",\n".join(entries) + "\n }"


def _index(languages: Mapping[str, Any], field: str) -> dict[str, list[str]]:
    found = defaultdict(list)
    for language, facts in languages.items():
        for name in facts.get(field) or ():
            found[name.lower() if field == "extensions" else name].append(language)
    return dict(sorted(found.items()))


def _aliases(languages: Mapping[str, Any]) -> dict[str, str]:
    """Return the languages by every name that a person writes for them, in lower case."""
    found: dict[str, str] = {}
    for language, facts in languages.items():
        for alias in (re.sub(r"\s", "-", language.lower()), *(facts.get("aliases") or ())):
            found.setdefault(alias.lower(), language)
    return dict(sorted(found.items()))


def _rules(heuristics: Mapping[str, Any], suffixes: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return the rules by suffix: languages, patterns of which each must be found, and absent ones.

    A rule beyond the last one for a language of ours changes nothing and is left out, unless the
    suffix is one of ours where no rule decides.
    """
    named = heuristics["named_patterns"]
    found = {}
    for group in heuristics["disambiguations"]:
        for suffix in map(str.lower, group["extensions"]):
            shared = {_our_name(one) for one in suffixes.get(suffix, ())}
            if len(shared) < 2 or suffix in {*found, *_LEFT_OUT}:
                continue
            rules = [_rule(one, named) for one in group["rules"]]
            if suffix not in SUFFIXES:
                while rules and BY_LINGUIST.keys().isdisjoint(rules[-1][0]):
                    del rules[-1]
            if rules:
                found[suffix] = rules
    return dict(sorted(found.items()))


def _our_name(language: str) -> str:
    return BY_LINGUIST[language].name if language in BY_LINGUIST else ""


def _rule(rule: Mapping[str, Any], named: Mapping[str, Any]) -> list[list[str]]:
    languages = rule.get("language") or []
    present: list[str] = []
    absent: list[str] = []
    for part in rule.get("and") or [rule]:
        if "named_pattern" in part:
            present.append(_pattern(named[part["named_pattern"]]))
        elif "pattern" in part:
            present.append(_pattern(part["pattern"]))
        elif "negative_pattern" in part:
            absent.append(_pattern(part["negative_pattern"]))
    return [[languages] if isinstance(languages, str) else languages, present, absent]


def _pattern(ruby: str | Sequence[str]) -> str:
    """Return the pattern of Python, for re.MULTILINE, that finds the same within bounds."""
    if not isinstance(ruby, str):
        return _any_of([_pattern(one) for one in ruby])
    pattern = ruby.replace(r"\z", r"\Z").replace(r"^\s*", r"^[^\S\n]*")
    if flags := _UNSCOPED.search(pattern):
        python = flags[1].replace("m", "s")
        pattern = f"{pattern[: flags.start()]}(?{python}:{pattern[flags.end() :]})"
    pattern = _bounded(pattern)
    re.compile(pattern.encode(), re.MULTILINE)
    return pattern


def _any_of(patterns: Sequence[str]) -> str:
    """Return one pattern for several; those of a line's beginning are tried there alone."""
    at_lines = "|".join(one[1:] for one in patterns if one.startswith("^") and "|^" not in one)
    others = [f"(?:{one})" for one in patterns if not one.startswith("^") or "|^" in one]
    return "|".join([*([f"^(?:{at_lines})"] if at_lines else []), *others])


def _bounded(pattern: str) -> str:
    bounds = {"*": f"{{0,{_REPEATS}}}", "+": f"{{1,{_REPEATS}}}"}
    return _REPEATED.sub(lambda found: bounds.get(found[0], found[0]), pattern)


if __name__ == "__main__":
    main()
